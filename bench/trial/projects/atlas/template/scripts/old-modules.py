#!/usr/bin/env python3
"""Units that are not on the newest version of their module."""
import glob
import os

from unitlib import ROOT, all_units

newest = {}
for p in glob.glob(os.path.join(ROOT, "modules", "*", "v*.mod")):
    m = p.split(os.sep)[-2]
    newest[m] = max(newest.get(m, 0), int(os.path.basename(p)[1:-4]))
for env, region, name, u in all_units():
    m, v = u["module"].split("@")
    if int(v) < newest[m]:
        print("%-6s %-4s %-16s %s (newest %d)" % (env, region, name, u["module"], newest[m]))
