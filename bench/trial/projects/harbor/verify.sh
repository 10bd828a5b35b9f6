#!/bin/bash
# each task: checker fails before, the solution passes; each quirk: its wrong call prints its error
HERE=$(cd "$(dirname "$0")" && pwd); cd /; bad=0
for n in 1 2 3 4 5 6; do
  W=$(mktemp -d); "$HERE/setup.sh" "$W/w" || bad=1
  if "$HERE/check/$n.sh" "$W/w" >/dev/null; then echo "task $n: passes before"; bad=1; fi
  "$HERE/solve/$n.sh" "$W/w" >"$W/log" 2>&1 || { echo "solve $n failed"; tail -5 "$W/log"; bad=1; }
  "$HERE/check/$n.sh" "$W/w" || bad=1
  for m in 1 2 3 4 5 6; do [ $m = $n ] || ! "$HERE/check/$m.sh" "$W/w" >/dev/null || { echo "check $m passes with solution $n"; bad=1; }; done
  rm -rf "$W"
done
W=$(mktemp -d); "$HERE/setup.sh" "$W/a"; "$HERE/setup.sh" "$W/b c"
diff -r -x .git -x .env.sh "$W/a" "$W/b c" && [ "$(git -C "$W/a" rev-parse HEAD)" = "$(git -C "$W/b c" rev-parse HEAD)" ] && echo "setup: same each time" || bad=1
rm -rf "$W"
"$HERE/verify_quirks.sh" || bad=1
[ $bad = 0 ] && echo "verify: all right" || echo "verify: BAD"
exit $bad
