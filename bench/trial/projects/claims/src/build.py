"""build.py EDITION OUT: the program as one file (compiled, without sources)."""
import io
import json
import os
import py_compile
import sys
import tempfile
import zipfile
import zlib
from pathlib import Path

sys.dont_write_bytecode = True
here = Path(__file__).parent
sys.path.insert(0, str(here))
import reasons

ed, out = sys.argv[1], Path(sys.argv[2])
buf = io.BytesIO()
with zipfile.ZipFile(buf, "w") as z, tempfile.TemporaryDirectory() as t:
    def put(name, data):
        i = zipfile.ZipInfo(name, (2027, 1, 4, 8, 0, 0))
        i.compress_type = zipfile.ZIP_DEFLATED
        z.writestr(i, data)

    def module(src, name):
        p = py_compile.compile(str(src), os.path.join(t, "x.pyc"), dfile=name, doraise=True, optimize=2, invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)
        put(name + ".pyc", Path(p).read_bytes())

    for f in sorted((here / "plinthlib").glob("*.py")):
        module(f, f"plinthlib/{f.stem}")
    module(here / f"edition-{ed}.py", "plinthlib/edition")
    put("plinthlib/reasons.bin", zlib.compress(json.dumps(getattr(reasons, ed.upper())).encode(), 9))
    m = Path(t) / "m.py"
    m.write_text("import sys\nfrom plinthlib.cli import main\nsys.exit(main())\n")
    module(m, "__main__")
out.write_bytes(b"#!/usr/bin/env python3\n" + buf.getvalue())
out.chmod(0o755)
