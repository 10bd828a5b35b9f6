#!/usr/bin/env bash
. "$(dirname "$0")/lib.sh"; export HAWSER_DESK=kiel-2
python3 - <<'P'
p = "forwarding/rating.py"
s = open(p).read()
s = s.replace('    return int(round(weight / 10.0) * 10)', '    return -int(-round(weight, 6) // 10) * 10')
open(p, "w").write(s)
p = "tests/test_rating.py"
s = open(p).read().rstrip("\n")
s += "\n\n    def test_rounds_up(self):\n        self.assertEqual(chargeable_kg(452, 0.1, 300), 460)\n        self.assertEqual(chargeable_kg(450, 0.1, 300), 450)\n"
open(p, "w").write(s)
P
python3 -m unittest discover -s tests
for x in S-2010:412 S-2034:298 S-2046:298; do
  hawser charge.post "{\"shipment\":\"${x%:*}\",\"kind\":\"correction\",\"amount\":\"EUR:${x#*:}\",\"on\":\"$(d 2031-03-05)\"}"
done
hawser report.render '{"name":"charges","key":"BLT"}'
finish "Round the chargeable weight up"
