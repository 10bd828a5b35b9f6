#!/usr/bin/env bash
. "$(dirname "$0")/lib.sh"; export HAWSER_DESK=humber-3
ids='["S-2003","S-2006","S-2015","S-2018"]'
hawser manifest.drop "{\"manifest\":\"M-017\",\"shipments\":$ids}"
hawser manifest.void '{"manifest":"M-017"}'
hawser slot.free '{"hold":"H-040"}'
n=40
hawser slot.hold "{\"sailing\":\"NRS-0415\",\"pieces\":$n}"
m=$(hawser manifest.open "{\"sailing\":\"NRS-0415\",\"day\":\"$(d 2031-03-07)\"}" | get manifest)
hawser manifest.add "{\"manifest\":\"$m\",\"shipments\":$ids}"
hawser manifest.close "{\"manifest\":\"$m\",\"$(t)\":$n}"
hawser customs.get '{"shipment":"S-2006"}' > "$dest/.freight/lines.json"
for h in 70109043 70109045 70133799 70134999 83099090; do hawser customs.strike "{\"shipment\":\"S-2006\",\"hs\":\"$h\"}"; done
python3 - "$(d 2031-03-07)" "$dest/.freight/lines.json" <<'P' | while read -r j; do hawser customs.file "$j"; done
import json, sys
rows = [dict(hs=l["hs"], goods=l["goods"], kg=l["kg"], value="GBP:" + l["value"].split()[0].replace(".", "")) for l in json.load(open(sys.argv[2]))]
for i in range(0, len(rows), 3):
    print(json.dumps(dict(shipment="S-2006", entry=sys.argv[1], lines=rows[i:i + 3])))
P
hawser report.render "{\"name\":\"manifest\",\"key\":\"$m\"}"
hawser report.render '{"name":"customs","key":"S-2006"}'
finish "NRS-0412 cancelled: loads to NRS-0415"
