#!/bin/bash
set -e
HERE=$(cd "$(dirname "$0")" && pwd); mkdir -p "$1"; DEST=$(cd "$1" && pwd)
cp -r "$HERE/repo/." "$DEST/"
mkdir -p "$DEST/.bin"
python3 -m zipapp "$HERE/src/tally" -p "/usr/bin/env python3" -o "$DEST/.bin/tally"
chmod +x "$DEST/.bin/tally"
python3 "$HERE/src/seed.py" "$DEST"
printf 'export PATH="%s/.bin:$PATH"\nexport TALLY_ROOT="%s"\nexport TALLY_HOME="%s/.tally"\n' "$DEST" "$DEST" "$DEST" > "$DEST/.env.sh"
printf '.bin/\n.tally/\n.env.sh\n__pycache__/\n' > "$DEST/.gitignore"
cd "$DEST"
git init -q -b main
git config user.name "Production"; git config user.email production@hsb.example; git config commit.gpgsign false
cp "$HERE/src/commit-msg" .git/hooks/commit-msg; chmod +x .git/hooks/commit-msg
commit() { # commit DATE SUBJECT CODE PATH...
  local d=$1 s=$2 code=$3; shift 3; git add -A -- "$@"
  GIT_AUTHOR_DATE="$d" GIT_COMMITTER_DATE="$d" git commit -q -m "$s" -m "Catalogue: $code"
}
commit "2025-08-04T09:00:00+0000" "Import the production repository" GEN .gitignore README.md Makefile catalogue.csv LEDGER docs codebooks migrations models halstat tests scripts reviews/TEMPLATE.md
commit "2025-08-20T09:00:00+0000" "Deliveries of the first half year" GEN sources/*/2024Q3* sources/*/2025Q1* sources/tourism/2025Q2* sources/permits/2025Q2* sources/retail/2025Q2* sources/lfs/2025Q2* sources/vacancies/2025Q2.* sources/*/source.ini
commit "2025-09-09T09:00:00+0000" "Releases of 2025-Q2" GEN published reviews
commit "2025-11-17T09:00:00+0000" "New deliveries" GEN .
