#!/usr/bin/env bash
. "$(dirname "$0")/lib.sh"
for e in trial prod; do rm units/$e/se2/old-quote.unit; sed -i '/^link  *old-quote:/d' units/$e/se2/*.unit; done
sed -i 's/^Runs in: .*/Runs in: nw1/' docs/runbooks/old-quote.md
both strike "courier platform" -old-quote@se2 basket@se2 quote-desk@se2 tally-view@se2
git add -A; git commit -q -m "[r8] Close old-quote in se2"
