import json, os, re, sqlite3, subprocess, sys
n, dest = int(sys.argv[1]), os.path.abspath(sys.argv[2])
L = lambda keys, *rows: [dict(zip(keys.split(), r)) for r in rows]
V = "patient day time vet reason"
T, F, M = "2025-11-20", "2025-11-21", "2025-11-24"
# changed: {(kind, ref): (state, the fields that matter)}; new: {kind: [fields]}; report: topic, labels
# a label's value "new:KIND" is the reference of the one new record of that kind, a float is a sum
E = {
 1: dict(changed={("visit", r): ("BOOKED", x) for r, x in zip(("V-601", "V-602", "V-603", "V-605", "V-606"), L(V,
        (401, F, "09:00", "LIN", "consultation"), (406, F, "10:00", "OKA", "vaccination"), (412, F, "10:30", "OKA", "surgery"),
        (408, F, "14:00", "OKA", "consultation"), (411, F, "15:30", "LIN", "dental")))},
        new={"letter": L("template patient about", ("moved", 401, "V-601"), ("moved", 406, "V-602"), ("moved", 412, "V-603"), ("moved", 408, "V-605"), ("moved", 411, "V-606"))},
        report=("roster", {"Moved": 5, "Letters": 5})),
 2: dict(changed={}, new={"order": [{"supplier": 3, "day": "2025-11-25", "lines": L("code qty price",
        ("AMX-250", 360, .18), ("CAR-050", 280, .31), ("THY-300", 315, .14), ("ENR-050", 121, .55), ("OME-010", 160, .09))}]},
        report=("order", {"Order": "new:order", "Lines": 5, "Total": 276.65})),
 3: dict(changed={}, new={"invoice": [{"owner": 58, "day": F, "lines": L("patient code qty price",
        (431, "EXM-STD", 1, 48), (431, "AMX-250", 14, .65), (432, "VAC-FEL", 1, 29), (433, "XRY-2V", 1, 92), (433, "CAR-050", 10, 1.15),
        (434, "SUR-NEU", 1, 165), (435, "SPT-FLE", 3, 8.90))}]},
        report=("invoice", {"Invoice": "new:invoice", "Lines": 7, "Total": 381.30})),
 4: dict(changed={("lot", "DH7K21"): ("EMPTY", {"qty": 0, "off": "recall"}), ("lot", "DH7L03"): ("EMPTY", {"qty": 0, "off": "recall"})},
        new={"visit": L(V, (402, M, "09:00", "LIN", "recheck"), (404, M, "10:00", "LIN", "recheck"), (409, M, "11:00", "LIN", "recheck"), (413, M, "11:30", "LIN", "recheck")),
             "letter": L("template patient about", ("recall", 402, "DH7K21"), ("recall", 404, "DH7J90"), ("recall", 409, "DH7K21"), ("recall", 413, "DH7L03"))},
        report=("recall", {"Lots": 3, "Visits": 4, "Letters": 4})),
 5: dict(changed={("rx", r): ("ACTIVE", {"renewed": [[q, T]]}) for r, q in (("X-31", 60), ("X-32", 90), ("X-35", 30), ("X-38", 60))},
        new={"invoice": [{"owner": o, "day": T, "lines": L("patient code qty price", *rows)} for o, rows in (
                (21, [(401, "CAR-050", 60, 1.15)]), (36, [(407, "THY-300", 90, .48), (421, "THY-300", 60, .48)]), (39, [(415, "PRE-005", 30, .28)]))],
             "letter": L("template patient about", ("exam-due", 412, "X-34"), ("exam-due", 418, "X-36"))},
        report=("repeats", {"Renewed": 4, "Refused": 2, "Total": 149.40})),
 6: dict(changed={("order", "O-311"): ("RECEIVED", {})},
        new={"lot": [dict(x, day="2025-11-19", order="O-311") for x in L("ref code qty expiry", ("RB5512", "VAC-RAB", 24, "2026-11"), ("FE204", "VAC-FEL", 25, "2026-12"),
                ("ML881", "MEL-015", 150, "2027-06"), ("SF310", "SPT-FLE", 36, "2027-02"), ("SU77", "SUT-300", 32, "2029-01"))],
             "claim": [{"order": "O-311", "day": "2025-11-19", "lines": L("code qty price", ("VAC-RAB", 16, 4.85), ("MEL-015", 50, .42), ("SPT-FLE", 12, 3.10))}]},
        report=("delivery", {"Order": "O-311", "Accepted": 5, "Claim": "new:claim", "Total": 135.80})),
}[n]
def fail(why):
    print(f"task {n}: {why}"); sys.exit(1)
