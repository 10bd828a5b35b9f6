#!/usr/bin/env python3
"""links-to.py NAME: which units link to it."""
import sys

from unitlib import all_units

for env, region, name, u in all_units():
    if sys.argv[1] in u["links"]:
        print("%-6s %-4s %-16s :%d" % (env, region, name, u["links"][sys.argv[1]]))
