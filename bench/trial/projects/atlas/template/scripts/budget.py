#!/usr/bin/env python3
"""Replicas in prod per keeper."""
from unitlib import all_units

n = {}
for env, region, name, u in all_units():
    if env == "prod":
        n[u["keeper"]] = n.get(u["keeper"], 0) + int(u["replicas"])
for k, v in sorted(n.items()):
    print("%-12s %3d" % (k, v))
