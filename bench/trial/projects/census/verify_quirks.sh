#!/bin/bash
# runs each quirk's wrong call in a fresh workspace
HERE=$(cd "$(dirname "$0")" && pwd); W=$(mktemp -d); "$HERE/setup.sh" "$W/w" || exit 1
python3 - "$HERE/QUIRKS.json" "$W" <<'PY'
import json, re, shutil, subprocess, sys
qs, bad, seen = json.load(open(sys.argv[1])), 0, []
for q in qs:
    shutil.rmtree(sys.argv[2] + "/x", ignore_errors=True)
    setup = sys.argv[1].replace("QUIRKS.json", "setup.sh")
    subprocess.run([setup, sys.argv[2] + "/x"], check=True, capture_output=True)
    p = subprocess.run(["bash", "-c", ". ./.env.sh; " + q["wrong_call_example"]], cwd=sys.argv[2] + "/x", capture_output=True, text=True)
    seen.append((q["id"], p.stdout + p.stderr))
    ok = p.returncode != 0 and re.search(q["error_text"], p.stdout + p.stderr) and re.search(q["cure_regex"], q["cure"])
    ok = ok and not re.search(q["cure_regex"], p.stderr) and set(q["tasks"]) & {1, 2, 3} and set(q["tasks"]) & {4, 5, 6}
    bad += not ok
    print(f"{q['id']:18}{p.returncode} {p.stderr.strip()} {'OK' if ok else 'BAD'}")
for q in qs:  # an error text matches its own error only
    for other, out in seen:
        if other != q["id"] and re.search(q["error_text"], out):
            bad += 1
            print("BAD", q["id"], "matches the error of", other)
sys.exit(bool(bad))
PY
rc=$?; rm -rf "$W"; exit $rc
