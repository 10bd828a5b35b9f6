#!/bin/bash
. "$(dirname "$0")/_common.sh"
mark=$(pending K2) python3 - <<'E'
import os
from decimal import Decimal
p = "data/tariffs.tsv"
s = open(p).read()
n = 216
for l in s.split("\n")[1:-1]:
    c = l.split("\t")
    if c[2] == "adult":
        n += 1
        v = int(Decimal(c[4].replace(" ", "").replace(",", ".")) * 100) * 8 // 10 // 50 * 50
        s += "\t".join([f"T{n}", c[1], "group", c[3], f"{v // 100},{v % 100:02d}", os.environ["mark"]]) + "\n"
open(p, "w").write(s)
E
edit sundline/fares.py "            raise ValueError(f\"{category}: count {count}\")
" "            raise ValueError(f\"{category}: count {count}\")
        if category == \"group\":
            raise ValueError(\"group is not asked for\")
        if category == \"adult\" and count >= 10:
            category = \"group\"
"
cat >> checks/ck_fares.py <<'E'


def ck_group():
    assert fares.quote("R4", {"adult": 9}, MAY)["lines"][0]["unit"] == 6850
    assert fares.quote("R4", {"adult": 10}, MAY)["lines"][0] == {"category": "group", "count": 10, "unit": 5450, "total": 54500}
E
SUND_DESK=K2 chart plot --telegrams 2
finish FER-204 tills 26/132 fares K2 "group fare from ten adults"
