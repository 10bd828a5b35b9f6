#!/bin/bash
. "$(dirname "$0")/lib.sh"
edit services/yard/yard/core.py 'from quay.conf import load
' 'import re

from quay.conf import load

VALUES = {c: v for c, v in zip("ABCDEFGHIJKLMNOPQRSTUVWXYZ", (n for n in range(10, 39) if n % 11))}


def valid_container(number):
    if not re.fullmatch(r"[A-Z]{3}[UJZ][0-9]{7}", number):
        return False
    total = sum((VALUES[c] if c in VALUES else int(c)) << i for i, c in enumerate(number[:10]))
    return total % 11 % 10 == int(number[10])
' 'if len(container) != 11' 'if not valid_container(container)'
edit services/yard/tests/test_core.py ABCU1234567 MSKU2475145 'import Yard' 'import Yard, valid_container'
cat >> services/yard/tests/test_core.py <<'T'


class Numbers(unittest.TestCase):
    def test_digit(self):
        self.assertTrue(valid_container("TTNU3100070"))
        self.assertFalse(valid_container("CSQU3054384"))
T
PYTHONPATH=libs/py:services/yard python3 - <<'PY'
import csv
from yard.core import valid_container
with open("data/yard/rejected_w48.csv", "w") as f:
    print("container,booking", file=f)
    for r in csv.DictReader(open("data/yard/inbound_w48.csv")):
        if not valid_container(r["container"]):
            print(r["container"], r["booking"], sep=",", file=f)
PY
frag yard rig skua HB-1438 "The yard checks container numbers."
ready yard bond
ship HB-1438 25W48-4 "check digit of containers"
