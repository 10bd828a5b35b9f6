# common part of the reference solutions
set -eu
cd "${1:?workspace}"
. ./.env.sh
addreg() { # UNIT LINE
    echo "$2" >> regs/$1.map
    python3 - $1 <<'P'
import re, sys
p = "regs/%s.map" % sys.argv[1]
t = open(p).read()
t = re.sub(r"edition (\d+)", lambda m: "edition %d" % (int(m[1]) + 1), t)
open(p, "w").write(t)
P
    make -s ledger MAP=$1
    make -s regs
}
addasp() { # FAMILY LINES
    printf '%s\n' "$2" >> aspects/$1.asp
    (cd aspects && python3 ../tools/aspc.py $1)
}
budget() { # UNIT KIND BYTES: moved out of the reserve
    python3 - "$@" <<'P'
import sys
unit, kind, n = sys.argv[1], sys.argv[2], int(sys.argv[3])
out = []
for line in open("release/budget.tab"):
    part = line.split()
    if part[0] == unit and part[1] in (kind, "reserve"):
        line = "%-6s %-8s %d\n" % (unit, part[1], int(part[2]) + (n if part[1] == kind else -n))
    out.append(line)
open("release/budget.tab", "w").writelines(out)
P
}
before() { # FILE MARKER TEXT: text goes before the last place of the marker
    python3 - "$@" <<'P'
import sys
p, marker, text = sys.argv[1:]
t = open(p).read()
at = t.rindex(marker)
open(p, "w").write(t[:at] + text + "\n" + t[at:])
P
}
ship() { # UNIT BOARD FRAGMENT TRAIN TEXT SEAT
    echo "$4 | $1 | $5" > changes/$3
    make -s style changes
    make -s size UNIT=$1
    mark=$(make -s test BOARD=$2 | tee /dev/stderr | sed -n 's/.*: mark //p')
    git add -A
    git commit -q -m "$1: ${5,}" -m "Rig: $2 $mark"
    make -s image UNIT=$1 PACKFLAGS="--seat $6"
}
