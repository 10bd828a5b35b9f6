import json, os, re, subprocess, sys
n, dest = int(sys.argv[1]), os.path.abspath(sys.argv[2])
here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(here, "tool"))
sys.dont_write_bytecode = True
import gen
sys.excepthook = lambda t, e, tb: print("task %d: cannot be checked (%s: %s)" % (n, t.__name__, str(e).split("\n")[0]))
COMMITS = 7


def yes(cond, why):
    if not cond:
        print("task %d: %s" % (n, why))
        sys.exit(1)


def git(*a):
    return subprocess.run(["git", "-C", dest] + list(a), capture_output=True, text=True).stdout


os.environ["LATH_ROOT"] = dest
ns = {"__name__": "lath"}
exec(compile(open(os.path.join(here, "tool", "lath.py")).read(), "lath", "exec"), ns)
try:
    s = ns["load"]()
except Exception as e:
    yes(False, "the state cannot be read (%s)" % e)
want = {k: ns["parse_unit"](t) for k, t in gen.units().items()}
old = {k: dict(v) for k, v in want.items()}


def show(p):
    return git("show", "main:" + p)


# ---- what the units should be
if n == 1:
    for r in ("nw1", "se2"):
        want["prod", r, "ledger-api"].update({"replicas": "9", "set:burst": "40"})
        want["trial", r, "ledger-api"].update({"replicas": "4", "set:burst": "40"})
elif n == 2:
    for e in ("trial", "prod"):
        for u in ("crate-label", "quote-desk"):
            x = want[e, "ap3", u]
            x["module"] = "http-edge@3"
            x["set:rest"] = x.pop("set:idle")
            x["set:drain"] = str(int(x["set:rest"]) // 2)
elif n == 3:
    for r, u in (("se2", "rates-cache"), ("se2", "gate"), ("ca4", "id-desk")):
        for e in ("trial", "prod"):
            want[e, r, u]["backup"] = "daily"
elif n == 4:
    for e, rep, mem in (("trial", "1", "256"), ("prod", "3", "640")):
        want[e, "nw1", "parcel-notify"] = {
            "unit": "parcel-notify", "keeper": "courier", "module": "queue-worker@2", "tier": "silver", "replicas": rep, "memory": mem,
            "port": "7306", "backup": "weekly", "link:parcel-track": "7301", "link:mail-out": "7505", "set:lease": "30", "set:retries": "5"}
elif n == 5:
    for e in ("trial", "prod"):
        want[e, "ca4", "stock-feed"]["port"] = "7415"
        for k, x in want.items():
            if k[:2] == (e, "ca4") and "link:stock-feed" in x:
                x["link:stock-feed"] = "7415"
elif n == 6:
    for e in ("trial", "prod"):
        del want[e, "se2", "old-quote"]
        for k, x in want.items():
            if k[:2] == (e, "se2"):
                x.pop("link:old-quote", None)

# ---- files on main
paths = [p for p in git("ls-tree", "-r", "--name-only", "main", "units").split("\n") if p]
have = {tuple(p[6:-5].split("/")) for p in paths if p.endswith(".unit")}
for k in sorted(set(want) | have):
    p = "units/%s/%s/%s.unit" % k
    yes(k in have, "%s is missing on main" % p)
    yes(k in want, "%s should not be on main" % p)
changed = [k for k in want if want[k] != old.get(k)]
for k in sorted(changed):
    got = ns["parse_unit"](show("units/%s/%s/%s.unit" % k))
    if n == 4:
        got.pop("note", None)
    yes(got == want[k], "units/%s/%s/%s.unit is not right: %s" % (k + (ns["changes"](want[k], got),)))
base = git("rev-list", "--reverse", "main").split()
yes(len(base) > COMMITS, "nothing committed on main")
touched = [p for p in git("diff", "--name-only", "--no-renames", base[COMMITS - 1], "main", "--", "units").split("\n") if p]
should = {"units/%s/%s/%s.unit" % k for k in set(changed) | (set(old) - set(want))}
extra = sorted(set(touched) - should)
yes(not extra, "%s was changed too" % (extra[0] if extra else ""))
yes(git("rev-parse", "--abbrev-ref", "HEAD").strip() == "main", "HEAD is not main")
yes(not git("status", "--porcelain").strip(), "work tree is not clean")

# ---- what runs
for k in sorted(set(want) | set(old)):
    t = "%s@%s.%s" % (k[2], k[1], k[0])
    a = s["applied"].get(t)
    if n == 4 and a:
        a = {x: y for x, y in a.items() if x != "note" or "note" in want.get(k, {})}
    yes(a == want.get(k), "%s does not run as it should" % t)
yes(not s["bolts"], "a bolt is still on: %s" % " ".join(s["bolts"]))
for e in gen.ENVS:
    for r in gen.REGIONS:
        yes(ns["map_fresh"](r, e), "maps/%s-%s.map is behind" % (e, r))

# ---- commits, pages, tests
for c in base[COMMITS:]:
    sub = git("log", "-1", "--format=%s", c).strip()
    m = re.match(r"\[r(\d+)\] \S", sub)
    k = len([p for p in git("diff-tree", "-r", "--no-commit-id", "--name-only", "--no-renames", c).split("\n") if p.startswith("units/") and p.endswith(".unit")])
    yes(m and int(m[1]) == k, "commit %s does not tell its reach (%d)" % (c[:8], k))
if n == 5:
    yes(len(base) == COMMITS + 1, "it should be one commit")
    yes("7415 stock-feed" in show("docs/house/ports.md") and "7410 stock-feed" in show("docs/house/ports.md"), "the register is not right")
if n == 4:
    yes("7306 parcel-notify" in show("docs/house/ports.md"), "the register does not list 7306 parcel-notify")
    page = show("docs/runbooks/parcel-notify.md")
    yes(re.search(r"^Runs in: *nw1\W*$", page, re.M), "runbook page: Runs in line")
    m = re.search(r"^Leans on: *(.*)$", page, re.M)
    yes(m and "parcel-track" in m[1] and "mail-out" in m[1], "runbook page: Leans on line")
if n == 6:
    m = re.search(r"^Runs in: *(.*)$", show("docs/runbooks/old-quote.md"), re.M)
    yes(m and "nw1" in m[1] and "se2" not in m[1], "runbook page: Runs in line")
r = subprocess.run([sys.executable, "-B", "-m", "unittest", "discover", "-s", "tests"], cwd=dest, capture_output=True)
yes(r.returncode == 0, "tests fail")
print("task %d: done" % n)
