#!/usr/bin/env bash
. "$(dirname "$0")/lib.sh"; export HAWSER_DESK=porto-1
python3 - "$(d 2031-03-06)" <<'P' | while read -r j; do hawser customs.file "$j"; done
import csv, json, sys
rows = [dict(hs=r["hs"], goods=r["goods"], kg=int(r["net kg"]), value="EUR:" + r["value EUR"].replace(",", "").replace(".", ""))
        for r in csv.DictReader(open("data/invoices/S-2041.csv"))]
for i in range(0, len(rows), 3):
    print(json.dumps(dict(shipment="S-2041", entry=sys.argv[1], lines=rows[i:i + 3])))
P
hawser report.render '{"name":"customs","key":"S-2041"}'
finish "Customs lines of S-2041"
