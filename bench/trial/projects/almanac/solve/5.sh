#!/bin/bash
set -euo pipefail
cd "${1:?WORKSPACE}"
. ./.env.sh

cat > almlib/kinds/gate.py <<'E'
"""Hours of the dock gate."""
import datetime

from .. import days, tide

TITLE = "Hours of the dock gate"
RISE, BEFORE, AFTER = 300, 95, 40


def rows(port, year, month):
    """One line for each day of the month."""
    if port.sill is None:
        raise ValueError("%s has no sill" % port.name)
    out = []
    for d in days.month_days(year, month):
        spans = []
        for n in (-1, 0, 1):
            for t in tide.turns(port, d + datetime.timedelta(n)):
                if t.kind == "HW" and t.cm >= port.sill + RISE:
                    a = max(0, t.minute + 1440 * n - BEFORE)
                    b = min(1440, t.minute + 1440 * n + AFTER)
                    if a < b:
                        spans.append("%s-%s" % (days.clock(a), days.clock(b)))
        out.append("  ".join([days.short(d)] + (spans or ["shut"])))
    return out
E
cat > tests/test_gate.py <<'E'
import unittest
from unittest import mock
import datetime

from almlib import ports, tide
from almlib.kinds import gate


class Gate(unittest.TestCase):
    def test_no_sill(self):
        self.assertRaises(ValueError, gate.rows, ports.by_slug("harrowmouth"), 2031, 9)

    def test_month_end(self):
        at = {datetime.date(2031, 8, 31): [tide.Turn("HW", 1425, 500)],
              datetime.date(2031, 10, 1): [tide.Turn("HW", 20, 500)]}
        with mock.patch.object(tide, "turns", lambda p, d: at.get(d, [])):
            r = gate.rows(ports.by_slug("dunmarrow"), 2031, 9)
        self.assertEqual(r[0], "01 Mo  00:00-00:25")
        self.assertEqual(r[29], "30 Tu  22:45-24:00")
        self.assertEqual(r[5], "06 Sa  shut")
E
make test
for m in 09 10; do
    tabgen N:DNW 2031-$m -k gate
    forme take C
    (cd press && handover ../tables/dunmarrow-2031-$m-gate.tab --sheet C --to ktl --due 87w34.5)
done
git add -A
git commit -q -m "Gate tables for Dunmarrow

Ledger: 87/C"
