#!/bin/bash
set -euo pipefail
cd "${1:?WORKSPACE}"; . ./.env.sh
last() { python3 -c "import json,sys; print(json.dumps([m[\"mark\"] for m in json.load(sys.stdin) if m[\"state\"]==\"soft\"]))"; }
inkall() { stage ink "{\"tour\":\"$1\",\"marks\":$(stage marks "{\"tour\":\"$1\"}" | last)}" >/dev/null; stage tour_export "{\"tour\":\"$1\"}" >/dev/null; make -s sheet TOUR=$1 >/dev/null; }

export STAGE_DESK=TR/4
python3 - <<'P'
p="scripts/loadplan.py"; s=open(p).read().replace('    return int(row["qty"]) * one\n','    n = int(row["qty"])\n    if row["nest"] == "yes" and n > 1:\n        return one * (1 + (n - 1) / 4)\n    return n * one\n'); open(p,"w").write(s)
open("tests/test_loadplan.py","a").write('\n    def test_nest(self):\n        self.assertAlmostEqual(loadplan.volume({"qty": "5", "length_cm": "100", "width_cm": "100", "height_cm": "100", "nest": "yes"}), 2.0)\n')
P
stage worklight '{"tour":"S2","on":true}' >/dev/null
stage lorry_book '{"tour":"S2","lorry":"L-07","date":"16f","driver":"hoba3","to":"V-049","line":"6326"}' >/dev/null
echo "2031-11-22,V-047,V-049,L-07,Gwil Hobart,21.39" >> tours/S2/haulage.csv
sed -i 's/^P-0418,\(.*\),2031-11-17,38$/P-0418,\1,2031-11-17,42/' rosters/drivers.csv
make -s test
git add -A && git commit -q -m "Lorry for Pennick, nesting pieces" -m "Docket: 4475/S2"
