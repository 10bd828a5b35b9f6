# helpers of the reference solutions
set -euo pipefail
cd "$1"; . ./.env.sh
if [ -n "$(git tag -l 'M*')" ]; then new=1; else new=; fi
draw() { for f in "$@"; do kiln abi draw "$f" >> abi/plover.syms; done; }
rows() { # functions whose cost row is new or other
  python3 - "$@" <<'P'
import subprocess, sys
rows = dict(l.rstrip("\n").split("\t") for l in open("bench/baseline.tsv"))
for f in sys.argv[1:]:
    rows[f] = str(-(-int(subprocess.check_output(["kiln", "bench", f]).split()[1]) // 16) * 16)
open("bench/baseline.tsv", "w").write("".join("%s\t%s\n" % r for r in rows.items()))
P
}
try() { kiln press; kiln build; kiln image bake --slots 8; kiln test; }
release() { # old mark, new mark
  if [ -n "$new" ]; then kiln stamp "$2"; else kiln stamp "$1"; fi
  try; kiln pack begin; for s in notes abi headers objects; do kiln pack put $s; done; kiln pack close
}
finish() { git add -A; kiln lint --mode "$([ -n "$new" ] && echo wax || echo ink)"; git commit -q -m "$1"; }
before_end() { # file, lines before the last return of main
  python3 - "$1" "$2" <<'P'
import sys
s = open(sys.argv[1]).read()
i = s.rindex("    return 0;\n}")
open(sys.argv[1], "w").write(s[:i] + sys.argv[2] + "\n" + s[i:])
P
}
