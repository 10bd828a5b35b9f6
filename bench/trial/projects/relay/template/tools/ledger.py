"""Keeps regs/LEDGER, where the factory looks up which map is which."""
import sys

import maps
import tabs

unit = sys.argv[1] if len(sys.argv) > 1 else ""
if unit not in maps.ORDER:
    sys.exit("ledger: no map '%s'" % unit)
edition, _ = maps.read(unit, "ledger")
entries = maps.ledger()
mapsum = tabs.filesum(maps.path(unit))
if entries.get((unit, edition)) == mapsum:
    print("ledger: %s %d is in" % (unit, edition))
    sys.exit(0)
top = max(e for u, e in entries if u == unit)
if edition <= top:
    sys.exit("ledger: %s %d is in with another sum" % (unit, edition))
if edition != top + 1:
    sys.exit("ledger: %s %d follows %d?" % (unit, edition, top))
with open("regs/LEDGER", "a", encoding="ascii") as book:
    book.write("%s %d %s\n" % (unit, edition, mapsum))
print("ledger: %s %d entered" % (unit, edition))
