"""Packs reel and gate into DEST/.bin and writes the cards (called by setup.sh)."""
import os, sys, zipfile, io
from pathlib import Path
here, dest = Path(os.environ["HERE"]) / "tool", Path(os.environ["DEST"])
(dest / ".bin").mkdir()
for name in ("reel", "gate"):
    buf = io.BytesIO()
    with zipfile.ZipFile(buf, "w", zipfile.ZIP_DEFLATED) as z:
        for inside, source in (("__main__.py", name + ".py"), ("core.py", "core.py")):
            z.writestr(zipfile.ZipInfo(inside, (2026, 11, 1, 0, 0, 0)), (here / source).read_bytes(), zipfile.ZIP_DEFLATED)
    (dest / ".bin" / name).write_bytes(b"#!/usr/bin/env python3\n" + buf.getvalue())
    (dest / ".bin" / name).chmod(0o755)
sys.path.insert(0, str(here))
import core, seed
core.ROOT = dest
seed.write()
