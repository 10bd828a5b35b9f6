"""Commit messages: subject, and that a rig has seen what is committed."""
import re
import sys

import tabs

rules = tabs.rules("msg")
lines = [x.rstrip("\n") for x in open(sys.argv[1], encoding="utf-8")
         if not x.startswith("#")]
subject = re.match(rules["subject"], lines[0] if lines else "")
if not subject:
    sys.exit("msgcheck: subject")
found = [m for m in (re.match(rules["mark"], x) for x in lines[1:]) if m]
if not found:
    sys.exit("msgcheck: no rig stands up for this commit")
mark = found[-1]
board = mark["board"]
rig = tabs.rigs().get(board)
unit = subject["unit"]
if rig is None or (unit != "all" and tabs.units()[unit]["order"] != rig["order"]):
    sys.exit("msgcheck: %s does not stand up for %s" % (board, unit))
try:
    left = open("build/rig/%s.mark" % board, encoding="ascii").read().strip()
except OSError:
    left = ""
if not mark["mark"] == left == tabs.treemark(board):
    sys.exit("msgcheck: %s has not seen this tree" % board)
