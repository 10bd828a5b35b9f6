#!/bin/bash
# verify.sh: the project holds what it promises.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
bad=0
fail() { echo "FAIL: $*"; bad=1; }

bash "$here/setup.sh" "$tmp/a" && bash "$here/setup.sh" "$tmp/b/deeper" || fail "setup"
[ "$(git -C "$tmp/a" rev-parse HEAD)" = "$(git -C "$tmp/b/deeper" rev-parse HEAD)" ] || fail "two setups, two commits"
diff -r --exclude=.git "$tmp/a" "$tmp/b/deeper" > "$tmp/diff" || fail "two setups differ: $(head -3 "$tmp/diff")"
diff "$tmp/a/.git/hooks/commit-msg" "$tmp/b/deeper/.git/hooks/commit-msg" || fail "hooks differ"
[ -z "$(git -C "$tmp/a" status --porcelain)" ] || fail "fresh workspace is not clean"
[ "$bad" = 0 ] && echo "setup: twice the same, $(git -C "$tmp/a" ls-files | wc -l) files"

for i in 1 2 3 4 5 6; do
    bash "$here/check/$i.sh" "$tmp/a" > "$tmp/fresh$i" 2>&1 && fail "check $i passes on a fresh workspace"
    grep -q '^MISSING' "$tmp/fresh$i" || fail "check $i does not tell what is missing"
    bash "$here/setup.sh" "$tmp/s$i"
    bash "$here/solve/$i.sh" "$tmp/s$i" > "$tmp/solve$i" 2>&1 || fail "solution $i: $(tail -3 "$tmp/solve$i")"
    bash "$here/check/$i.sh" "$tmp/s$i" > "$tmp/check$i" 2>&1 || fail "check $i after its solution: $(cat "$tmp/check$i")"
    n=$(wc -w < "$here/tasks/$i.md")
    [ "$n" -ge 60 ] && [ "$n" -le 200 ] || fail "task $i has $n words"
    echo "task $i: fails fresh, passes solved"
done
[ -z "$(git -C "$tmp/a" status --porcelain)" ] || fail "checks leave traces"

python3 -B - "$here" "$tmp" <<'P' || bad=1
import json, os, pathlib, re, subprocess, sys
here, tmp = map(pathlib.Path, sys.argv[1:])
quirks = json.loads((here / "QUIRKS.json").read_text())
bad = 0
def need(ok, what):
    global bad
    if not ok:
        print("FAIL:", what); bad = 1
need(len(quirks) == 8, "not eight quirks")
env = {k: v for k, v in os.environ.items() if k != "ALM_READER"}
ws0 = tmp / "a"
texts = {str(p.relative_to(here)): p.read_text() for p in
         [*here.glob("tasks/*.md"), *here.glob("template/docs/*.md"), here / "template/README.md", *here.glob("template/inbox/*")]}
for t in ("tabgen", "galley", "proof", "handover"):
    texts[t + " -h"] = subprocess.run([str(ws0 / "bin" / t), "-h"], capture_output=True, text=True).stdout
for q in quirks:
    w = tmp / ("q-" + q["id"])
    subprocess.run(["bash", str(here / "setup.sh"), str(w)], check=True)
    r = subprocess.run(["bash", "-c", ". ./.env.sh; " + q["wrong_call_example"]], cwd=w, env=env, capture_output=True, text=True)
    out = r.stdout + r.stderr
    need(r.returncode != 0, q["id"] + ": the wrong call succeeds")
    need(re.search(q["error_text"], out), "%s: error not found in %r" % (q["id"], out))
    need(sum(bool(re.search(o["error_text"], out)) for o in quirks) == 1, q["id"] + ": error of another quirk, too")
    for o in quirks:
        need(bool(re.search(q["cure_regex"], o["cure"])) == (o is q), "cure_regex of %s on cure of %s" % (q["id"], o["id"]))
    need(not re.search(q["cure_regex"], out), q["id"] + ": the error gives the cure away")
    need(len(set(q["tasks"])) >= 4, q["id"] + ": in less than four tasks")
    for name, text in texts.items():
        need(not re.search(q["cure_regex"], text), "%s given away in %s" % (q["id"], name))
    print("quirk %s: %s" % (q["id"], out.strip().splitlines()[-1]))
blob = b"".join(p.read_bytes() for p in (ws0 / "bin").rglob("*") if p.is_file())
for s in (b"ALM_READER", b"--ems", b"Ledger", b"folio"):
    need(s not in blob, "%r readable in bin" % s)
sys.exit(bad)
P
[ "$bad" = 0 ] && echo "ALL VERIFIED" || { echo "NOT VERIFIED"; exit 1; }
