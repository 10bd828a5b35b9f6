#!/bin/bash
# runs, in both forms: every solve/check, every quirk's wrong call, and a search for cures in what is printed beforehand
here=$(cd "$(dirname "$0")" && pwd); T=$(mktemp -d); bad=0; trap 'rm -rf "$T"' EXIT
pids=()
for f in "" --changed; do (
  q=QUIRKS; [ -z "$f" ] || q=CHANGED; mkdir "$T/$q"; : > "$T/$q/out"
  for i in 1 2 3 4 5 6; do
    w=$T/$q/s$i; "$here/setup.sh" "$w" $f
    "$here/check/$i.sh" "$w" >/dev/null && { echo "$q: check $i passes untouched"; bad=1; }
    "$here/solve/$i.sh" "$w" >"$T/$q/log" 2>&1 || { echo "$q: solve $i failed"; tail -n 5 "$T/$q/log"; bad=1; }
    cat "$T/$q/log" >> "$T/$q/out"
    "$here/check/$i.sh" "$w" || { echo "  ($q)"; bad=1; }
  done
  for i in 1 2 3 4 5 6; do j=$((i % 6 + 1)); "$here/check/$j.sh" "$T/$q/s$i" >/dev/null && { echo "$q: check $j accepts solve $i"; bad=1; }; done
  python3 - "$here" "$T/$q" "$q" "$f" <<'E' || bad=1
import json, os, re, subprocess, sys, time
here, T, name, flag = sys.argv[1:]; ok = True
quirks = json.load(open(f"{here}/{name}.json"))
def fresh(d): subprocess.run([f"{here}/setup.sh", d] + ([flag] if flag else []), check=True)
def sh(d, cmd):
    t = time.time()
    r = subprocess.run(["bash", "-c", f"cd {d} && . ./.env.sh && {cmd}"], capture_output=True, text=True)
    return r.returncode, r.stdout, r.stderr, time.time() - t
def bad(text):
    global ok; ok = False; print(f"{name}: {text}")
# what can be read without meeting anything
fresh(f"{T}/h")
calls = ["chart", "fathom", "slipway", "slipway list", "slipway consignees", "chart sheets", "fathom runs", "cat README.md docs/* CHANGES.md", "git log", "git status"]
calls += [f"{p} {a}" for p in ("chart", "fathom", "slipway") for a in ("--help", "why")]
calls += [f"{c} --help" for c in ("chart plot", "fathom run", "slipway open", "slipway stage", "slipway drop", "slipway list")]
calls += ["slipway stage", "slipway drop", "fathom run", "slipway open X --to tills --day x", "slipway open FER-204 --to x --day x", "chart plot nothing"]
texts = [(c, line) for c in calls for _ in [sh(f"{T}/h", c)] for line in (_[1] + "\n" + _[2]).split("\n") if line]
texts += [("solutions", l) for l in open(f"{T}/out").read().split("\n")]
errors = {}
for k, q in enumerate(quirks):
    d = f"{T}/q{k}"; fresh(d)
    rc, out, err, t = sh(d, q["wrong_call_example"])
    hit = re.search(q["error_text"], out + err)
    good = rc != 0 and hit and re.search(q["cure_regex"], q["cure"]) and len(q["tasks"]) >= 4
    others = [p["id"] for p in quirks if p is not q and re.search(p["cure_regex"], q["cure"])]
    others += [p["id"] for p in quirks if p is not q and re.search(p["error_text"], out + err)]
    for p in quirks:
        for l in (out + err).split("\n"):
            if p is not q and re.search(p["cure_regex"], l) and p["id"] not in q["wrong_call_example"]: bad(f"error of {q['id']} names the cure of {p['id']}: {l}")
    print(f"{name} {q['id']}: rc={rc} {t:.1f}s {hit and hit[0]!r} {'ok' if good else 'BAD'} {' / '.join(others)}")
    prog = "slipway" if err.split(":")[0].split("\n")[-1] == "log" else err.strip().split("\n")[-1].split(":")[0]
    told = sh(d, f"{prog} why")[1]
    if not told or "nothing was refused" in told: bad(f"no explanation of {q['id']}")
    if not good: ok = False
    for c, l in texts:
        if re.search(q["cure_regex"], l): bad(f"{c!r} names the cure of {q['id']}: {l}")
for i in range(1, 7):
    n = sum(i in q["tasks"] for q in quirks)
    if not 5 <= n <= 8: bad(f"task {i} meets {n}")
# all mistakes in one workspace, then the work
d = f"{T}/all"; fresh(d)
for q in quirks: sh(d, q["wrong_call_example"] + "; git checkout -q -- .; slipway drop")
r = subprocess.run([f"{here}/solve/1.sh", d], capture_output=True, text=True)
c = subprocess.run([f"{here}/check/1.sh", d], capture_output=True, text=True)
if r.returncode or c.returncode: bad("does not end well: " + r.stderr[-300:] + c.stdout)
size = int(subprocess.run(["du", "-sk", "--apparent-size", f"{T}/h"], capture_output=True, text=True).stdout.split()[0])
print(f"{name}: workspace {size} KB"); ok = ok and size < 1000
sys.exit(not ok)
E
  exit $bad
) & pids+=($!); done
for p in "${pids[@]}"; do wait "$p" || bad=1; done
# two runs of setup give the same
"$here/setup.sh" "$T/x1"; "$here/setup.sh" "$T/x2"
[ "$(git -C "$T/x1" rev-parse HEAD)$(cat "$T"/x1/bin/* | sha256sum)" = "$(git -C "$T/x2" rev-parse HEAD)$(cat "$T"/x2/bin/* | sha256sum)" ] || { echo "setup is not deterministic"; bad=1; }
[ $bad = 0 ] && echo "ALL VERIFIED"; exit $bad
