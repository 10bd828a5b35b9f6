#!/usr/bin/env bash
# setup.sh DEST: a fresh workspace of the grid project
set -euo pipefail
umask 022
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
dest=${1:-}
[ -n "$dest" ] || { echo "usage: setup.sh DEST" >&2; exit 2; }
if [ -e "$dest" ] && [ -n "$(ls -A "$dest")" ]; then echo "setup.sh: $dest is not empty" >&2; exit 2; fi
mkdir -p "$dest"; dest=$(cd "$dest" && pwd)
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null TZ=UTC
cat > "$dest/.env.sh" <<E
export PATH="$dest/.bin:\$PATH"
export TRELLIS_ROOT="$dest"
export PYTHONDONTWRITEBYTECODE=1
E
cd "$dest"
git -c init.defaultBranch=main init -q --template= .; mkdir -p .git/info .git/hooks
printf '%s\n' .bin/ .env.sh .trellis/ __pycache__/ > .git/info/exclude
git config user.name "Platform duty"; git config user.email duty@penrose-grid.example; git config commit.gpgsign false; git config gc.auto 0
HERE="$here" DEST="$dest" PYTHONDONTWRITEBYTECODE=1 python3 "$here/tool/build.py"
commit() { # date, author, subject, paths
  local d=$1 a=$2 s=$3; shift 3
  git add -- "$@"
  GIT_AUTHOR_NAME=$a GIT_COMMITTER_NAME=$a GIT_AUTHOR_EMAIL=staff@penrose-grid.example GIT_COMMITTER_EMAIL=staff@penrose-grid.example \
    GIT_AUTHOR_DATE="$d" GIT_COMMITTER_DATE="$d" git commit -q -m "$s"
}
commit 2030-09-02T08:00:00Z "R Vantongeren" "Modules and policies" modules policies teams
commit 2030-11-18T08:00:00Z "S Achterberg" "Services and environments" services environments
commit 2031-02-24T08:00:00Z "L Quist" "Plans and changes of the winter" plans changes
commit 2031-03-03T08:00:00Z "R Vantongeren" "Runbooks, docs, checks" .
[ -z "$(git status --porcelain)" ]
printf '#!/bin/sh\nexec "$(git rev-parse --show-toplevel)/.bin/trellis" _commit\n' > .git/hooks/pre-commit; chmod 755 .git/hooks/pre-commit
