"""Looks at the change fragments that have not shipped."""
import os
import re
import sys

import tabs

rules = tabs.rules("changes")
shipped = {row["ticket"] for row in tabs.table("release/shipped.tab")}
trains = {row["train"]: row for row in tabs.table("release/trains.tab")}
units = tabs.units()
seen = 0
for name in sorted(os.listdir("changes")):
    m = re.fullmatch(r"(\d{4})\.([a-z]+)", name)
    if not m or m[2] not in rules["kinds"].split():
        sys.exit("changes: %s: name" % name)
    if m[1] in shipped:
        continue
    head = open("changes/" + name, encoding="utf-8").readline().rstrip("\n")
    part = head.split(" | ")
    if len(part) != 3 or len(part[2]) < 10:
        sys.exit("changes: %s: cannot read '%s'" % (name, head))
    train, unit, _ = part
    if unit not in units:
        sys.exit("changes: %s: unit '%s'" % (name, unit))
    row = trains.get(train)
    if row is None or row["stand"] != rules["takes"] or unit not in row["units"].split(","):
        sys.exit("changes: %s: train '%s' does not take %s along" % (name, train, unit))
    seen += 1
print("changes: %d to come" % seen)
