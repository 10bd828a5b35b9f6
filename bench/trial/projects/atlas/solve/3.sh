#!/usr/bin/env bash
. "$(dirname "$0")/lib.sh"
for f in se2/rates-cache se2/gate ca4/id-desk; do for e in trial prod; do sed -i 's/^backup .*/backup    daily/' units/$e/$f.unit; done; done
both rule "insight storefront" rates-cache@se2 gate@se2 id-desk@ca4
plumb sweep prod --yard granite
git add -A; git commit -q -m "[r6] Daily backups for gold"
