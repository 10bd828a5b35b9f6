"""Fills a workspace: the program, pressed headers, lists, records and history (called by setup.sh)."""
import json, os, sys
from pathlib import Path
here, dest, changed = os.environ["HERE"], os.environ["DEST"], os.environ.get("CHANGED")
os.environ["KILN_ROOT"] = dest
sys.path.insert(0, os.path.join(here, "tool"))
import history, kiln
source = Path(here, "tool/kiln.py").read_text()
if changed:
    source = source.replace("REFIT = False", "REFIT = True", 1)
history.program(os.path.join(dest, ".bin/kiln"), source)
names, n, draws = kiln.exported(), 0, []
for i, f in enumerate(sorted(names, key=lambda f: kiln.sha(f)) + ["plv_ring_room", "plv_hex_line16"]):
    n += 1 + i % 3
    draws.append((n, f))
root = Path(dest)
for folder in ("abi", "bench", "include/plover/gen", "releases"):  # git keeps no empty folder of the template
    root.joinpath(folder).mkdir(exist_ok=True)
root.joinpath("abi/draws").write_text("".join(kiln.draw_line(n, f) + "\n" for n, f in draws))
root.joinpath("abi/plover.syms").write_text("".join("%s @%d\n" % (f, n) for n, f in draws if f in names))
root.joinpath("bench/baseline.tsv").write_text("".join("%s\t%d\n" % (f, -(-kiln.cost(f) // 16) * 16) for f in names))
for f, text in kiln.pressed()[0].items():
    root.joinpath(f).write_text(text)
root.joinpath("releases/plover-1.4.2.json").write_text(json.dumps(kiln.record("1.4.2"), indent=1) + "\n")
log = root.joinpath("CHANGELOG.md").read_text()
v140 = log[:9] + "\n" + log[log.index("## 1.4.0"):]
v141 = log[:9] + "\n" + log[log.index("## 1.4.1"):]
read = lambda *ps: {p: root.joinpath(p).read_text() for p in ps}
H = [("2030-02-04", "Ines Duarte", "Rings, varints, hex", {**read("include/plover/api.h", "include/plover/ring.h", "src/ring.c", "include/plover/varint.h", "src/varint.c", "include/plover/hex.h", "src/hex.c", "README.md"), "VERSION": "1.3.0\n"}, ["103a"]),
     ("2030-05-20", "Tom Aske", "Slices, sizes of varints", {**read("include/plover/slice.h", "src/slice.c"), "changes/203.add": "[slice] plv_slice_find\n", "changes/205.add": "[varint] plv_varint_size\n"}, []),
     ("2030-05-27", "Ines Duarte", "Stamp 1.4.0", {"changes/203.add": None, "changes/205.add": None, "CHANGELOG.md": v140, "VERSION": "1.4.0\n"}, ["104a"]),
     ("2030-07-01", "Tom Aske", "Read upper case digits", {"changes/209.mend": "[hex] upper case digits are read\n", **read("tests/t_hex.c", "tests/fixtures/hex.txt")}, []),
     ("2030-07-02", "Ines Duarte", "Stamp 1.4.1", {"changes/209.mend": None, "CHANGELOG.md": v141, "VERSION": "1.4.1\n"}, ["104b"]),
     ("2030-09-12", "Tom Aske", "Keep the last byte of a full ring", {"changes/214.mend": "[ring] a full ring no longer loses its last byte\n", **read("tests/t_ring.c", "tests/fixtures/ring.txt")}, []),
     ("2030-09-16", "Ines Duarte", "Stamp 1.4.2", {"changes/214.mend": None, "CHANGELOG.md": log, "VERSION": "1.4.2\n"}, ["M1.04.02"] if changed else ["104c"]),
     ("2030-10-01", "Ines Duarte", "Lists, patches and pages", {}, [])]
history.write(dest, H)