def canon(x):
    x = {k: float(v) if k in ("price", "qty") else v for k, v in x.items()}
    if "lines" in x:
        x["lines"] = sorted(canon(y) for y in x["lines"])
    return json.dumps(x, sort_keys=True)
try:
    c = sqlite3.connect(f"file:{dest}/.vdesk/state.db?mode=ro", uri=True); c.row_factory = sqlite3.Row
    rows = c.execute("select * from records").fetchall()
except sqlite3.Error as e:
    fail(f"no records: {e}")
changed, new, refs = {}, {}, {}
for r in rows:
    body, orig = json.loads(r["body"]), json.loads(r["orig"]) if r["orig"] else None
    if orig is None:
        if r["state"] not in ("STRUCK", "CANCELLED"):
            new.setdefault(r["kind"], []).append({"ref": r["ref"], **body}); refs.setdefault(r["kind"], []).append(r["ref"])
    elif orig != [r["state"], body]:
        changed[(r["kind"], r["ref"])] = (r["state"], body)
for k in sorted(set(changed) | set(E["changed"])):
    if k not in changed: fail(f"{k[0]} {k[1]} is unchanged")
    if k not in E["changed"]: fail(f"{k[0]} {k[1]} should not have changed: {changed[k]}")
    state, body = E["changed"][k]
    if changed[k][0] != state or any(changed[k][1].get(f) != v for f, v in body.items()): fail(f"{k[0]} {k[1]} is {changed[k]}, expected {E['changed'][k]}")
for kind in sorted(set(new) | set(E["new"])):
    want = E["new"].get(kind, [])
    have = [{f: v for f, v in x.items() if not want or f in want[0]} for x in new.get(kind, [])]
    if sorted(map(canon, have)) != sorted(map(canon, want)): fail(f"new records of kind {kind}: found {have}, expected {want}")
if c.execute("select 1 from books where state='OPEN'").fetchone(): fail("a day book is open")
for ref in refs.get("letter", []):
    if not os.path.exists(f"{dest}/letters/2025-W47/{ref}.md"): fail(f"letter {ref} is not in letters/")
    elif n == 1 and F not in open(f"{dest}/letters/2025-W47/{ref}.md").read(): fail(f"letter {ref} does not give the new date")
if os.path.isdir(f"{dest}/letters/2025-W47") and len(os.listdir(f"{dest}/letters/2025-W47")) != len(refs.get("letter", [])): fail("letters/2025-W47 has other files than the letters printed")
topic, labels = E["report"]
path = f"reports/2025-W47-{topic}.md"
if not os.path.exists(f"{dest}/{path}"): fail(f"{path} is missing")
text = open(f"{dest}/{path}").read()
for k, v in labels.items():
    m = re.search(rf"^{k}: *(.*?)\s*$", text, re.M)
    got = m and m[1].strip("`* ")
    if isinstance(v, float):
        num = re.fullmatch(r"(?:EUR|€)?\s*(\d+(?:\.\d+)?)\s*(?:EUR|€)?", got or "")
        ok = num and abs(float(num[1]) - v) < 0.001
    else:
        ok = got == (refs[v[4:]][0] if isinstance(v, str) and v.startswith("new:") else str(v))
    if not ok: fail(f"{path}: {k} is {got!r}, expected {v}")
m = re.search(r"^## Notes\n+(.*\S)", text, re.M)
if not m or "{{" in text: fail(f"{path}: notes or other placeholders not filled in")
sh = lambda cmd: subprocess.run(["bash", "-c", cmd], cwd=dest, capture_output=True, text=True)
p = sh(". ./.env.sh; make check")
if p.returncode: fail("make check fails: " + p.stdout.strip())
if sh("git diff --quiet $(git rev-list --max-parents=0 main) main -- scripts Makefile templates").returncode: fail("checks or templates were changed")
if sh("git status --porcelain").stdout.strip(): fail("working tree not clean")
for f in [path] + [f"letters/2025-W47/{r}.md" for r in refs.get("letter", [])]:
    if sh(f"git cat-file -e main:{f}").returncode: fail(f"{f} is not committed on main")
bad = [s for s in sh("git log --format=%s main").stdout.splitlines() if not re.match(r"(front|supplies|accounts)/\d\d: .", s)]
if bad: fail(f"commits without desk mark: {bad}")
print(f"task {n}: ok")
