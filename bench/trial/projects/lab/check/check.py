import os, subprocess, sys
n, dest = int(sys.argv[1]), os.path.abspath(sys.argv[2])
here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(here, "tool"))
import seed
os.environ["LAB_HOME"] = dest
ns = {"__name__": "labctl"}
exec(compile(open(os.path.join(here, "tool", "labctl.py")).read(), "labctl", "exec"), ns)


def yes(cond, why):
    if not cond:
        print("task %d: %s" % (n, why))
        sys.exit(1)


def git(*a):
    return subprocess.run(["git", "-C", dest] + list(a), capture_output=True, text=True).stdout


try:
    b = ns["load"]()
except Exception as e:
    yes(False, "the store cannot be read (%s)" % e)
old = seed.data()
D8, D9 = "2029-10-08", "2029-10-09"
t = lambda h, m: h * 60 + m
want = {
    1: ("run", {"method": "M-NO3", "instrument": "IC-2", "started": [D8, t(13, 15)]},
        [{"sample": "W-%04d" % s, "value": v, "read": [D8, r]} for s, v, r in [(411, 2180, t(13, 33)), (412, 940, t(13, 45)), (413, 11300, t(13, 57)), (414, 4065, t(14, 9)),
         (415, 1700, t(14, 21)), (416, 385, t(14, 33)), (417, 3020, t(14, 57)), (418, 7500, t(15, 9))]]),
    2: ("amend", {"sheet": "S-0307", "at": [D9, t(8, 45)], "reason": "dilution 1+1"},
        [{"sample": "W-%04d" % (403 + i), "value": v} for i, v in enumerate([2500, 840, 12200, 154, 3800, 1010])]),
    3: ("intake", {"client": "C-11", "received": [D9, t(8, 5)]},
        [{"label": "W-%04d" % s, "site": p, "volume": v, "taken": [D9, r]} for s, p, v, r in [(431, "L-01", 1000, t(6, 10)), (432, "L-02", 1000, t(6, 24)), (433, "L-06", 750, t(6, 41)),
         (434, "L-09", 2000, t(6, 58)), (436, "L-03", 500, t(7, 7)), (437, "L-08", 1500, t(7, 19))]]),
    4: ("cal", {"method": "M-CL", "instrument": "IC-2", "performed": [D9, t(7, 36)]},
        [{"level": i, "expected": e, "observed": o} for i, (e, o) in enumerate([(0, 14), (500, 507), (1000, 995), (5000, 5021), (10000, 9968), (25000, 25110), (50000, 49870)])]),
    5: ("limit", {"method": "M-PO4", "from": ["2029-11-01", 360]},
        [{"site": s, "action": a, "alarm": a * 3 // 2} for s, a in [("L-04", 100), ("L-05", 100), ("L-07", 80), ("L-03", 250), ("L-08", 1200), ("L-02", 300)]]),
    6: ("split", {"sample": "W-0419", "done": [D9, t(8, 15)]},
        [{"tube": i + 1, "volume": v, "dest": c} for i, (v, c) in enumerate([(150, "C-21")] * 4 + [(200, "C-22")] * 2 + [(50, "C-14")])]),
}
kind, header, rows = want[n]
new = {s: x for s, x in b["sheets"].items() if s not in old["sheets"] and x["state"] != "void"}
yes(new, "no new sheet")
yes(len(new) == 1, "%d new sheets" % len(new))
s, x = next(iter(new.items()))
yes(x["kind"] == kind, "a %s sheet" % x["kind"])
yes(x["header"] == header, "header is %s" % x["header"])
key = lambda r: sorted((k, str(v)) for k, v in r.items())
yes(sorted(x["rows"], key=key) == sorted(rows, key=key), "rows differ")
yes(x["state"] == "released", "sheet %s is %s" % (s, x["state"]))
for o in old["sheets"]:
    exp = old["sheets"][o]
    if n == 2 and o == "S-0307":
        exp = dict(exp, rows=[dict(r, value=r["value"] if r["sample"] == "W-0402" else r["value"] * 2) for r in exp["rows"]])
    yes(b["sheets"][o] == exp, "sheet %s changed" % o)
yes(git("rev-parse", "--abbrev-ref", "HEAD").strip() == "main", "HEAD is not main")
yes(not git("status", "--porcelain").strip(), "work tree is not clean")
recs = git("ls-tree", "-r", "--name-only", "main", "results").split()
yes(set(recs) == {"results/2029/%s.rec" % k for k in list(old["sheets"]) + [s]}, "records in results/ are not those of the sheets")
for p in recs:
    yes(git("show", "main:" + p) == ns["canonical"](ns["export"](b, os.path.basename(p)[:-4])), "%s is not the record" % p)
print("task %d: right" % n)
