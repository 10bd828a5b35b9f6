#!/usr/bin/env bash
. "$(dirname "$0")/lib.sh"
python3 - <<'P'
import re, sys
sys.path.insert(0, "tools")
import weft
p = "titles/HM-204/fr.cue"
early = lambda t: weft.timecode(weft.frames(t, 25) - 30, 25)
s = re.sub(weft.CUE.pattern, lambda m: m[0] if int(m[1]) < 6 else "%s %s %s" % (m[1], early(m[2]), early(m[3])), open(p).read(), flags=re.M)
open(p, "w").write(s)
P
take titles/HM-204/fr.cue
python3 tools/weft.py snap titles/HM-204/fr.cue
deliver HM-204 fr FRA.f NK-5512 CONF
git commit -qam "Salt Lamp 4: French retimed"
