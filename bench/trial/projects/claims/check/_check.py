"""_check.py N WORKSPACE: judge the result of a task (state of the store, committed files)."""
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
n, ws = sys.argv[1], Path(sys.argv[2]).resolve()
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))
import mkdata

TICKET = {"1": "MD-301", "2": "MD-304", "3": "MD-309", "4": "MD-312", "5": "MD-318", "6": "MD-325"}[n]
KIND = {"1": "opened", "2": "assessed", "3": "settled", "4": "caseload", "5": "corrections", "6": "bordereau"}[n]


def fail(text):
    print(f"task {n}: {text}")
    sys.exit(1)


def need(ok, text):
    if not ok:
        fail(text)


def git(*a, ok=True):
    r = subprocess.run(["git", "-C", str(ws), *a], capture_output=True, text=True)
    need(not ok or r.returncode == 0, f"git {a[0]} fails")
    return r.stdout


need((ws / "store" / "desk.db").exists() and (ws / ".git").exists(), "no workspace")
need(git("rev-parse", "--abbrev-ref", "HEAD").strip() == "main", "HEAD is not on main")
root = git("rev-list", "--max-parents=0", "HEAD").split()[-1]
new = git("rev-list", f"{root}..HEAD").split()
need(new, "nothing is committed")
need(not git("status", "--porcelain").strip(), "work tree is not clean")
heads = [git("log", "-1", "--format=%B", c).split("\n")[0] for c in new]
for h in heads:
    need(re.fullmatch(r"MD-\d+; (open|assess|settle|assign|correct|report); \S.*", h), f"the hook would refuse: {h}")
need(any(h.startswith(TICKET + ";") for h in heads), f"no commit is for {TICKET}")

db = sqlite3.connect(f"file:{ws}/store/desk.db?mode=ro", uri=True)
db.row_factory = sqlite3.Row
T = mkdata.tables()
COLS = "ref policy object peril lossdate opened status adjuster reserve assessed appraiser flag summary".split()
want = {c[0]: dict(zip(COLS, c)) for c in T["claims"]}
OBJ = {o[0]: o for o in T["objects"]}
CUR = {p[0]: p[2] for p in T["policies"]}
have = {r["ref"]: dict(r) for r in db.execute("select * from claims")}
fresh = sorted(r for r in have if r not in want and have[r]["status"] != "withdrawn")
grounds, notes, pays, limits, texts = [], [], [], {}, {}


def base(name):
    return git("show", f"{root}:{name}")


def head(name):
    return git("show", f"HEAD:{name}", ok=False)


def expect(ref, act, article, **kw):
    want[ref].update(kw)
    grounds.append((ref, act, article))


if n == "1":
    need(len(fresh) == 2, f"{len(fresh)} new live files instead of 2")
    exp = {"O-10010": 1840000, "O-10016": 625000}
    need({have[r]["object"] for r in fresh} == set(exp), "new files are for the wrong objects")
    for r in fresh:
        o = have[r]["object"]
        want[r] = dict(ref=r, policy="P-2200", object=o, peril="W06", lossdate="2027-03-15", opened=mkdata.DAY, status="open", adjuster="mdv", reserve=exp[o],
                       assessed=None, appraiser=None, flag=None, summary="sprinkler in store room 3")
        grounds += [(r, "claim.reserve", "R-104"), (r, "claim.assign", "A-402")]
    texts["desk/standing.tsv"] = base("desk/standing.tsv") + "M004\tcontact\tMs Halina Voss, +49 3441 20\t2027-03-18\n"
else:
    need(not fresh, f"new live files: {fresh}")
if n == "2":
    for ref, v, a in [("27-0281", 562000, "AP-17"), ("27-0284", 2100000, "AP-33"), ("27-0287", 0, "AP-17"), ("27-0290", 390990, "AP-33")]:
        expect(ref, "claim.assess", "V-206", status="assessed", assessed=v, appraiser=a)
        notes.append((ref, "Appraisal of 17 March entered (MD-304)."))
    texts["desk/appraisers.tsv"] = base("desk/appraisers.tsv") + "AP-33\tMette Thorvald\tpaper and models\n"
if n == "3":
    expect("27-0296", "claim.settle", "S-312", status="settled")
    expect("27-0299", "claim.settle", "S-307", status="settled")
    pays = [("27-0296", "L-07", 5640000), ("27-0296", "M016", 2820000), ("27-0299", "M011", 318050)]
    limits = json.loads(base("desk/limits.json"))
    limits["authority"]["B"]["CHF"] = 9000000
