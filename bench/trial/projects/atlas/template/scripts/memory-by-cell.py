#!/usr/bin/env python3
"""Memory (replicas times memory) that the units of each cell ask for."""
from unitlib import all_units

cells = {}
for env, region, name, u in all_units():
    cells[env, region] = cells.get((env, region), 0) + int(u["replicas"]) * int(u["memory"])
for (env, region), mb in sorted(cells.items()):
    print("%-6s %-4s %7d MB" % (env, region, mb))
