# helpers of the reference solutions
set -euo pipefail
cd "$1"; . ./.env.sh
if grep -q '"until": "31B21"' published/2031-07.json; then new=1 late=issue; else new= late=edition; fi
day() { # ISO day -> day of the window
  python3 - "$1" "$new" <<'P'
import sys
y, m, d = map(int, sys.argv[1].split("-"))
roman = "I II III IV V VI VII VIII IX X XI XII".split()
print("%02d%s%02d" % (y % 100, "ABCDEFGHIJKL"[m - 1], d) if sys.argv[2] else "%d.%s.%02d" % (d, roman[m - 1], y % 100))
P
}
idof() { sed -n 's/^id: //p' "pages/$1.md"; }
german() { # id, title or nothing
  python3 - "$@" <<'P'
import json, sys
t = json.load(open("i18n/de.json"))
t.pop(sys.argv[1], None)
if len(sys.argv) > 2:
    t[sys.argv[1]] = sys.argv[2]
open("i18n/de.json", "w").write(json.dumps(t, indent=1, sort_keys=True, ensure_ascii=False) + "\n")
P
}
swap() { # page, old text, new text
  python3 - "pages/$1.md" "$2" "$3" <<'P'
import sys
s = open(sys.argv[1]).read()
assert sys.argv[2] in s, sys.argv
open(sys.argv[1], "w").write(s.replace(sys.argv[2], sys.argv[3]))
P
}
finish() { # holder, ISO day, subject
  git add -A
  for f in $(git diff --cached --name-only --diff-filter=d -- pages); do sed -i "0,/^owner: .*/s//&\n$late: 8\/2031/" "$f"; done
  quill check; quill index --full
  quill window open --by "$1" --until "$(day "$2")"; quill publish; quill window close
  git add -A
  reader=Moberg; [ "$1" != Moberg ] || reader=Teige
  git commit -q -m "$3" -m "Review: $(quill review --reader $reader)"
}
