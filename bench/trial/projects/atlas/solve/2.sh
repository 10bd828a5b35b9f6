#!/usr/bin/env bash
. "$(dirname "$0")/lib.sh"
for f in $(grep -l 'http-edge@2' units/*/ap3/*.unit); do
  i=$(sed -n 's/^set  *idle = //p' $f)
  sed -i "s/http-edge@2/http-edge@3/; s/^set  *idle = .*/set       rest = $i/" $f
  echo "set       drain = $((i / 2))" >> $f
done
both renew "stock courier" crate-label@ap3 quote-desk@ap3
git add -A; git commit -q -m "[r4] http-edge 3 in ap3"
