#!/bin/bash
set -euo pipefail
cd "${1:?WORKSPACE}"
. ./.env.sh

cat >> almlib/moon.py <<'E'


def quarter(year, q):
    """Lines of a moon page from the first %sub to the last item."""
    out = []
    for month in range(3 * q - 2, 3 * q + 1):
        if out:
            out.append("")
        out += ["%sub " + days.MONTHS[month - 1], ""]
        full = 0
        for t, name in phases(year, month):
            if name == "Full moon":
                full += 1
                if full == 2:
                    name += ", the second of the month"
            out.append("- %s %d, %s: %s" % (days.WEEKDAYS[t.weekday()], t.day,
                                            t.strftime("%H:%M"), name))
    return out
E
sed -i 's/^from .tide import EPOCH/from . import days\nfrom .tide import EPOCH/' almlib/moon.py
cat >> tests/test_moon.py <<'E'

    def test_quarter(self):
        lines = moon.quarter(2031, 4)
        self.assertEqual(lines[:3], ["%sub October", "", "- Wed 1, 12:22: Full moon"])
        self.assertIn("- Fri 31, 01:06: Full moon, the second of the month", lines)
E
python3 - <<'E'
from almlib import moon
open("pages/moon-2031-q4.pg", "w").write("""%page moon-2031-q4
%sheet M
%section moon
%head The moon, October to December

The phases of the mean moon, in standard time. October has two full moons,
the second of them on Fri 31 October.

""" + "\n".join(moon.quarter(2031, 4)) + "\n")
E
make test lint
python3 -m almlib.folio
galley pages/moon-2031-q4.pg --ems 28
ALM_READER=OKH proof galleys/moon-2031-q4.gly
forme take M
cd press && handover ../galleys/moon-2031-q4.gly --sheet M --to brn --due 87w21.1
