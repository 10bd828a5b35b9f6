#!/bin/bash
set -e
HERE=$(cd "$(dirname "$0")" && pwd); mkdir -p "$1"; DEST=$(cd "$1" && pwd)
cp -r "$HERE/repo/." "$DEST/"
mkdir -p "$DEST/.bin"
for p in pier stencil; do
  T=$(mktemp -d); cp "$HERE/src/$p/__main__.py" "$T/"; touch -d 2025-11-20T08:00:00Z "$T/__main__.py"
  python3 -m zipapp "$T" -c -p "/usr/bin/env python3" -o "$DEST/.bin/$p"; chmod +x "$DEST/.bin/$p"; rm -rf "$T"
done
python3 "$HERE/src/seed.py" "$DEST"
printf 'export PATH="%s/.bin:$PATH"\nexport PYTHONDONTWRITEBYTECODE=1\n' "$DEST" > "$DEST/.env.sh"
printf '.bin/\n.pier/\n.env.sh\n__pycache__/\n*.pyc\nnode_modules/\n' > "$DEST/.gitignore"
cd "$DEST"
git init -q -b main
git config user.name "Quayline Harbor"; git config user.email harbor@quayline.example
git config core.autocrlf false; git config commit.gpgsign false; git config core.hooksPath .git/hooks
python3 "$HERE/src/seed.py" "$DEST" seals
git add -A
GIT_AUTHOR_DATE="2025-11-20T08:00:00Z" GIT_COMMITTER_DATE="2025-11-20T08:00:00Z" git commit -q -m "Tree after the release of 20 November 2025"
mkdir -p .git/hooks
for h in pre-commit commit-msg; do
  printf '#!/bin/sh\nexec "$(git rev-parse --show-toplevel)/.bin/pier" gate %s "$@"\n' $h > .git/hooks/$h; chmod +x .git/hooks/$h
done
