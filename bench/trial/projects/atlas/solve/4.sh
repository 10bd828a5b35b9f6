#!/usr/bin/env bash
. "$(dirname "$0")/lib.sh"
mk() { cat > units/$1/nw1/parcel-notify.unit <<U
# parcel-notify in $1 nw1
unit      parcel-notify
keeper    courier
module    queue-worker@2
tier      silver
replicas  $2
memory    $3
port      7306
backup    weekly
link      parcel-track:7301
link      mail-out:7505
set       lease = 30
set       retries = 5
U
}
mk trial 1 256; mk prod 3 640
sed -i 's/7305 van-ping/7305 van-ping, 7306 parcel-notify/' docs/house/ports.md
printf '# parcel-notify\n\nTells customers that a parcel comes. Kept by courier, tier silver.\n\nRuns in: nw1\n\nLeans on: parcel-track, mail-out\n' > docs/runbooks/parcel-notify.md
both raise stock parcel-notify@nw1
git add -A; git commit -q -m "[r2] Open parcel-notify"
