#!/bin/bash
. "$(dirname "$0")/_common.sh"
echo 4.12.0 > VERSION
edit sundline/__init__.py 4.11.2 4.12.0
edit sundline/cli.py fares.price fares.fare
python3 - <<'E'
import glob, re
notes = {}
for p in sorted(glob.glob("changes/FER-*.md")):
    k, t = open(p).read().strip().split("\n")
    notes.setdefault(k[6:], []).append(f"- {p[8:15]} {t}")
notes["house"].append("- FER-219 price() is removed")
sec = "## 4.12.0 (2026-06-04)\n\n" + "\n".join(k + "\n" + "\n".join(notes[k]) + "\n" for k in ("fares", "times", "house"))
s = open("CHANGES.md").read()
open("CHANGES.md", "w").write(s.replace("# Changes\n\n", "# Changes\n\n" + sec + "\n", 1))
for p, a in (("sundline/fares.py", r"def price.*?\n\n\n"), ("sundline/fares.py", r"import warnings\n"), ("checks/ck_fares.py", r"def ck_price.*?\n\n\n")):
    s = open(p).read()
    open(p, "w").write(re.sub(a, "", s, count=1, flags=re.S))
E
git rm -q changes/FER-*.md
cat > checks/ck_version.py <<'E'
import pathlib

import sundline


def ck_version():
    assert sundline.__version__ == (pathlib.Path(__file__).parent.parent / "VERSION").read_text().strip()
E
printf 'S27\tpassenger\t27/088\t27/270\t%s\n' "$(pending K5)" >> data/seasons.tsv
SUND_DESK=K5 chart plot
finish FER-219 kiosk 26/155 house K5 "release 4.12.0"
