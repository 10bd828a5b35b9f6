#!/usr/bin/env bash
. "$(dirname "$0")/lib.sh"
python3 - <<'P'
import re
rows = re.findall(r"^(sleep\.\w+) +(.+?) +/ (.+?) +/ (.+)$", open("inbox/brightwater-sleep.txt").read(), re.M)
for i, l in enumerate(("en", "de", "fi"), 1):
    open("tables/PLAYER/%s.tab" % l, "a").write("".join("%s\t%s\n" % (r[0], r[i]) for r in rows))
P
for l in en de fi; do take tables/PLAYER/$l.tab; done
deliver PLAYER de DEU.i BW-0937 TEXT
deliver PLAYER fi FIN.n BW-0937 TEXT
git commit -qam "Player: sleep timer"
