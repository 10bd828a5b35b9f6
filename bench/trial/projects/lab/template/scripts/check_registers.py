"""Registers and inbox tables can be read, and no label is used twice."""
import csv
import glob
import sys

bad = 0
for name in sorted(glob.glob("registers/*.csv") + glob.glob("inbox/*.csv")):
    with open(name, newline="") as f:
        rows = list(csv.reader(f))
    if any(len(r) != len(rows[0]) for r in rows):
        print("%s: ragged" % name)
        bad = 1
    first = [r[0] for r in rows[1:]]
    if len(set(first)) != len(first):
        print("%s: %s twice" % (name, rows[0][0]))
        bad = 1
print("registers %s" % ("bad" if bad else "good"))
sys.exit(bad)
