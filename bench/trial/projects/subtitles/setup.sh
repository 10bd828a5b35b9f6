#!/usr/bin/env bash
# setup.sh DEST [--changed]: a fresh workspace of the subtitles project
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
if [ -n "$changed" ]; then
  cp -R "$here/changed/." "$dest/"
  sed -i 's/"rough"/"work"/g; s/"fair"/"release"/g' "$dest/tools/weft.py"
  sed -i 's/PRINT/GRADE/g; s/rough/work/g' "$dest/Makefile"
fi
find "$dest" -name __pycache__ -prune -exec rm -rf {} +
cat > "$dest/.env.sh" <<E
export PATH="$dest/.bin:\$PATH"
export LANTERN_ROOM="$dest"
export PYTHONDONTWRITEBYTECODE=1
E
cd "$dest"
git -c init.defaultBranch=main init -q --template= .; mkdir -p .git/info .git/hooks
printf '%s\n' .bin/ .env.sh .lantern/ > .git/info/exclude
cat >> .git/config <<E
[user]
	name = Titler
	email = titler@halfmoon.example
[commit]
	gpgsign = false
[core]
	autocrlf = false
E
HERE="$here" DEST="$dest" CHANGED="$changed" PYTHONDONTWRITEBYTECODE=1 python3 "$here/tool/build.py"
for h in pre-commit commit-msg; do
  printf '#!/bin/sh\ncd "$(git rev-parse --show-toplevel)" && exec python3 -B tools/gate.py %s "$@"\n' "$h" > .git/hooks/$h; chmod 755 .git/hooks/$h
done
