"""Builds .bin/labctl, the store and the first records (called by setup.sh)."""
import importlib._bootstrap_external as be
import importlib.util
import io
import os
import sys
import zipfile

here, dest = os.environ["HERE"], os.environ["DEST"]
src = open(os.path.join(here, "tool", "labctl.py")).read()
if os.environ["CHANGED"]:
    src = src.replace("NEXT = False", "NEXT = True", 1)
code = compile(src, "labctl", "exec", dont_inherit=True)
buf = io.BytesIO()
with zipfile.ZipFile(buf, "w", zipfile.ZIP_DEFLATED) as z:
    z.writestr(zipfile.ZipInfo("__main__.pyc", (2029, 1, 1, 0, 0, 0)), be._code_to_hash_pyc(code, importlib.util.source_hash(src.encode()), False), zipfile.ZIP_DEFLATED)
os.makedirs(os.path.join(dest, ".bin"))
tool = os.path.join(dest, ".bin", "labctl")
with open(tool, "wb") as f:
    f.write(b"#!/usr/bin/env python3\n" + buf.getvalue())
os.chmod(tool, 0o755)
os.environ["LAB_HOME"] = dest
ns = {"__name__": "labctl"}
exec(code, ns)
sys.path.insert(0, os.path.join(here, "tool"))
import seed
b = seed.data()
ns["save"](b)
os.makedirs(os.path.join(dest, "results", "2029"))
for s in b["sheets"]:
    with open(os.path.join(dest, "results", "2029", s + ".rec"), "w") as f:
        f.write(ns["canonical"](ns["export"](b, s)))
