#!/usr/bin/env bash
# setup.sh DEST: a fresh workspace of the atlas project
set -euo pipefail
umask 022
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
dest=${1:-}
[ -n "$dest" ] || { echo "usage: setup.sh DEST" >&2; exit 2; }
if [ -e "$dest" ] && [ -n "$(ls -A "$dest")" ]; then echo "setup.sh: $dest is not empty" >&2; exit 2; fi
mkdir -p "$dest"; dest=$(cd "$dest" && pwd)
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
cp -R "$here/template/." "$dest/"
find "$dest" -name __pycache__ -prune -exec rm -rf {} +
cat > "$dest/.env.sh" <<E
export PATH="$dest/.bin:\$PATH"
export LATH_ROOT="$dest"
export PYTHONDONTWRITEBYTECODE=1
E
cd "$dest"
git -c init.defaultBranch=main init -q --template= .; mkdir -p .git/info .git/hooks
printf '%s\n' .bin/ .env.sh .lath/ > .git/info/exclude
cat >> .git/config <<E
[user]
	name = Keeper
	email = keeper@atlas.example
[commit]
	gpgsign = false
[core]
	autocrlf = false
E
HERE="$here" DEST="$dest" PYTHONDONTWRITEBYTECODE=1 python3 "$here/tool/build.py"
for h in commit-msg; do
  printf '#!/bin/sh\nexec "$(git rev-parse --show-toplevel)/.bin/lath" hook %s "$@"\n' "$h" > .git/hooks/$h; chmod 755 .git/hooks/$h
done
