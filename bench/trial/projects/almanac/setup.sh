#!/bin/bash
# setup.sh DEST: a fresh workspace
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
DEST=${1:?setup.sh DEST}
if [ -e "$DEST" ] && [ -n "$(ls -A "$DEST" 2>/dev/null)" ]; then
    echo "setup.sh: $DEST is not empty" >&2; exit 1
fi
umask 022
mkdir -p "$DEST"
DEST=$(cd "$DEST" && pwd -P)
cp -r "$here/template/." "$DEST/"
find "$DEST" -name __pycache__ -type d -prune -exec rm -rf {} +
mkdir -p "$DEST"/{bin,tables,galleys,proofs,press/tickets,press/tray}
python3 -B "$here/tools/build.py" "$DEST/bin"
cat > "$DEST/.env.sh" <<'EOF'
_here=$(cd "$(dirname "${BASH_SOURCE[0]:-$0}")" && pwd)
case ":$PATH:" in *":$_here/bin:"*) ;; *) PATH="$_here/bin:$PATH" ;; esac
export PATH PYTHONDONTWRITEBYTECODE=1
unset _here
EOF
export PYTHONDONTWRITEBYTECODE=1 TZ=UTC LC_ALL=C.UTF-8
unset ALM_READER
(
    cd "$DEST"
    PATH="$DEST/bin:$PATH"
    for s in W:HRM W:ORB E:QUL N:DNW; do tabgen $s 2031-07; done
    python3 -B -m almlib.folio
    galley pages/tides-harrowmouth.pg --ems 36
    galley pages/moon-2031-q2.pg --ems 28
    galley pages/fairs-summer.pg --ems 32
    ALM_READER=JBR proof galleys/tides-harrowmouth.gly
    ALM_READER=OKH proof galleys/moon-2031-q2.gly
    ALM_READER=AVS proof galleys/fairs-summer.gly
    hand() { forme take "$2"; (cd press && handover "../galleys/$1.gly" --sheet "$2" --to "$3" --due "$4"); }
    hand moon-2031-q2 M brn 87w12.2
    hand fairs-summer F brn 87w14.5
    hand tides-harrowmouth T ktl 87w16.1
    echo "received at Brannock's on the day, Tuesday 18 March" >> press/tickets/87-0001.tkt
    echo "received at Brannock's on the day, Friday 4 April, W.B." >> press/tickets/87-0002.tkt
    echo "received at Kettle's on the day, Monday 14 April" >> press/tickets/87-0003.tkt
    rm -f press/tray/*.gly          # the printer has emptied the tray
    rm -rf .forme
    git init -q -b main
    git config user.name "Copy desk"
    git config user.email "desk@pellsandry.example"
    git config commit.gpgsign false
    git config core.autocrlf false
    rm -rf .git/hooks; mkdir .git/hooks
    printf '#!/bin/sh\nexec "$(git rev-parse --show-toplevel)/bin/.lib/gate" "$1"\n' > .git/hooks/commit-msg
    chmod +x .git/hooks/commit-msg
    printf '/bin/\n/.env.sh\n/.forme/\n' > .git/info/exclude
    git add -A
    export GIT_AUTHOR_DATE="2031-04-15T09:00:00+0000" GIT_COMMITTER_DATE="2031-04-15T09:00:00+0000"
    git commit -q -m "Volume 87 as it stands after the April sheets

Fairs for the summer, the moon to June and the Harrowmouth tides are with
the printers.

Ledger: 87/A"
) > /dev/null
