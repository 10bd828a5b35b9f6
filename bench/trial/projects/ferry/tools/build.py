"""build.py BINDIR FORM: builds the zipapps chart, fathom and slipway."""
import io, marshal, os, pathlib, random, sys, zipfile, zlib, importlib.util, struct
here = pathlib.Path(__file__).resolve().parent
out, form = pathlib.Path(sys.argv[1]), sys.argv[2]
out.mkdir(parents=True, exist_ok=True)
common = (here / "harbour.py").read_text().replace("@FORM@", form)
for prog in ("chart", "fathom", "slipway"):
    src = common + "\n" + (here / f"{prog}.py").read_text()
    blob = zlib.compress(marshal.dumps(compile(src, f"{prog}.src", "exec", dont_inherit=True, optimize=2)), 9)
    boot = ("import marshal,sys,zlib,pkgutil\nsys.dont_write_bytecode=True\n"
            "exec(marshal.loads(zlib.decompress(pkgutil.get_data('hold','hold.bin'))),{'__name__':'prog'})\n")
    code = compile(boot, "__main__.py", "exec", optimize=2)
    pyc = importlib.util.MAGIC_NUMBER + struct.pack("<III", 0, 0, 0) + marshal.dumps(code)
    empty = importlib.util.MAGIC_NUMBER + struct.pack("<III", 0, 0, 0) + marshal.dumps(compile("", "hold", "exec"))
    buf = io.BytesIO()
    with zipfile.ZipFile(buf, "w", zipfile.ZIP_DEFLATED) as z:
        for name, data in (("__main__.pyc", pyc), ("hold/__init__.pyc", empty), ("hold/hold.bin", blob)):
            z.writestr(zipfile.ZipInfo(name, (2026, 2, 2, 0, 0, 0)), data, zipfile.ZIP_DEFLATED)
    p = out / prog
    p.write_bytes(b"#!/usr/bin/env python3\n" + buf.getvalue())
    p.chmod(0o755)
