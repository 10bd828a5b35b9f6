#!/usr/bin/env bash
# setup.sh DEST [--changed]: a fresh workspace of the lab project
set -euo pipefail
umask 022
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
dest= changed=
for a in "$@"; do case $a in --changed) changed=1 ;; *) dest=$a ;; esac; done
[ -n "$dest" ] || { echo "usage: setup.sh DEST [--changed]" >&2; exit 2; }
if [ -e "$dest" ] && [ -n "$(ls -A "$dest")" ]; then echo "setup.sh: $dest is not empty" >&2; exit 2; fi
mkdir -p "$dest"; dest=$(cd "$dest" && pwd)
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null TZ=UTC
cp -R "$here/template/." "$dest/"
cat > "$dest/.env.sh" <<E
export PATH="$dest/.bin:\$PATH"
export LAB_HOME="$dest"
export PYTHONDONTWRITEBYTECODE=1
E
cd "$dest"
git -c init.defaultBranch=main init -q --template= .; mkdir -p .git/info .git/hooks
printf '%s\n' .bin/ .env.sh .lab/ __pycache__/ > .git/info/exclude
git config user.name "Duty analyst"; git config user.email duty@brackwater-lab.example; git config commit.gpgsign false
HERE="$here" DEST="$dest" CHANGED="$changed" PYTHONDONTWRITEBYTECODE=1 python3 "$here/tool/build.py"
commit() { # date, author, subject, paths
  local d=$1 a=$2 s=$3; shift 3
  git add -- "$@"
  GIT_AUTHOR_NAME=$a GIT_COMMITTER_NAME=$a GIT_AUTHOR_EMAIL=staff@brackwater-lab.example GIT_COMMITTER_EMAIL=staff@brackwater-lab.example \
    GIT_AUTHOR_DATE="$d" GIT_COMMITTER_DATE="$d" git commit -q -m "$s"
}
commit 2029-08-20T09:00:00Z "M Oduya" "Protocols and registers" README.md Makefile scripts protocols registers
commit 2029-10-02T16:10:00Z "J Lindqvist" "Records up to sheet S-0308" results
commit 2029-10-09T07:40:00Z "T Brandt" "Inbox of the week" inbox
if [ -n "$changed" ]; then cp -R "$here/changed/." "$dest/"; commit 2029-10-09T07:50:00Z "M Oduya" "Note on release 8" protocols; fi
[ -z "$(git status --porcelain)" ]
printf '#!/bin/sh\nexec "$(git rev-parse --show-toplevel)/.bin/labctl" _records\n' > .git/hooks/pre-commit; chmod 755 .git/hooks/pre-commit
