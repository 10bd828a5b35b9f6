#!/bin/bash
set -euo pipefail
cd "${1:?WORKSPACE}"; . ./.env.sh
last() { python3 -c "import json,sys; print(json.dumps([m[\"mark\"] for m in json.load(sys.stdin) if m[\"state\"]==\"soft\"]))"; }
inkall() { stage ink "{\"tour\":\"$1\",\"marks\":$(stage marks "{\"tour\":\"$1\"}" | last)}" >/dev/null; stage tour_export "{\"tour\":\"$1\"}" >/dev/null; make -s sheet TOUR=$1 >/dev/null; }

export STAGE_DESK=PL/1
stage worklight '{"tour":"N7","on":true}' >/dev/null
stage stop_plan '{"tour":"N7","venue":"V-027","first":"11d","nights":2,"get_in":"11c","line":"6118"}' >/dev/null
python3 - <<'P'
p="tours/N7/route.csv"; L=open(p).read().splitlines()
L[3:]=['3,V-027,"Skerry Hall, Portlannoch",2031-10-16,2,2031-10-15,265,',L[3].replace('3,V','4,V',1).replace(',210,',',180,'),L[4].replace('4,V','5,V',1)]
open(p,"w").write("\n".join(L)+"\n")
open("tours/N7/stops/portlannoch.md","w").write("# Portlannoch\n\nHouse: Skerry Hall, Portlannoch (V-027)\nFirst night: 2031-10-16\nNights: 2\nGet-in: 2031-10-15\nDrive: 265 min from Dunsel\nDock: 3.4 m\nHands: 8\n")
p="tours/N7/stops/cold-ashby.md"; s=open(p).read().replace("210 min from Dunsel","180 min from Portlannoch"); open(p,"w").write(s)
P
inkall N7
make -s test
git add -A && git commit -q -m "Portlannoch planned" -m "Docket: 4471/N7"
