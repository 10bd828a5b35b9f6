#!/bin/bash
. "$(dirname "$0")/_common.sh"
python3 - <<'E'
p = "desk/limits.json"; s = open(p).read()
a = '"B": { "EUR": 6000000, "CHF": 6000000'; assert a in s
open(p, "w").write(s.replace(a, a.replace('"CHF": 6000000', '"CHF": 9000000')))
E
call sheet.press
for row in "27-0296 L-07 56400.00 CHF S-312" "27-0296 M016 28200.00 CHF S-312" "27-0299 M011 3180.50 GBP S-307"; do
  set -- $row
  call claim.settle "{\"claim\": \"$(full $1)\", \"payee\": \"$2\", \"amount\": \"$(amount $3 $4)\", \"article\": \"$5\"}"
done
finish settled
file "MD-309; settle; lustre and sea chest"
