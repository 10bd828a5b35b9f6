"""Register headers, with the tables for the image, from the maps."""
import sys

import maps
import tabs

entries = maps.ledger()
for unit in maps.ORDER:
    edition, _ = maps.read(unit, "gen_regs")
    if entries.get((unit, edition)) != tabs.filesum(maps.path(unit)):
        sys.exit("gen_regs: %s.map: edition %d, sum %s: not known to the factory"
                 % (unit, edition, tabs.filesum(maps.path(unit))))

common = maps.read("common", "gen_regs")[1]
for unit in maps.ORDER[1:]:
    regs = common + maps.read(unit, "gen_regs")[1]
    guard = "REGS_%s_H" % unit.upper()
    out = [maps.headline(unit), "#ifndef " + guard, "#define " + guard, ""]
    for reg in regs:
        out.append("#define REG_%-10s 0x%02X" % (reg.name, reg.addr))
        out.append("#define RST_%-10s %d" % (reg.name, reg.reset))
    out += ["", "/* addr, wide, rw, reset, floor, top */", "#define REG_ROWS \\"]
    rows = ["    REG_ROW(0x%02X, %d, %d, %d, %d, %d)" % (
        r.addr, r.wide, r.rw, r.reset, r.floor, r.top) for r in regs]
    out += [" \\\n".join(rows), "", "#endif", "", "/* table R"]
    for r in regs:
        raw = bytes([r.addr, r.wide + 2 * r.rw])
        for worth in (r.reset, r.floor, r.top):
            raw += worth.to_bytes(2, "little")
        out.append(raw.hex())
    out += ["*/", ""]
    with open("gen/regs_%s.h" % unit, "w", encoding="ascii") as f:
        f.write("\n".join(out))
print("gen_regs: headers written")
