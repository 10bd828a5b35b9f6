#!/bin/bash
# tries solutions, checkers, wrong calls and leaks in both forms, in temporary workspaces
here=$(cd "$(dirname "$0")" && pwd); T=$(mktemp -d); trap 'rm -rf "$T"' EXIT; bad=0
unset PLINTH_SEAT
for form in base changed; do
  opt=; [ $form = changed ] && opt=--changed
  for i in 1 2 3 4 5 6; do
    w=$T/$form$i
    "$here/setup.sh" "$w" $opt || bad=1
    "$here/check/$i.sh" "$w" >/dev/null && { echo "$form: check $i passes untouched"; bad=1; }
    "$here/solve/$i.sh" "$w" >"$w.log" 2>&1 || { echo "$form: solve $i failed"; tail -n 5 "$w.log"; bad=1; }
    "$here/check/$i.sh" "$w" || bad=1
    j=$((i % 6 + 1)); "$here/check/$j.sh" "$w" >/dev/null && { echo "$form: check $j accepts solve $i"; bad=1; }
  done
done
python3 -B - "$here" "$T" <<'P' || bad=1
import json, os, re, subprocess, sys, time
here, T = sys.argv[1:]; ok = True
def sh(d, cmd):
    t = time.time()
    r = subprocess.run(["bash", "-c", f"cd {d} && . ./.env.sh && {cmd}"], capture_output=True, text=True)
    r.secs = time.time() - t
    return r
def bad(*a):
    global ok; ok = False; print("BAD", *a)
base = json.load(open(f"{here}/QUIRKS.json")); changed = json.load(open(f"{here}/CHANGED.json"))
old = {q["id"]: q for q in base}
if [q["id"] for q in base] != [q["id"] for q in changed] or len(base) != 8: bad("ids")
if sum(q["cure"] != old[q["id"]]["cure"] and q["cure_regex"] != old[q["id"]]["cure_regex"] for q in changed) != 2: bad("two cures differ in the changed form")
for form, quirks, opt in (("base", base, []), ("changed", changed, ["--changed"])):
    d = f"{T}/{form}-fresh"; subprocess.run([f"{here}/setup.sh", d, *opt], check=True)
    # everything that can be had without meeting a refusal
    reads = ["plinth", "plinth --help", "plinth version", "plinth tools", "plinth why", "git log", "git status", "cat $(git ls-files)", "cat .git/hooks/commit-msg .git/hooks/pre-commit .env.sh"]
    names = [l.split()[0] for l in sh(d, "plinth tools").stdout.splitlines()]
    if not 18 <= len(names) <= 24: bad(len(names), "tools")
    reads += [f"plinth help {n}" for n in names]
    refs = [json.loads(l)["file"] for l in sh(d, "plinth call claim.list").stdout.splitlines()]
    reads += ["plinth call desk.status", "plinth call object.find", "plinth call adjuster.list", "plinth call claim.list", "plinth call payment.list", "plinth call ledger.slips", "plinth call museum.find '{\"like\": \"\"}'", "plinth call policy.show '{\"policy\": \"P-2228\"}'"]
    reads += [f"plinth call code.list '{{\"table\": \"{t}\"}}'" for t in ("appraisers", "articles", "flags", "perils", "seats")]
    reads += [f"plinth call claim.show '{{\"claim\": \"{r}\"}}'" for r in refs if r > "27-0280"]
    said = {}
    for c in reads:
        r = sh(d, c); said[c] = r.stdout + r.stderr
        if r.returncode: bad(form, c, r.stderr)
        if r.secs > 2: bad(form, c, f"{r.secs:.1f} s")
    for i in range(1, 7): said[f"solve {i}"] = open(f"{T}/{form}{i}.log").read()
    for k, q in enumerate(quirks):
        w = f"{T}/{form}-q{k}"; subprocess.run([f"{here}/setup.sh", w, *opt], check=True)
        r = sh(w, q["wrong_call_example"]); text = r.stdout + r.stderr; hit = re.search(q["error_text"], text)
        why = sh(w, "plinth why").stdout
        said["wrong call and why: " + q["id"]] = text + why
        good = r.returncode != 0 and hit and re.search(q["cure_regex"], q["cure"]) and re.search(q["cure_regex"], why) and len(q["tasks"]) >= 4
        if form == "changed":
            o = old[q["id"]]
            if o["cure_regex"] != q["cure_regex"] and (re.search(q["cure_regex"], o["cure"]) or re.search(o["cure_regex"], q["cure"])): bad(q["id"], "old and new cure are not told apart")
        print(f"{form} quirk {q['id']}: rc={r.returncode} {hit and hit[0]!r} {'ok' if good else 'BAD'}"); ok = ok and bool(good)
    for q in quirks:
        for c, t in said.items():
            m = re.search(q["cure_regex"], t)
            if m and not c.endswith(": " + q["id"]): bad(form, "leak of", q["id"], "in", c, repr(m[0]))
        for p in quirks:
            if p is not q and re.search(q["cure_regex"], p["cure"]): print("note:", form, q["id"], "regex matches cure of", p["id"])
    for i in range(1, 7):
        n = sum(i in q["tasks"] for q in quirks)
        if not 5 <= n <= 8: bad(form, "task", i, n, "quirks")
        t = open(f"{here}/tasks/{i}.md").read()
        for q in quirks:
            m = re.search(q["cure_regex"], t)
            if m: bad(form, "task", i, "names", q["id"], repr(m[0]))
# the old cures fail in the changed form
for c, e in (("PLINTH_SEAT=loft plinth call ledger.post '{\"slips\": [\"S-8841\"]}'", "E31"),
             ("plinth --seat loft call claim.reserve '{\"claim\": \"27-0104/%s\", \"amount\": \"100000/EUR\", \"article\": \"R-109\"}'" % json.loads(sh(f"{T}/changed-fresh", "plinth call claim.show '{\"claim\": \"27-0104\"}'").stdout)["check"], "E27")):
    r = sh(f"{T}/changed-fresh", c)
    if r.returncode == 0 or e not in r.stderr: bad("old cure works in the changed form:", c, r.stderr)
# the same twice
a, b = (subprocess.run(f"cd {T} && ./x/setup.sh {T}/{n} >/dev/null; cd {T}/{n} && git rev-parse HEAD && sha256sum bin/plinth store/desk.db".replace("./x", here), shell=True, capture_output=True, text=True).stdout for n in ("d1", "d2"))
if a != b: bad("setup is not deterministic")
kb = sum(os.path.getsize(os.path.join(p, f)) for p, _, fs in os.walk(here) for f in fs) // 1024
kw = sum(os.path.getsize(os.path.join(p, f)) for p, _, fs in os.walk(f"{T}/d1") for f in fs) // 1024
print(f"size: project {kb} KB, workspace {kw} KB")
if max(kb, kw) > 1000: bad("too large")
sys.exit(not ok)
P
[ $bad = 0 ] && echo "ALL VERIFIED"; exit $bad
