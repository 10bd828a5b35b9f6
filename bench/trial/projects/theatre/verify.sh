#!/bin/bash
# verify.sh: the project against itself
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
export PYTHONDONTWRITEBYTECODE=1
fail=0
say() { echo "$1"; }
bad() { echo "FAIL: $1"; fail=1; }

"$here/setup.sh" "$tmp/a" || bad "setup"
"$here/setup.sh" "$tmp/b" || bad "setup, second time"
(cd "$tmp/a" && find . -path ./.git -prune -o -type f -printf '%m %p\n' | sort) > "$tmp/la"
(cd "$tmp/b" && find . -path ./.git -prune -o -type f -printf '%m %p\n' | sort) > "$tmp/lb"
cmp -s "$tmp/la" "$tmp/lb" && diff -r -x .git "$tmp/a" "$tmp/b" >/dev/null \
  && [ "$(git -C "$tmp/a" rev-parse HEAD)" = "$(git -C "$tmp/b" rev-parse HEAD)" ] \
  && diff -r "$tmp/a/.git/hooks" "$tmp/b/.git/hooks" >/dev/null && cmp -s "$tmp/a/.git/config" "$tmp/b/.git/config" \
  && say "setup twice: the same ($(git -C "$tmp/a" ls-files | wc -l) files)" || bad "setup twice differs"
[ -z "$(git -C "$tmp/a" status --porcelain)" ] || bad "fresh workspace is not clean"
[ "$(git -C "$tmp/a" rev-list --count main)" = 1 ] || bad "not one commit on main"
(cd "$tmp/a" && . ./.env.sh && make -s test >/dev/null 2>&1) || bad "tests of a fresh workspace"

for n in 1 2 3 4 5 6; do
  "$here/check/$n.sh" "$tmp/a" >"$tmp/out" 2>&1; r=$?
  [ $r = 1 ] && grep -q "NOT DONE" "$tmp/out" && say "task $n: check fails on a fresh workspace" || bad "task $n: check on a fresh workspace gave $r: $(cat "$tmp/out")"
  "$here/setup.sh" "$tmp/s$n" || bad "setup"
  "$here/solve/$n.sh" "$tmp/s$n" >"$tmp/out" 2>&1 || bad "task $n: solution: $(cat "$tmp/out")"
  if "$here/check/$n.sh" "$tmp/s$n" >"$tmp/out" 2>&1; then say "task $n: solution passes"; else bad "task $n: $(cat "$tmp/out")"; fi
  for m in 1 2 3 4 5 6; do
    [ $m = $n ] || ! "$here/check/$m.sh" "$tmp/s$n" >/dev/null 2>&1 || bad "solution $n passes check $m"
  done
done

python3 - "$here" "$tmp" <<'P' || fail=1
import json, os, re, subprocess, sys
here, tmp = sys.argv[1:]
Q = json.load(open(here + "/QUIRKS.json")); ok = len(Q) == 8
for q in Q:
    w = "%s/q-%s" % (tmp, q["id"])
    subprocess.run([here + "/setup.sh", w], check=True)
    r = subprocess.run(["bash", "-c", ". ./.env.sh\n" + q["wrong_call_example"]], cwd=w, capture_output=True, text=True)
    out = r.stdout + r.stderr
    good = r.returncode != 0 and re.search(q["error_text"], out)
    cures = [p["id"] for p in Q if re.search(q["cure_regex"], p["cure"])]
    errs = [p["id"] for p in Q if re.search(p["error_text"], out)]
    if not good or cures != [q["id"]] or errs != [q["id"]] or len(q["tasks"]) < 4:
        ok = False; print("FAIL: quirk", q["id"], r.returncode, out.strip(), cures, errs)
    else:
        print("quirk %s: %s" % (q["id"], [x for x in out.splitlines() if re.search(q["error_text"], x)][0]))
# no paper of the repository, and no task, gives a cure away
leaks = {"desk": r"STAGE_DESK", "light": r"(?i)work(ing)?[ _-]?light", "square": r"\bsquares?\b", "ink": r"(?i)\bstage ink\b|\bsoft marks?\b", "export": r"tour_export", "docket": r"(?i)docket", "line": r'"line"'}
for d in ("template/docs", "template/README.md", "template/Makefile", "tasks"):
    p = os.path.join(here, d)
    for f in ([os.path.join(p, x) for x in os.listdir(p)] if os.path.isdir(p) else [p]):
        for k, rx in leaks.items():
            if re.search(rx, open(f).read()): ok = False; print("FAIL: leak of", k, "in", f)
for f in ("house.bin", "house.store", "run.pyc"):
    b = open(os.path.join(tmp, "a/bin/.lib", f), "rb").read()
    for word in (b"STAGE_DESK", b"is dark", b"worklight", b"Docket", b"SQLite format"):
        if word in b: ok = False; print("FAIL: readable", word, f)
sys.exit(not ok)
P
[ $fail = 0 ] && echo "ALL VERIFIED" || { echo "NOT VERIFIED"; exit 1; }
