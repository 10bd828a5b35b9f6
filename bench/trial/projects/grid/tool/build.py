"""Builds .bin/trellis, the files, their pins and the state (called by setup.sh)."""
import importlib._bootstrap_external as be
import importlib.util
import io
import os
import sys
import zipfile

here, dest = os.environ["HERE"], os.environ["DEST"]
src = open(os.path.join(here, "tool", "trellis.py")).read()
code = compile(src, "trellis", "exec", dont_inherit=True)
buf = io.BytesIO()
with zipfile.ZipFile(buf, "w", zipfile.ZIP_DEFLATED) as z:
    z.writestr(zipfile.ZipInfo("__main__.pyc", (2031, 1, 1, 0, 0, 0)), be._code_to_hash_pyc(code, importlib.util.source_hash(src.encode()), False), zipfile.ZIP_DEFLATED)
os.makedirs(os.path.join(dest, ".bin"))
tool = os.path.join(dest, ".bin", "trellis")
with open(tool, "wb") as f:
    f.write(b"#!/usr/bin/env python3\n" + buf.getvalue())
os.chmod(tool, 0o755)
os.environ["TRELLIS_ROOT"] = dest
sys.path.insert(0, os.path.join(here, "tool"))
import gen
units, count = gen.write(dest)
ns = {"__name__": "trellis"}
exec(code, ns)
for s in gen.SERVICES:
    ns["pin"](["services/" + s])
ns["save"]({"open": None, "cells": {"%s/%s" % (e, c): gen.used(units, e, c) + gen.spare(e, c) for e in gen.ENVS for c in ("c1", "c2", "c3", "c4")}, "units": {"%s:%s/%s" % (e, u["cell"], s): {"serial": gen.serial(e, s), "config": ns["flat"](u)} for (e, s), u in units.items()}})
