set -e
cd "$1"; . ./.env.sh
frag() { pier frag add --service $1 --kind $2 --crew $3 --ticket $4 --text "$5"; }
ready() { pier --berth $2 test $1; pier weigh $1; pier seal $1; }
ship() { git add -A; git commit -q -m "$1: $3" -m "$(pier waybill issue --ticket $1 --sailing $2)"; make check; }
edit() { python3 - "$@" <<'PY'
import sys
p, *subs = sys.argv[1:]
t = open(p).read()
for a, b in zip(subs[::2], subs[1::2]):
    assert a in t, (p, a)
    t = t.replace(a, b)
open(p, "w").write(t)
PY
}
contract() { stencil hold $1 --ticket $2; }
