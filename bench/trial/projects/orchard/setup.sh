#!/usr/bin/env bash
# setup.sh DEST [--changed]: a fresh workspace of the orchard project
set -euo pipefail
umask 022
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
dest= changed=
for a in "$@"; do case $a in --changed) changed=1 ;; *) dest=$a ;; esac; done
[ -n "$dest" ] || { echo "usage: setup.sh DEST [--changed]" >&2; exit 2; }
if [ -e "$dest" ] && [ -n "$(ls -A "$dest")" ]; then echo "setup.sh: $dest is not empty" >&2; exit 2; fi
mkdir -p "$dest"; dest=$(cd "$dest" && pwd)
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
cp -R "$here/template/." "$dest/"
if [ -n "$changed" ]; then cp -R "$here/changed/." "$dest/"; fi
find "$dest" -name __pycache__ -prune -exec rm -rf {} +
cat > "$dest/.env.sh" <<X
export PATH="$dest/bin:\$PATH"
export PYTHONDONTWRITEBYTECODE=1
X
cd "$dest"
git -c init.defaultBranch=main init -q --template= .; mkdir -p .git/info .git/hooks
echo .env.sh > .git/info/exclude
cat >> .git/config <<X
[user]
	name = Store Desk
	email = desk@coldwell.example
[commit]
	gpgsign = false
[core]
	autocrlf = false
X
HERE="$here" DEST="$dest" CHANGED="$changed" PYTHONDONTWRITEBYTECODE=1 python3 -B "$here/tool/build.py"
for h in pre-commit commit-msg; do
  printf '#!/bin/sh\nexec "$(git rev-parse --show-toplevel)/bin/pippin" hook %s "$@"\n' "$h" > .git/hooks/$h; chmod 755 .git/hooks/$h
done
