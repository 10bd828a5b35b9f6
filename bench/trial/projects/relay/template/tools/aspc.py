"""Aspect compiler.

usage: aspc.py FAMILY

Writes the header of a family of aspects, with the table for the image.
"""
import hashlib
import re
import sys


class Sheet:
    def __init__(self, family, name, span):
        self.family, self.name = family, name
        self.low, self.high = (int(x) for x in span.split("-"))


def sheets(root="root.fam"):
    try:
        for line in open(root, encoding="ascii"):
            if line.strip():
                yield Sheet(*line.split())
    except OSError:
        return


def bad(what):
    sys.exit("aspc: " + what)


def lamps_of(text, order, base, where):
    steady = flash = rate = 0
    for word in text.split("+"):
        m = re.fullmatch(r"([A-Z])(?:~([123]))?", word)
        if not m or m[1] not in order:
            bad("%s: lamp '%s'" % (where, word))
        tooth = 1 << (base + order.index(m[1]))
        if m[2]:
            if rate not in (0, int(m[2])):
                bad("%s: two rates" % where)
            rate = int(m[2])
            flash |= tooth
        else:
            steady |= tooth
    return steady, flash, rate


def read(sheet):
    base, order, rows = 0, [], []
    for no, line in enumerate(open(sheet.name, encoding="ascii"), 1):
        part = line.split()
        where = "%s:%d" % (sheet.name, no)
        if not part or part[0].startswith("#"):
            continue
        if part[0] == "family":
            if part[1] != sheet.family:
                bad("%s: family is %s" % (where, part[1]))
        elif part[0] == "base":
            base = int(part[1])
        elif part[0] == "lamps":
            order = part[1:]
        else:
            if len(part) != 4 or not part[0].isdigit() or not part[2].isdigit():
                bad("%s: cannot read this aspect" % where)
            code, name, rank = int(part[0]), part[1], int(part[2])
            if not sheet.low <= code <= sheet.high:
                bad("%s: code %d is not in %d-%d" % (where, code, sheet.low, sheet.high))
            if rows and code <= rows[-1][0]:
                bad("%s: codes out of order" % where)
            if rank > 15 or not re.fullmatch(r"[a-z_]+", name):
                bad("%s: rank or name" % where)
            rows.append((code, name, rank) + lamps_of(part[3], order, base, where))
    return rows


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__.strip())
    family = sys.argv[1]
    known = {s.family: s for s in sheets()}
    if family not in known:
        bad("%s: family has no root" % family)
    sheet = known[family]
    rows = read(sheet)
    total = hashlib.sha256(open(sheet.name, "rb").read()).hexdigest()[:8]
    up = family.upper()
    out = ["/* of %s %s, by aspc.py */" % (sheet.name, total),
           "#ifndef ASP_%s_H" % up, "#define ASP_%s_H" % up, ""]
    out += ["#define ASP_%s_%-12s %d" % (up, r[1].upper(), r[0]) for r in rows]
    out += ["", "/* code, steady, flash, rate, rank */", "#define ASP_%s_ROWS \\" % up]
    out.append(" \\\n".join("    ASP_ROW(%d, 0x%02X, 0x%02X, %d, %d)" % (
        c, s, f, rate, rank) for c, _, rank, s, f, rate in rows))
    out += ["", "#endif", "", "/* table A"]
    out += [bytes([c, s, f, rate | rank << 4]).hex() for c, _, rank, s, f, rate in rows]
    out += ["*/", ""]
    with open("../gen/asp_%s.h" % family, "w", encoding="ascii") as f:
        f.write("\n".join(out))
    print("aspc: %s: %d aspects" % (family, len(rows)))


main()
