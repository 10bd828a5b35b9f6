#!/usr/bin/env bash
. "$(dirname "$0")/lib.sh"
python3 - <<'P'
import re
rows = re.findall(r"^(\S+:\d\d)  (\S+:\d\d)  (.+)$", open("inbox/faro-hm118.txt").read(), re.M)
s = "; title HM-118\n; lang  pt\n; take  1\n; rate  25\n"
for i, (a, b, t) in enumerate(rows, 1):
    s += "\n%03d %s %s\n%s\n" % (i, a, b, t.replace(" / ", "\n"))
open("titles/HM-118/pt.cue", "w").write(s)
P
python3 tools/weft.py snap titles/HM-118/pt.cue
ask track.open HM-118 "\"track\":\"$(tr POR.f)\",\"source\":\"titles/HM-118/pt.cue\",\"by\":\"I Faro\""
deliver HM-118 pt POR.f HS-0088
git add -A; git commit -qm "Lost Umbrellas in Portuguese"
