#!/usr/bin/env bash
. "$(dirname "$0")/lib.sh"
for r in nw1 se2; do
  sed -i 's/^replicas .*/replicas  9/; s/^set  *burst = .*/set       burst = 40/' units/prod/$r/ledger-api.unit
  sed -i 's/^replicas .*/replicas  4/; s/^set  *burst = .*/set       burst = 40/' units/trial/$r/ledger-api.unit
done
both tide insight ledger-api@nw1 ledger-api@se2
git add -A; git commit -q -m "[r4] More ledger-api for the end of the quarter"
