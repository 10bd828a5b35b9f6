#!/usr/bin/env bash
. "$(dirname "$0")/lib.sh"; export HAWSER_DESK=humber-3
for x in light:2975 middle:2620 heavy:2180 floor:7250; do
  hawser tariff.set "{\"lane\":\"NRS\",\"band\":\"${x%:*}\",\"rate\":\"GBP:${x#*:}\",\"from\":\"$(d 2031-03-31)\"}"
done
python3 - <<'P'
import json
p = "data/tariffs/NRS.json"
t = json.load(open(p))
for b, m in dict(light=2975, middle=2620, heavy=2180, floor=7250).items():
    t["bands"][b].append({"from": "2031-03-31", "minor": m})
open(p, "w").write(json.dumps(t, indent=1) + "\n")
P
python3 -m unittest discover -s tests
hawser report.render '{"name":"tariff","key":"NRS"}'
finish "North Sea rates from spring"
