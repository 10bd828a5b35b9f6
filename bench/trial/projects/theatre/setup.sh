#!/bin/bash
# setup.sh DEST: a fresh workspace
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
dest="${1:?setup.sh DEST}"
if [ -e "$dest" ] && [ -n "$(ls -A "$dest" 2>/dev/null)" ]; then echo "setup.sh: $dest is not empty" >&2; exit 1; fi
mkdir -p "$dest"; dest="$(cd "$dest" && pwd)"
umask 022
cp -r "$here/template/." "$dest/"
cd "$dest"
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
git init -q -b main --template= .
mkdir -p .git/info .git/hooks
printf 'bin/\n.env.sh\n' > .git/info/exclude
git config user.name "Production Office"
git config user.email "office@tallowandthread.example"
git config commit.gpgsign false
git config core.hooksPath .git/hooks
git add -A
GIT_AUTHOR_NAME="Abel Strand" GIT_AUTHOR_EMAIL="strand@tallowandthread.example" GIT_AUTHOR_DATE="2031-09-29T10:00:00+0000" \
GIT_COMMITTER_NAME="Abel Strand" GIT_COMMITTER_EMAIL="strand@tallowandthread.example" GIT_COMMITTER_DATE="2031-09-29T10:00:00+0000" \
git commit -q -m "Autumn season opened" -m "Docket: 4402/HQ"
PYTHONDONTWRITEBYTECODE=1 python3 "$here/src/install.py" "$dest"
cat > .git/hooks/commit-msg <<'H'
#!/bin/bash
exec "$(git rev-parse --show-toplevel)/bin/registrar" "$1"
H
chmod 755 .git/hooks/commit-msg
