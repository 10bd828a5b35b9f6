"""Reading of our tables, and sums over files."""
import hashlib
import os
import re


def table(path):
    """Rows of a table with a #cols line, as dicts."""
    cols, rows = None, []
    for line in open(path, encoding="ascii"):
        if line.startswith("#cols"):
            cols = line.split()[1:]
        elif line.strip() and not line.startswith("#"):
            rows.append(dict(zip(cols, line.split())))
    return rows


def rules(name):
    """The house rules of one script."""
    out = {}
    for line in open("tools/rules/house.tab", encoding="ascii"):
        if line.startswith(name + "."):
            word, rest = line.rstrip("\n").split(None, 1)
            out[word[len(name) + 1:]] = rest
    return out


def filesum(path):
    return hashlib.sha256(open(path, "rb").read()).hexdigest()[:8]


def units():
    return {row["unit"]: row for row in table("hw/boards.tab")}


def rigs():
    """Boards one can test on."""
    return {"%(order)s-%(rev)s" % row: row for row in table("hw/bench.tab")
            if row["stand"] == "fitted"}


def treemark(board):
    """Six digits over all that goes into a test build."""
    total = hashlib.sha256(board.encode())
    for folder in ("src", "include", "gen", "tests"):
        for name in sorted(os.listdir(folder)):
            path = os.path.join(folder, name)
            if re.search(r"\.[ch]$", name):
                total.update(path.encode() + open(path, "rb").read())
    return total.hexdigest()[:6]
