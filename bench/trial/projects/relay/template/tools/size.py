"""Compares the tables of a unit with the budget.

usage: size.py UNIT
       size.py --tables UNIT    names the tables
"""
import re
import sys

import tabs


def tables(row):
    yield "regs", "gen/regs_%s.h" % row["unit"]
    for family in row["families"].split(","):
        yield "aspects", "gen/asp_%s.h" % family


def main():
    unit = sys.argv[-1]
    row = tabs.units().get(unit)
    if row is None:
        sys.exit("size: no unit '%s'" % unit)
    if sys.argv[1] == "--tables":
        print(" ".join(path for _, path in tables(row)))
        return
    rules = tabs.rules("size")
    used = {rules["spare"]: 0}
    for kind, path in tables(row):
        text = open(path, encoding="ascii").read()
        rows = re.search(r"/\* table \w\n(.*?)\*/", text, re.S)[1].split()
        used[kind] = used.get(kind, 0) + sum(len(row) // 2 for row in rows)
    given = {r["kind"]: int(r["bytes"]) for r in tabs.table("release/budget.tab")
             if r["unit"] == unit}
    for kind in used:
        if used[kind] > given[kind]:
            sys.exit("size: %s: %s takes %d of %d" % (unit, kind, used[kind], given[kind]))
        if given[kind] % int(rules["grid"]):
            sys.exit("size: %s: %s %d is off the grid" % (unit, kind, given[kind]))
    if sum(given.values()) != int(row["tables"]):
        sys.exit("size: %s: budget does not close, %d" % (unit, sum(given.values())))
    print("size: %s: %s" % (unit, ", ".join(
        "%s %d/%d" % (k, used[k], given[k]) for k in used)))


main()
