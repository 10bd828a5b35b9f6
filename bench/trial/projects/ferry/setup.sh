#!/bin/bash
# setup.sh DEST [--changed]: fresh workspace of the Sundline project
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
[ $# -eq 1 ] || [ "${2-}" = --changed ] || { echo "usage: setup.sh DEST [--changed]" >&2; exit 2; }
form=a; [ $# -eq 1 ] || form=b
mkdir -p "$1"; dest=$(cd "$1" && pwd)
[ -z "$(ls -A "$dest")" ] || { echo "setup.sh: $dest is not empty" >&2; exit 2; }
cp -r "$here/template/." "$dest/"
find "$dest" -name __pycache__ -prune -exec rm -rf {} +
rm -rf "$dest/sundline/tables"
python3 "$here/tools/build.py" "$dest/bin" "$form"
cat > "$dest/.env.sh" <<E
export PATH="$dest/bin:\$PATH"
export PYTHONDONTWRITEBYTECODE=1
export PYTHONIOENCODING=utf-8
export GIT_CONFIG_NOSYSTEM=1
export GIT_PAGER=cat
E
cd "$dest"
git init -q -b main .
git config user.name "Dev"
git config user.email "dev@sundline.example"
git config commit.gpgsign false
git config core.quotepath false
printf 'bin/\n.env.sh\n.harbour/\n' >> .git/info/exclude
git add -A
GIT_AUTHOR_DATE='2026-03-02T08:00:00Z' GIT_COMMITTER_DATE='2026-03-02T08:00:00Z' git commit -q --no-verify -m "Import of sundline 4.11.2"
cat > .git/hooks/commit-msg <<'E'
#!/bin/sh
exec "$(git rev-parse --show-toplevel)/bin/slipway" entry "$1"
E
chmod +x .git/hooks/commit-msg
