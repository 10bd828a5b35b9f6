#!/bin/bash
set -e
HERE=$(cd "$(dirname "$0")" && pwd); mkdir -p "$1"; DEST=$(cd "$1" && pwd)
cp -r "$HERE/repo/." "$DEST/"
mkdir -p "$DEST/.bin"
python3 -m zipapp "$HERE/src/vdesk" -p "/usr/bin/env python3" -o "$DEST/.bin/vdesk"
chmod +x "$DEST/.bin/vdesk"
python3 "$HERE/src/seed.py" "$DEST"
printf 'export PATH="%s/.bin:$PATH"\nexport VDESK_HOME="%s/.vdesk"\nexport VDESK_ROOT="%s"\n' "$DEST" "$DEST" "$DEST" > "$DEST/.env.sh"
printf '.bin/\n.vdesk/\n.env.sh\n__pycache__/\n' > "$DEST/.gitignore"
cd "$DEST"
. ./.env.sh
git -c init.templateDir= init -q -b main
git config user.name "Millbrook Office"; git config user.email office@millbrook.example
commit() { GIT_AUTHOR_DATE="$1" GIT_COMMITTER_DATE="$1" git commit -q -m "$2"; }
git add README.md Makefile docs scripts tests templates .gitignore; commit "2025-10-06T09:00:00+0000" "front/41: handbook, templates and checks"
vdesk reports.stamp '{"path":"reports/2025-W45-order.md"}' > /dev/null
git add data/pricelist.csv data/suppliers.csv reports; commit "2025-11-05T16:00:00+0000" "supplies/45: order of Ward & Cross filed"
git add letters; commit "2025-11-12T11:30:00+0000" "front/46: reminder for Pearl"
git add -A; commit "2025-11-19T08:10:00+0000" "accounts/47: sheets handed in"
mkdir -p .git/hooks
cat > .git/hooks/commit-msg <<'HOOK'
#!/bin/sh
head -n 1 "$1" | grep -Eq '^(front|supplies|accounts)/[0-9][0-9]: .' && exit 0
echo "commit refused: subject carries no desk mark" >&2
exit 1
HOOK
chmod +x .git/hooks/commit-msg
