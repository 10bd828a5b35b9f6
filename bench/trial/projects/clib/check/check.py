"""check.py TASK WORKSPACE: is the result of the task right?"""
import json, os, re, subprocess, sys, tempfile
from pathlib import Path
task, ws = int(sys.argv[1]), Path(sys.argv[2]).resolve()
os.environ["KILN_ROOT"] = str(ws)
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tool"))
import kiln


def need(ok, what):
    if not ok:
        print("task %d: %s" % (task, what))
        sys.exit(1)


def git(*a):
    return subprocess.run(["git", "-C", str(ws), *a], capture_output=True, text=True).stdout


# functions, test file, (ticket, kind, module, text), version, probe
T = {
 1: (["plv_ring_peek"], "tests/t_ring.c", (231, "add", "ring", "peek at a byte without taking it"), None, r'''
#include "plover/ring.h"
int main(void) { uint8_t s[4], b = 7; plv_ring r; plv_ring_init(&r, s, 4); if (plv_ring_peek(&r, 0, &b) != -6 || b != 7) return 1;
 for (int i = 0; i < 4; i++) plv_ring_put(&r, 10 + i); plv_ring_get(&r, &b); plv_ring_get(&r, &b); plv_ring_put(&r, 20);
 if (plv_ring_peek(&r, 2, &b) || b != 20 || plv_ring_peek(&r, 0, &b) || b != 12) return 2; b = 9;
 return plv_ring_peek(&r, 3, &b) != PLV_E_RANGE || b != 9; }'''),
 2: (["plv_varint_read"], "tests/t_varint.c", (233, "mend", "varint", "numbers over 32 bits are refused"), "1.4.3", r'''
#include "plover/varint.h"
int main(void) { uint32_t v = 5; uint8_t a[6] = {255, 255, 255, 255, 127, 0}; if (PLV_E_WIDE != -6 || plv_varint_read(a, 5, &v) != -6 || v != 5) return 1;
 a[4] = 255; if (plv_varint_read(a, 6, &v) != -6) return 2; a[4] = 16; if (plv_varint_read(a, 5, &v) != -6) return 3;
 if (plv_varint_read(a, 4, &v) != PLV_E_SHORT) return 4; a[4] = 15; return plv_varint_read(a, 5, &v) != 5 || v != 0xffffffffu; }'''),
 3: (["plv_hex_line"], "tests/t_hex.c", (240, "drop", "hex", "plv_hex_dump gives way to plv_hex_line"), "2.0.0", r'''
#include "plover/hex.h"
#include <string.h>
int main(void) { uint8_t a[3] = {0, 171, 16}; char o[9] = "zzzzzzzz"; if (plv_hex_line(a, 3, o, 8) != PLV_E_FULL || o[0] != 'z') return 1;
 if (plv_hex_line(a, 3, o, 9) != 8 || strcmp(o, "00 ab 10")) return 2; if (plv_hex_line(a, 0, o, 1) || o[0]) return 3; return plv_hex_line(a, 0, o, 0) != PLV_E_FULL; }'''),
 4: (["plv_delta_encode", "plv_delta_decode"], "tests/t_delta.c", (236, "add", "delta", "new module for byte differences"), None, r'''
#include "plover/delta.h"
#include <string.h>
int main(void) { uint8_t a[4] = {5, 3, 255, 0}, b[4], c[4]; plv_delta_encode(a, 4, b); uint8_t w[4] = {5, 254, 252, 1};
 if (memcmp(b, w, 4)) return 1; plv_delta_decode(b, 4, c); return memcmp(a, c, 4) != 0; }'''),
 5: (["plv_crc16_more"], "tests/t_crc.c", (235, "add", "crc", "checksums in pieces"), "1.5.0", r'''
#include "plover/crc.h"
int main(void) { const uint8_t *t = (const uint8_t *)"123456789"; if (plv_crc16(t, 9) != 0x29b1) return 1;
 return plv_crc16_more(plv_crc16_more(0xffff, t, 5), t + 5, 4) != 0x29b1 || plv_crc16_more(77, t, 0) != 77; }'''),
 6: (["plv_slice_trim"], "tests/t_slice.c", (238, "add", "slice", "trim blanks from both ends"), "1.5.0", r'''
#include "plover/slice.h"
#include <string.h>
int main(void) { plv_slice s = plv_slice_trim(plv_slice_of(" \t a b\t ")); if (s.len != 3 || memcmp(s.at, "a b", 3)) return 1;
 return plv_slice_trim(plv_slice_of("\t \t")).len != 0 || plv_slice_trim(plv_slice_of("")).len != 0; }'''),
}
functions, tests, (ticket, kind, module, text), version, probe = T[task]
need(git("symbolic-ref", "--short", "HEAD").strip() == "main", "not on main")
need(not git("status", "--porcelain").strip(), "the work tree is not clean")
base = git("log", "--format=%H", "--grep=^Lists, patches and pages$").strip()
need(base and git("rev-parse", "HEAD").strip() != base, "nothing is committed")
for f in functions:
    need(f in kiln.exported(), f + " is not exported")
    need(f in kiln.read(tests) if (ws / tests).exists() else False, "%s is not tested" % f)
need(tests in git("diff", "--name-only", base, "HEAD").split(), "the test did not change")
try:
    kiln.gate()
    left = kiln.fragments()
except kiln.Stop as e:
    need(False, "; ".join(e.problems))
line = "[%s] %s" % (module, text)
if version:
    need(kiln.read("VERSION").strip() == version, "VERSION is not " + version)
    section = kiln.read("CHANGELOG.md").split("## ")[1]
    need(section.startswith(version + "\n") and "- %s: %s (%d)" % (kiln.KINDS[kind], line, ticket) in section, "the changelog lacks the line")
    need(not left, "fragments are left")
    rec = ws / "releases" / ("plover-%s.json" % version)
    need(rec.exists() and json.loads(rec.read_text()) == kiln.record(version), "no right release record")
else:
    need(kiln.read("VERSION").strip() == "1.4.2" and left == [(ticket, kind, line)], "fragment or version is wrong")
need(not re.search("plv_hex_dump", kiln.read("src/hex.c") + kiln.read("include/plover/hex.h")) or task != 3, "plv_hex_dump is still there")
need(task != 4 or ((ws / "tests/fixtures/delta.txt").exists() and "delta" in kiln.read("docs/modules.md")), "fixture or page is missing")
need(task != 6 or (not git("ls-files", "patches").strip() and (ws / "tests/fixtures/trim.txt").exists() and kiln.read("tests/fixtures/trim.txt").rstrip("\n") == "  key "), "fixture or patch file")
need(task != 5 or kiln.cost("plv_crc16") <= 20, "plv_crc16 is more than one call")
tags = git("tag").split()
need(len(tags) == 4, "tags were set")
with tempfile.TemporaryDirectory() as tmp:
    lib = [str(ws / n) for n in kiln.files("src/*.c")]
    Path(tmp, "img").write_text(kiln.image_text(16))
    Path(tmp, "probe.c").write_text(probe)
    for n in [Path(tmp, "probe.c"), *map(ws.joinpath, kiln.files("tests/t_*.c"))]:
        p = subprocess.run(["cc", "-std=c11", "-I", str(ws / "include"), str(n), *lib, "-o", tmp + "/x"], capture_output=True)
        need(p.returncode == 0, "%s does not compile" % n.name)
        need(subprocess.run([tmp + "/x", tmp + "/img"], capture_output=True).returncode == 0, "%s fails" % n.name)
print("task %d: right" % task)
