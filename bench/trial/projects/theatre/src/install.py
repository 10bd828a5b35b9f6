"""install.py DEST: the in-house programs and the store, into DEST/bin."""
import importlib._bootstrap_external as be, marshal, os, sys, zlib
here = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, here)
import house, seed

dest = sys.argv[1]
lib = os.path.join(dest, "bin", ".lib")
os.makedirs(lib)
src = open(os.path.join(here, "house.py")).read()
code = compile(src, "house", "exec", optimize=2)
with open(os.path.join(lib, "house.bin"), "wb") as f:
    f.write(house.xor(zlib.compress(marshal.dumps(code), 9)))
run = '''
import sys, os, marshal, zlib
def go():
    d = os.path.dirname(os.path.abspath(sys.argv[1]))
    b = open(os.path.join(d, "house.bin"), "rb").read()
    k = (%r * (len(b) // 32 + 1))[:len(b)]
    ns = {"__name__": "house"}
    exec(marshal.loads(zlib.decompress(bytes(x ^ y for x, y in zip(b, k)))), ns)
    return ns["main"]([os.path.dirname(os.path.dirname(d))] + sys.argv[2:])
sys.exit(go())
''' % house.KEY
assert len(house.KEY) == 32
with open(os.path.join(lib, "run.pyc"), "wb") as f:
    f.write(be._code_to_hash_pyc(compile(run, "run", "exec", optimize=2), b"\0" * 8, False))
with open(os.path.join(lib, "house.store"), "wb") as f:
    f.write(house.pack(seed.build()))
for p in ("stage", "stitch", "registrar"):
    path = os.path.join(dest, "bin", p)
    with open(path, "w") as f:
        f.write('#!/bin/bash\nlib="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/.lib"\nexec python3 -I "$lib/run.pyc" "$lib/run.pyc" %s "$@"\n' % p)
    os.chmod(path, 0o755)
with open(os.path.join(dest, ".env.sh"), "w") as f:
    f.write('export PATH="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/bin:$PATH"\nexport PYTHONDONTWRITEBYTECODE=1\n')
