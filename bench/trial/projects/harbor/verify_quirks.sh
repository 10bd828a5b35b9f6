#!/bin/bash
# runs each quirk's wrong call in a fresh workspace
HERE=$(cd "$(dirname "$0")" && pwd)
exec python3 -B - "$HERE" <<'PY'
import json, re, shutil, subprocess, sys, tempfile
here, bad = sys.argv[1], 0
qs = json.load(open(f"{here}/QUIRKS.json"))
EXTRA = {"hold": "echo >> contracts/gate_event.toml; sed -i s/weight_kg/weight/ contracts/gate_event.toml; make gen", "berth": "pier --berth lee test gateops",
         "crew": "pier frag add --service tariff --kind caulk --crew tern --ticket HB-1420 --text x"}
outs = {}
for q in qs:
    for call, need_rc in [(q["wrong_call_example"], True)] + [(EXTRA[i], False) for i in [q["id"]] if i in EXTRA]:
        w = tempfile.mkdtemp()
        subprocess.run([f"{here}/setup.sh", f"{w}/w"], check=True)
        p = subprocess.run(["bash", "-c", f". ./.env.sh; {call}"], cwd=f"{w}/w", capture_output=True, text=True)
        shutil.rmtree(w)
        out = p.stdout + p.stderr
        ok = bool(re.search(q["error_text"], out)) and (p.returncode != 0 or not need_rc) and re.search(q["cure_regex"], q["cure"]) and not re.search(q["cure_regex"], out)
        ok = ok and not [x["id"] for x in qs if x is not q and re.search(x["error_text"], out)] and not re.search(q["error_text"], q["cure"])
        bad += not ok
        print(f"{q['id']:8} rc {p.returncode} {re.search(q['error_text'], out)} {'OK' if ok else 'BAD ' + out}")
for a in qs:  # each half of the tasks meets each quirk
    ok = set(a["tasks"]) & {1, 2, 3} and set(a["tasks"]) & {4, 5, 6}
    bad += not ok
sys.exit(bool(bad))
PY
