#!/bin/bash
# setup.sh DEST [--changed]: fresh workspace of the claims desk
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
edition=a
if [ "${2:-}" = --changed ]; then edition=b; elif [ $# -ne 1 ]; then echo "usage: setup.sh DEST [--changed]" >&2; exit 2; fi
mkdir -p "$1"; dest=$(cd "$1" && pwd)
[ -z "$(ls -A "$dest")" ] || { echo "setup.sh: $dest is not empty" >&2; exit 2; }
cp -r "$here/template/." "$dest/"
mkdir -p "$dest/bin" "$dest/store"
python3 "$here/src/build.py" $edition "$dest/bin/plinth"
python3 "$here/src/mkdata.py" "$dest/store/desk.db"
cat > "$dest/.env.sh" <<E
export PATH="$dest/bin:\$PATH"
export GIT_CONFIG_NOSYSTEM=1
E
cd "$dest"
if [ $edition = a ]; then PLINTH_SEAT=loft bin/plinth call sheet.press >/dev/null; else bin/plinth --seat loft call sheet.press >/dev/null; fi
git init -q -b main .
git config user.name "Desk"
git config user.email "desk@halvardroos.example"
git config commit.gpgsign false
printf '/.env.sh\n' >> .git/info/exclude
git add -A
GIT_AUTHOR_DATE='2027-03-17T17:30:00Z' GIT_COMMITTER_DATE='2027-03-17T17:30:00Z' git commit -q -m "Evening state of 17 March"
for h in pre-commit commit-msg; do
  printf '#!/bin/sh\nexec "$(git rev-parse --show-toplevel)/bin/plinth" hook %s "$@"\n' $h > .git/hooks/$h
  chmod +x .git/hooks/$h
done
