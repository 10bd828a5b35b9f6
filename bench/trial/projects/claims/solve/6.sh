#!/bin/bash
. "$(dirname "$0")/_common.sh"
python3 - <<'E'
p = "desk/limits.json"; s = open(p).read()
a = '"cession": { "EUR": 10000000, "CHF": 10000000, "GBP": 9000000 }'; assert a in s
open(p, "w").write(s.replace(a, '"cession": { "EUR": 7500000, "CHF": 8000000, "GBP": 6500000 }'))
E
call sheet.press
call claim.reserve "{\"claim\": \"$(full 27-0358)\", \"amount\": \"$(amount 81000.00 EUR)\", \"article\": \"R-117\"}"
refs=($(plinth call claim.list | python3 -c 'import json,sys
T = {"EUR": 75000, "CHF": 80000, "GBP": 65000}
for l in sys.stdin:
  d = json.loads(l); v, c = d["reserve"].rsplit(" ", 1)
  if d["status"] in ("open", "assessed") and d["flag"] != "ceded" and float(v.replace(" ", "")) >= T[c]: print(d["file"] + "/" + d["check"])'))
threes claim.flag claims ', "flag": "ceded", "article": "F-604"' "${refs[@]}"
finish bordereau
python3 - <<'E'
t = {}
for l in open("reports/bordereau-2027-03-18.tsv").read().splitlines()[1:]:
    f = l.split("\t"); a = t.setdefault(f[2], [0, 0.0]); a[0] += 1; a[1] += float(f[3].rsplit(" ", 1)[0].replace(" ", ""))
open("reports/bordereau-summary-2027-03-18.md", "w").write("".join(f"- {k}: {n} files, " + f"{v:,.2f}".replace(",", " ") + "\n" for k, (n, v) in sorted(t.items())))
E
file "MD-325; report; bordereau for Meridian Re"
