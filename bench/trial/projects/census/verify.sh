#!/bin/bash
# each task: the checker fails before and passes after the solution; each quirk: its wrong call; setup: the same each time
HERE=$(cd "$(dirname "$0")" && pwd); W=$(mktemp -d); rc=0; cd /
for n in 1 2 3 4 5 6; do
  "$HERE/setup.sh" "$W/$n" || rc=1
  if before=$(bash "$HERE/check/$n.sh" "$W/$n"); then echo "task $n: passes before: BAD"; rc=1; fi
  bash "$HERE/solve/$n.sh" "$W/$n" > "$W/$n.log" 2>&1 || { echo "task $n: solution fails: BAD"; tail -5 "$W/$n.log"; rc=1; }
  after=$(bash "$HERE/check/$n.sh" "$W/$n") && r=OK || { r=BAD; rc=1; }
  echo "before: $before | after: $after $r"
done
(cd "$W" && mkdir sub && cd sub && "$HERE/setup.sh" a && "$HERE/setup.sh" ../b)
a=$(git -C "$W/sub/a" rev-parse HEAD; sqlite3 "$W/sub/a/.tally/warehouse.db" .dump | md5sum); b=$(git -C "$W/b" rev-parse HEAD; sqlite3 "$W/b/.tally/warehouse.db" .dump | md5sum)
[ "$a" = "$b" ] && echo "setup is the same twice OK" || { echo "setup differs BAD"; rc=1; }
"$HERE/verify_quirks.sh" || rc=1
rm -rf "$W"; [ $rc = 0 ] && echo "all OK" || echo "NOT all OK"; exit $rc
