#!/usr/bin/env bash
# setup.sh DEST [--changed]: a fresh workspace of libplover
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
printf 'export PATH="%s/.bin:$PATH"\nexport PYTHONDONTWRITEBYTECODE=1\n' "$dest" > "$dest/.env.sh"
cd "$dest"
git -c init.defaultBranch=main init -q --template= .; mkdir -p .git/info .git/hooks
printf '%s\n' .bin/ .env.sh > .git/info/exclude
git config user.name Maintainer; git config user.email dev@plover.example; git config commit.gpgsign false
HERE="$here" DEST="$dest" CHANGED="$changed" PYTHONDONTWRITEBYTECODE=1 python3 "$here/tool/build.py"
printf '#!/bin/sh\nexec "$(git rev-parse --show-toplevel)/.bin/kiln" hook\n' > .git/hooks/pre-commit; chmod 755 .git/hooks/pre-commit