if n == "4":
    for c in list(want.values()):
        if c["adjuster"] == "okl" and c["status"] in ("open", "assessed"):
            expect(c["ref"], "claim.assign", "A-413", adjuster={"textiles": "nyk", "paper": "nyk", "metal": "hna", "glass": "hna"}.get(OBJ[c["object"]][3], "cde"))
            notes.append((c["ref"], "Handed over from O. Kestrel (MD-312)."))
    texts["desk/roster.tsv"] = base("desk/roster.tsv").replace("okl\tOona Kestrel\tsculpture\tB\tactive", "okl\tOona Kestrel\tsculpture\tB\tleave")
if n == "5":
    for r in ("27-0341", "27-0342", "27-0343", "27-0344"):
        expect(r, "claim.correct", "K-508", peril="W07", lossdate="2027-03-07")
        notes.append((r, "Corrected after MD-318."))
    expect("27-0342", "claim.reserve", "R-131", reserve=452000)
    grounds.append(("27-0346", "payment.void", "P-805"))
    texts["desk/perils.tsv"] = base("desk/perils.tsv").replace("W02\tburst pipe\t", "W02\tburst pipe (not the roof)\t")
if n == "6":
    limits = json.loads(base("desk/limits.json"))
    limits["cession"] = {"EUR": 7500000, "CHF": 8000000, "GBP": 6500000}
    expect("27-0358", "claim.reserve", "R-117", reserve=8100000)
    tot = {}
    for c in want.values():
        k = CUR[c["policy"]]
        if c["flag"] != "ceded" and c["status"] in ("open", "assessed") and c["reserve"] >= limits["cession"][k]:
            expect(c["ref"], "claim.flag", "F-604", flag="ceded")
        if c["flag"] == "ceded":
            a = tot.setdefault(k, [0, 0])
            a[0] += 1
            a[1] += c["reserve"]
    texts["reports/bordereau-summary-2027-03-18.md"] = "".join(f"- {k}: {a[0]} files, " + f"{a[1] / 100:,.2f}".replace(",", " ") + "\n" for k, a in sorted(tot.items()))

for ref, w in want.items():
    for k in COLS:
        need(have[ref][k] == w[k], f"file {ref}: {k} is {have[ref][k]!r}")
for ref, act, art in grounds:
    e = db.execute("select article from events where ref=? and act=? order by n", (ref, act)).fetchall()
    need(any(x[0] == art for x in e), f"file {ref}: ground of {act}")
for ref, t in notes:
    need(db.execute("select 1 from events where ref=? and act='claim.note' and trim(text)=?", (ref, t)).fetchone(), f"file {ref}: note is missing")
old = [p for p in T["payments"] if not (n == "5" and p[0] == "Y-5302")]
live = sorted((r["ref"], r["payee"], r["amount"]) for r in db.execute("select * from payments where status='live'"))
need(live == sorted([(p[1], p[2], p[3]) for p in old] + pays), "payments are not what they should be")
if n == "5":
    need(db.execute("select status from payments where id='Y-5301'").fetchone()[0] == "live", "the wrong payment was voided")
if limits:
    try:
        got = json.loads(head("desk/limits.json"))
    except ValueError:
        fail("desk/limits.json cannot be read")
    need(got == limits, "desk/limits.json is not right")
norm = lambda s: "\n".join(x.rstrip() for x in s.replace(": 1 file,", ": 1 files,").strip().splitlines())
for name in ["desk/appraisers.tsv", "desk/perils.tsv", "desk/roster.tsv", "desk/standing.tsv"] + list(texts):
    need(norm(head(name)) == norm(texts.get(name, None) or base(name)), f"{name} is not right")
if not limits:
    need(json.loads(head("desk/limits.json") or "0") == json.loads(base("desk/limits.json")), "desk/limits.json was changed")

# the committed report and sheet are what the program draws from the store now
day = mkdata.DAY
need(head(f"reports/{KIND}-{day}.tsv"), f"report {KIND} is not committed")
with tempfile.TemporaryDirectory() as t:
    c = Path(t) / "w"
    need(subprocess.run(["git", "clone", "-q", str(ws), str(c)], capture_output=True).returncode == 0, "cannot clone")
    shutil.copytree(ws / "bin", c / "bin")
    shutil.copytree(ws / "store", c / "store")
    arg = json.dumps({"kind": KIND})
    env = dict(os.environ, PLINTH_SEAT="loft")
    r = None
    for extra in ([], ["--seat", "loft"]):
        r = subprocess.run([str(c / "bin" / "plinth"), *extra, "call", "report.run", arg], env=env, cwd=c, capture_output=True, text=True)
        if r.returncode == 0:
            break
        if "E31" not in r.stderr and "usage" not in r.stderr:
            break
    need(r.returncode == 0, f"the report cannot be drawn: {r.stderr.strip()[:100]}")
    diff = subprocess.run(["git", "-C", str(c), "status", "--porcelain"], capture_output=True, text=True).stdout.strip()
    need(not diff, f"not up to date in the commit: {diff}")
print(f"task {n}: ok")
