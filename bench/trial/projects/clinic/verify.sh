#!/bin/bash
# every task: checker fails before, solution passes; every quirk: its wrong call prints its error
HERE=$(cd "$(dirname "$0")" && pwd); W=$(mktemp -d); bad=0
for n in 1 2 3 4 5 6; do
  "$HERE/setup.sh" "$W/$n" || bad=1
  if "$HERE/check/$n.sh" "$W/$n" > "$W/out"; then echo "task $n: passes before, BAD"; bad=1; fi
  bash "$HERE/solve/$n.sh" "$W/$n" > "$W/log" 2>&1 || { echo "solve $n BAD"; tail -5 "$W/log"; bad=1; }
  bash "$HERE/check/$n.sh" "$W/$n" || bad=1
done
"$HERE/setup.sh" "$W/a"; "$HERE/setup.sh" "$W/b"
[ "$(git -C "$W/a" rev-parse main)" = "$(git -C "$W/b" rev-parse main)" ] && cmp -s "$W/a/.vdesk/state.db" "$W/b/.vdesk/state.db" && echo "setup: same each time" || { echo "setup differs BAD"; bad=1; }
python3 - "$HERE" "$W" <<'PY' || bad=1
import json, re, subprocess, sys
here, w = sys.argv[1:]
bad, quirks = 0, json.load(open(f"{here}/QUIRKS.json"))
for q in quirks:
    d = f"{w}/q-{q['id']}"
    subprocess.run([f"{here}/setup.sh", d], check=True)
    p = subprocess.run(["bash", "-c", ". ./.env.sh; " + q["wrong_call_example"]], cwd=d, capture_output=True, text=True)
    out = p.stdout + p.stderr
    hits = [o["id"] for o in quirks if re.search(o["error_text"], out)]
    # the cure is told by the cure sentence, and not by the error (also with the call itself)
    told = re.search(q["cure_regex"], q["cure"]) and not re.search(q["cure_regex"], out) and not re.search(q["cure_regex"], q["wrong_call_example"].split(";")[-1])
    both = {n <= 3 for n in q["tasks"]} == {True, False}
    ok = p.returncode != 0 and hits == [q["id"]] and told and both and not re.search(q["error_text"], q["cure"])
    bad += not ok
    print(f"{q['id']:12} rc={p.returncode} {(out.strip().splitlines() or [''])[-1]}  {'OK' if ok else 'BAD ' + out}")
sys.exit(bad != 0)
PY
rm -rf "$W"; [ $bad = 0 ] && echo "verify: all right" || echo "verify: BAD"; exit $bad
