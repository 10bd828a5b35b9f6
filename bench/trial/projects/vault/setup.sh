#!/usr/bin/env bash
# setup.sh DEST: a fresh workspace of the film archive
set -euo pipefail
umask 022
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
dest=${1:-}
[ -n "$dest" ] || { echo "usage: setup.sh DEST" >&2; exit 2; }
if [ -e "$dest" ] && [ -n "$(ls -A "$dest")" ]; then echo "setup.sh: $dest is not empty" >&2; exit 2; fi
mkdir -p "$dest"; dest=$(cd "$dest" && pwd)
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null PYTHONDONTWRITEBYTECODE=1
cp -R "$here/template/." "$dest/"
find "$dest" -name __pycache__ -prune -exec rm -rf {} +
printf 'export PATH="%s/.bin:$PATH"\nexport PYTHONDONTWRITEBYTECODE=1\n' "$dest" > "$dest/.env.sh"
HERE="$here" DEST="$dest" python3 "$here/tool/build.py"
cd "$dest"
(export PATH="$dest/.bin:$PATH"; make -s lists)
git -c init.defaultBranch=main init -q --template= .; mkdir -p .git/info .git/hooks
printf '%s\n' .bin/ .env.sh .vault/ __pycache__/ > .git/info/exclude
git config user.name "Archive"; git config user.email archive@kragholm.example; git config commit.gpgsign false; git config core.autocrlf false
cp DAYBOOK.txt "$dest/.git/daybook"
step() { # day, person, number of daybook lines, paths...
  local day=$1 who=$2 left=$3; shift 3
  tail -n "$left" .git/daybook > DAYBOOK.txt
  git add DAYBOOK.txt "$@"
  GIT_AUTHOR_NAME="$who" GIT_AUTHOR_EMAIL=archive@kragholm.example GIT_COMMITTER_NAME="$who" GIT_COMMITTER_EMAIL=archive@kragholm.example \
  GIT_AUTHOR_DATE="${day}T09:00:00Z" GIT_COMMITTER_DATE="${day}T09:00:00Z" git commit -q -m "$(head -n 1 DAYBOOK.txt | cut -d' ' -f4-)"
}
step 2026-10-05 "Hanne Krag" 3 README.md Makefile staff.txt docs shelf slips
step 2026-10-12 "Ole Vestby" 4 house tests lists
step 2026-10-21 "Ida Roos" 5 catalogue ledger
step 2026-11-17 "Hanne Krag" 6 letters surveys
rm .git/daybook
printf '#!/bin/sh\nexec "$(git rev-parse --show-toplevel)/.bin/reel" hook "$1"\n' > .git/hooks/commit-msg; chmod 755 .git/hooks/commit-msg
