"""Builds and runs the unit tests for a board.

usage: rig.py --board BOARD
"""
import argparse
import glob
import os
import subprocess
import sys

import maps
import tabs


def head(path):
    with open(path, encoding="ascii") as f:
        return f.readline().rstrip("\n")


def fresh(row):
    """Headers must be of the maps and families as they are."""
    unit = row["unit"]
    if head("gen/regs_%s.h" % unit) != maps.headline(unit):
        sys.exit("rig: gen/regs_%s.h is not of these maps" % unit)
    for family in row["families"].split(","):
        want = "/* of %s.asp %s, by aspc.py */" % (
            family, tabs.filesum("aspects/%s.asp" % family))
        if head("gen/asp_%s.h" % family) != want:
            sys.exit("rig: gen/asp_%s.h is not of this family" % family)


def main():
    ap = argparse.ArgumentParser(prog="rig.py")
    ap.add_argument("--board", required=True, help="the board to test")
    board = ap.parse_args().board
    rig = tabs.rigs().get(board)
    if rig is None:
        sys.exit("rig: nobody answers to '%s'" % board)
    row = [r for r in tabs.units().values() if r["order"] == rig["order"]][0]
    fresh(row)
    os.makedirs("build/rig", exist_ok=True)
    prog = "build/rig/" + board
    sources = sorted(p for p in glob.glob("src/*.c") if p != "src/main.c")
    cmd = ["gcc", "-std=gnu11", "-Wall", "-Wextra", "-Werror=implicit-function-declaration",
           "-DUNIT_" + row["unit"].upper(), "-Iinclude", "-Igen", "-Itests", "-o", prog]
    if subprocess.run(cmd + sources + sorted(glob.glob("tests/*.c"))).returncode:
        sys.exit("rig: %s: build failed" % board)
    done = subprocess.run([prog])
    if done.returncode:
        sys.exit("rig: %s: tests failed" % board)
    mark = tabs.treemark(board)
    with open(prog + ".mark", "w", encoding="ascii") as f:
        f.write(mark + "\n")
    print("rig: %s at bench %s: mark %s" % (board, rig["bench"], mark))


main()
