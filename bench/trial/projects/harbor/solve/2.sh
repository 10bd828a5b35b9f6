#!/bin/bash
. "$(dirname "$0")/lib.sh"
edit services/tariff/tariff/core.py '        if n <= free:
            continue
        total += rate["tier1"] if n <= conf["tier1_days"] else rate["tier2"]
        if reefer:
            total += conf["plug"]
' '        if reefer:
            total += conf["plug"]
        if n > free:
            total += rate["tier1"] if n - free <= conf["tier1_days"] else rate["tier2"]
'
edit services/tariff/tests/test_core.py 'class Lift' 'class Tiers(unittest.TestCase):
    def test_tiers(self):
        self.assertEqual(demurrage("2025-10-01", "2025-10-11", "20"), 5 * 3500 + 6500)
        self.assertEqual(demurrage("2025-10-01", "2025-10-02", "20", reefer=True), 8400)


class Lift'
PYTHONPATH=libs/py:services/tariff python3 - <<'PY'
import csv
from quay.money import show
from tariff.core import demurrage
p = "data/disputes/hb-1420.csv"
rows = list(csv.DictReader(open(p)))
for r in rows:
    r["correct"] = show(demurrage(r["gate_in"], r["gate_out"], r["size"], r["reefer"] == "yes"))
with open(p, "w", newline="") as f:
    w = csv.DictWriter(f, rows[0], lineterminator="\n"); w.writeheader(); w.writerows(rows)
PY
frag tariff caulk eider HB-1420 "Demurrage follows the rules."
ready tariff attic
ship HB-1420 25W48-4 "demurrage by the rules"
