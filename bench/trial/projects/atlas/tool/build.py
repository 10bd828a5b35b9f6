"""Builds the programs, generated files and state (called by setup.sh)."""
import importlib._bootstrap_external as be
import importlib.util
import io
import os
import sys
import zipfile

here, dest = os.environ["HERE"], os.environ["DEST"]
src = open(os.path.join(here, "tool", "lath.py")).read()
code = compile(src, "lath", "exec", dont_inherit=True)
pyc = be._code_to_hash_pyc(code, importlib.util.source_hash(src.encode()), False)
buf = io.BytesIO()
with zipfile.ZipFile(buf, "w", zipfile.ZIP_DEFLATED) as z:
    z.writestr(zipfile.ZipInfo("__main__.pyc", (2031, 1, 1, 0, 0, 0)), pyc, zipfile.ZIP_DEFLATED)
os.makedirs(os.path.join(dest, ".bin"))
for n in ("lath", "plumb", "reeve", "cellmap"):
    p = os.path.join(dest, ".bin", n)
    with open(p, "wb") as f:
        f.write(b"#!/usr/bin/env python3\n" + buf.getvalue())
    os.chmod(p, 0o755)
sys.path.insert(0, os.path.join(here, "tool"))
import gen
for path, text in gen.files().items():
    p = os.path.join(dest, path)
    os.makedirs(os.path.dirname(p), exist_ok=True)
    with open(p, "w") as f:
        f.write(text)
os.environ["LATH_ROOT"] = dest
ns = {"__name__": "lath"}
exec(code, ns)
os.makedirs(os.path.join(dest, "maps"))
for env in gen.ENVS:
    for region in gen.REGIONS:
        with open(os.path.join(dest, ns["map_path"](region, env)), "w") as f:
            f.write(ns["map_text"](region, env))
applied = {"%s@%s.%s" % (n, r, e): ns["parse_unit"](t) for (e, r, n), t in gen.units().items()}
ns["save"]({"applied": applied, "plans": {}, "stages": {}, "bolts": [], "slips": {}, "tried": {}, "settled": {}, "log": [],
            "next": {"pl": 310, "st": 187}})

import history
H = [("2030-09-02T08:00", "ines", "Pages and policies", ["README.md", ".gitignore", "docs/house", "docs/regions", "policies"]),
     ("2030-09-09T08:00", "ines", "Modules, environments and cells", ["modules", "envs", "cells"]),
     ("2030-10-07T08:30", "tom", "The bench", ["units/bench", "maps/bench-*"]),
     ("2030-11-04T08:30", "tom", "Trial", ["units/trial", "maps/trial-*"]),
     ("2030-11-18T09:10", "rasha", "Prod, from the old hall books", ["units/prod", "maps/prod-*"]),
     ("2031-01-20T09:40", "rasha", "Runbooks and incidents", ["docs"]),
     ("2031-02-03T10:15", "tom", "Helpers and tests", ["scripts", "tests"])]
history.write(dest, [(d, w, s, None, p, {}) for d, w, s, p in H], lambda s, x, n: "[r%d] %s\n" % (n, s), lambda w: w + "@atlas.example")
