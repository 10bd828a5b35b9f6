"""Builds .bin/hawser, the store and the first reports (called by setup.sh)."""
import importlib._bootstrap_external as be
import importlib.util
import io
import json
import os
import sys
import zipfile

here, dest, changed = os.environ["HERE"], os.environ["DEST"], bool(os.environ["CHANGED"])
src = open(os.path.join(here, "tool", "hawser.py")).read()
if changed:
    src = src.replace("REFORMED = False", "REFORMED = True", 1)
code = compile(src, "hawser", "exec", dont_inherit=True)
pyc = be._code_to_hash_pyc(code, importlib.util.source_hash(src.encode()), False)
buf = io.BytesIO()
with zipfile.ZipFile(buf, "w", zipfile.ZIP_DEFLATED) as z:
    z.writestr(zipfile.ZipInfo("__main__.pyc", (2031, 1, 1, 0, 0, 0)), pyc, zipfile.ZIP_DEFLATED)
for d in (".bin", "reports", "data/tariffs"):
    os.makedirs(os.path.join(dest, d), exist_ok=True)
with open(os.path.join(dest, ".bin", "hawser"), "wb") as f:
    f.write(b"#!/usr/bin/env python3\n" + buf.getvalue())
os.chmod(os.path.join(dest, ".bin", "hawser"), 0o755)

os.environ["HAWSER_HOME"] = dest
ns = {"__name__": "hawser"}
exec(code, ns)
sys.path.insert(0, os.path.join(here, "tool"))
import seed
b = seed.books()
for k in ("D-1012", "D-1019", "D-1030", "D-1041"):
    b["dockets"][k] = {"about": "earlier work", "desk": "books-0", "state": "closed"}
ns["save"](b)
for lane in b["lanes"]:
    doc = {"lane": lane, "currency": b["lanes"][lane]["currency"], "ratio": b["lanes"][lane]["ratio"],
           "bands": {band: [{"from": r["from"], "minor": r["rate"]["minor"]} for r in rows]
                     for band, rows in b["tariffs"][lane].items()}}
    with open(os.path.join(dest, "data", "tariffs", lane + ".json"), "w") as f:
        json.dump(doc, f, indent=1)
        f.write("\n")
for name, keys in (("tariff", sorted(b["lanes"])), ("charges", ["BLT", "IBR"])):
    for key in keys:
        ns["TOOLS"]["report.render"][0](b, {"name": name, "key": key})
ns["TOOLS"]["index.build"][0](b, {"of": "reports"})

import history
H = [("2030-11-04T09:12", "P Teague", "Pages of the house", "D-1012", ["README.md", ".gitignore", "docs"]),
     ("2030-12-02T10:40", "P Teague", "Library for rating", "D-1019", ["forwarding", "tests"]),
     ("2031-01-06T08:05", "A Brodersen", "Rates of 2031", "D-1030", ["data/tariffs", "data/parties.csv", "reports/tariff-*.md"]),
     ("2031-03-04T07:30", "R Marlow", "Letters, invoices and charges up to today", "D-1041", ["data", "reports"])]
over = {}
if changed:
    H.append(("2031-03-04T07:50", "P Teague", "Pages after the reorganisation", "D-1041", ["docs"]))
    for n in ("docs/desk/counting-room.md", "docs/desk/loading.md"):
        over[n] = os.path.join(here, "template", n)
history.write(dest, [(d, w, s, k, p, over if i == 0 else {}) for i, (d, w, s, k, p) in enumerate(H)],
              lambda s, k, n: "%s\n\nDocket: %s\n" % (s, k), lambda w: w.replace(" ", ".") + "@marlow-teague.example")
