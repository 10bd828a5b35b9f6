"""Register maps."""
import re
import sys

import tabs

ORDER = ("common", "finch", "heron", "wren")
SPACE = {"common": (0x00, 0x1F)}


class Reg:
    def __init__(self, addr, name, kind, access, reset, floor, top):
        self.addr = int(addr, 16)
        self.name, self.wide, self.rw = name, kind == "u16", access == "rw"
        self.reset, self.floor, self.top = int(reset), int(floor), int(top)


def path(unit):
    return "regs/%s.map" % unit


def read(unit, who):
    """Edition and registers of a map."""
    def bad(line, what):
        sys.exit("%s: %s.map:%d: %s" % (who, unit, line, what))
    edition, regs = None, []
    low, high = SPACE.get(unit, (0x20, 0x3F))
    for no, line in enumerate(open(path(unit), encoding="ascii"), 1):
        part = line.split(None, 7)
        if not part or part[0].startswith("#"):
            continue
        if part[0] == "unit":
            if part[1] != unit:
                bad(no, "unit is " + part[1])
        elif part[0] == "edition":
            edition = int(part[1])
        else:
            if len(part) < 7 or part[2] not in ("u8", "u16") or part[3] not in ("rw", "ro"):
                bad(no, "cannot read this register")
            if not re.fullmatch(r"[A-Z][A-Z0-9_]*", part[1]):
                bad(no, "name")
            reg = Reg(*part[:7])
            if reg.addr != (regs[-1].addr + 1 if regs else low) or reg.addr > high:
                bad(no, "address out of order")
            if not reg.floor <= reg.reset <= reg.top <= (65535 if reg.wide else 255):
                bad(no, "reset, floor and top do not fit")
            regs.append(reg)
    return edition, regs


def ledger():
    """(unit, edition) -> sum of the map"""
    out = {}
    for line in open("regs/LEDGER", encoding="ascii"):
        unit, edition, mapsum = line.split()
        out[unit, int(edition)] = mapsum
    return out


def headline(unit):
    """First line of the generated header of a unit."""
    return "/* of common.map %s and %s.map %s, by gen_regs.py */" % (
        tabs.filesum(path("common")), unit, tabs.filesum(path(unit)))
