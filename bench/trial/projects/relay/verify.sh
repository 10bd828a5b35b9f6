#!/bin/bash
# verify.sh: checks, solutions, quirks, and that setup is deterministic
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
t=$(mktemp -d)
trap 'rm -rf "$t"' EXIT
fail=0
no() { echo "NOT VERIFIED: $*"; fail=1; }
bash "$here/setup.sh" "$t/fresh" || no setup
for n in 1 2 3 4 5 6; do
    bash "$here/check/$n.sh" "$t/fresh" >/dev/null 2>&1 && no "check $n passes on a fresh workspace"
    bash "$here/setup.sh" "$t/s$n"
    if ! bash "$here/solve/$n.sh" "$t/s$n" >"$t/log" 2>&1; then no "solution $n: $(tail -5 "$t/log")"
    elif ! bash "$here/check/$n.sh" "$t/s$n" >"$t/log" 2>&1; then no "solution $n does not pass: $(cat "$t/log")"
    else echo "task $n: fresh fails, solution passes"; fi
    w=$(wc -w < "$here/tasks/$n.md"); [ "$w" -ge 60 ] && [ "$w" -le 200 ] || no "task $n has $w words"
done
python3 - "$here" "$t" <<'P' || fail=1
import json, re, shutil, subprocess, sys
here, t = sys.argv[1:]
quirks = json.load(open(here + "/QUIRKS.json"))
bad = len(quirks) != 8
texts = [(q["id"], q["cure"]) for q in quirks]
tree = subprocess.run("cat README.md docs/*; bin/imgpack --help; make help", shell=True, cwd=t + "/fresh", capture_output=True, text=True).stdout
# what a newcomer reads must not look like an error
sources = subprocess.run("git ls-files -z | xargs -0 cat", shell=True, cwd=t + "/fresh", capture_output=True, text=True).stdout
for q in quirks:
    w = t + "/q"
    subprocess.run(["bash", here + "/setup.sh", w], check=True)
    r = subprocess.run(["bash", "-c", ". ./.env.sh; " + q["wrong_call_example"]], cwd=w, capture_output=True, text=True)
    out = r.stdout + r.stderr
    shutil.rmtree(w)
    why = []
    if r.returncode == 0: why.append("exit code 0")
    if not re.search(q["error_text"], out): why.append("error_text is not in " + out)
    for i, text in texts:
        if bool(re.search(q["cure_regex"], text)) != (i == q["id"]): why.append("cure_regex and cure of " + i)
    if re.search(q["error_text"], sources): why.append("error_text is in the repository")
    if len(q["tasks"]) < 4: why.append("too few tasks")
    for n in range(1, 7):
        if re.search(q["cure_regex"], open("%s/tasks/%d.md" % (here, n)).read()): why.append("task %d names the cure" % n)
    m = re.search(q["cure_regex"], tree)
    if m: why.append("documents or help name the cure: " + m[0])
    print("quirk %s: %s" % (q["id"], "; ".join(why) or "met"))
    bad |= bool(why)
sys.exit(bad)
P
bash "$here/setup.sh" "$t/again"
(cd "$t/fresh" && git rev-parse HEAD && find . -type f ! -path './.git/*' | sort | xargs sha256sum) >"$t/a"
(cd "$t/again" && git rev-parse HEAD && find . -type f ! -path './.git/*' | sort | xargs sha256sum) >"$t/b"
cmp -s "$t/a" "$t/b" && echo "setup twice: the same" || no "setup twice differs"
[ $fail = 0 ] && echo "ALL VERIFIED"
exit $fail
