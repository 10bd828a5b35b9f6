#!/usr/bin/env bash
. "$(dirname "$0")/lib.sh"
for e in trial prod; do
  sed -i 's/^port .*/port      7415/' units/$e/ca4/stock-feed.unit
  sed -i 's/stock-feed:7410/stock-feed:7415/' units/$e/ca4/*.unit
done
sed -i 's/7413 reorder/7413 reorder, 7415 stock-feed (ca4)/' docs/house/ports.md
both mend "ledger courier platform" stock-feed@ca4 basket@ca4 search-front@ca4 shelf-view@ca4 trend-pump@ca4
git add -A; git commit -q -m "[r10] stock-feed on 7415 in ca4"
