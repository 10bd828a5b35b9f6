"""build.py DEST_BIN: in-house programs as launchers over one packed module."""
import marshal, pathlib, py_compile, sys, tempfile, zlib
here = pathlib.Path(__file__).resolve().parent
dest = pathlib.Path(sys.argv[1])
lib = dest / ".lib"
lib.mkdir(parents=True, exist_ok=True)
code = compile((here / "press.py").read_text(), "press", "exec", dont_inherit=True, optimize=2)
blob = bytes(b ^ 0x5A for b in zlib.compress(marshal.dumps(code), 9))
stub = "import zlib,marshal\nexec(marshal.loads(zlib.decompress(bytes(b^90 for b in %r))))\n" % blob
with tempfile.TemporaryDirectory() as t:
    src = pathlib.Path(t) / "press.py"
    src.write_text(stub)
    py_compile.compile(str(src), cfile=str(lib / "press.pyc"), dfile="press", doraise=True,
                       invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)
def put(path, text):
    path.write_text(text)
    path.chmod(0o755)
for name in ("tabgen", "galley", "proof", "forme", "handover"):
    put(dest / name, '#!/bin/sh\nhere=$(cd "$(dirname "$0")" && pwd)\n'
        'PRESS_ROOT_="${here%%/bin}" exec python3 -B "$here/.lib/press.pyc" %s "$@"\n' % name)
put(lib / "gate", '#!/bin/sh\nhere=$(cd "$(dirname "$0")" && pwd)\n'
    'PRESS_ROOT_="${here%%/bin/.lib}" exec python3 -B "$here/press.pyc" gate "$@"\n'.replace("%%", "%"))
