"""check.py N DEST: is task N done in the workspace DEST? Looks at results only."""
import json, os, re, shutil, subprocess, sys, tempfile
n, dest = int(sys.argv[1]), os.path.abspath(sys.argv[2])
here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True


def yes(cond, why):
    if not cond:
        print("task %d: %s" % (n, why))
        sys.exit(1)


def broken(kind, error, trace):
    print("task %d: cannot be checked (%s: %s)" % (n, kind.__name__, str(error).split("\n")[0]))


sys.excepthook = broken


def git(*a):
    return subprocess.run(["git", "-C", dest] + list(a), capture_output=True, text=True).stdout


commits = git("rev-list", "main").split()
changed = "Letters of the week {11 of 216}" in git("log", "--format=%s", "main").split("\n")
base = 5 if changed else 4
yes(git("rev-parse", "--abbrev-ref", "HEAD").strip() == "main", "HEAD is not main")
yes(len(commits) > base, "nothing committed on main")
yes(not git("status", "--porcelain").strip(), "work tree is not clean")
start = commits[-base]
yes(not git("diff", "--name-only", start, "main", "--", "bin", "specs", ".gitignore").strip(), "bin or specs were changed")
sys.path[:0] = [os.path.join(here, "tool", "pippin"), os.path.join(here, "tool")]
import figures
figures.FORM = 2 if changed else 1
import books, rooms, lots as lots_module, seed
b = books.Books(dest)
yes(not b.waiting, "the tray is not empty")
yes(not any(b.is_open(r) for r in b.t["rooms"]), "a room is open")
yes(b.sum() == b.folds[-1]["sum"] and b.folds[-1]["fold"] > 216, "the store is not folded")
for r in b.t["rooms"]:
    yes(not rooms.is_old(b, r), "the strip of %s is old" % r)
    rooms.probes(b, r)
for c in commits[:-base]:
    f = json.loads(git("show", c + ":store/folds.jsonl").strip().split("\n")[-1])
    want = "{%d of %d}" % (f["rows"], f["fold"]) if changed else "[%d/%d] " % (f["fold"], f["rows"])
    s = git("log", "-1", "--format=%s", c).strip()
    yes(s.endswith(want) if changed else s.startswith(want), "commit %s has a wrong subject" % c[:8])
old = {t: {str(r[books.TABLES[t]]): r for r in rows} for t, rows in seed.tables().items()}


def only(table, *keys):
    """Rows other than these are as they were; returns the rows that are new."""
    for k, r in old[table].items():
        yes(k in keys or b.t[table].get(k) == r, "%s %s was changed" % (table, k))
    return [r for k, r in b.t[table].items() if k not in old[table]]


def same(*tables):
    for t in tables:
        yes(not only(t), "%s has new rows" % t)


def files(*allowed):
    for f in git("diff", "--name-only", start, "main", "--", "sensors", "fruit", "docs", "tests").split():
        yes(f in allowed, "%s was changed" % f)


def batch(k, **want):
    for f, v in {**old["batches"].get(k, {}), **want}.items():
        yes(b.t["batches"][k][f] == v, "%s: %s is %r" % (k, f, b.t["batches"][k][f]))


def sampled(k, *pairs):
    got = sorted((s["firm"], s["brix"]) for s in b.t["samples"].values() if s["batch"] == k)
    yes(got == sorted(pairs), "samples of %s are %s" % (k, got))


def lot(order, **want):
    found = [l for l in b.t["lots"].values() if l["order"] == order and l["state"] != "broken"]
    yes(len(found) == 1 and found[0]["state"] == "sealed", "not one sealed lot for %d" % order)
    got = {}
    for k, kg in found[0]["loads"]:
        yes(kg <= 24000, "a load is too heavy")
        got[k] = got.get(k, 0) + kg
    yes(got == {k.replace("_", "-"): v for k, v in want.items()}, "lot of %d has %s" % (order, got))
    yes(found[0]["plate"] == lots_module.right_plate(b, found[0]), "wrong plate")
    yes(b.t["orders"][str(order)] == dict(old["orders"][str(order)], state="packed"), "order %d is not packed" % order)
    return str(found[0]["lot"])


def new_lots(keep):
    for k, l in b.t["lots"].items():
        yes(k in old["lots"] or k == keep or l["state"] == "broken", "lot %s too many" % k)


def tests(root=dest):
    with tempfile.TemporaryDirectory() as d:
        b.dump(d)
        return subprocess.run([sys.executable, "-B", "-m", "unittest", "discover", "-s", "tests", "-t", "."], cwd=root, env=dict(os.environ, PIPPIN_BENCH=d), capture_output=True).returncode == 0


same("rooms", "customers", "growers", "readings", "plant")
if n == 1:
    yes(not only("batches", "B-3120", "B-3124"), "a batch was added")
    batch("B-3120", **{"class": "A"})
    batch("B-3124", **{"class": "C", "room": "R5"})
    only("samples")
    sampled("B-3120", (64, 129), (61, 126), (66, 131))
    sampled("B-3124", (47, 112), (45, 109), (49, 106))
    same("lots", "orders", "probes")
    files()
elif n == 2:
    yes(not only("batches", "B-3107", "B-3112"), "a batch was added")
    only("lots")
    only("orders", "4417")
    new_lots(lot(4417, B_3107=41000, B_3112=27000))
    batch("B-3107", kg=0)
    batch("B-3112", kg=59700)
    same("samples", "probes")
    files()
elif n == 3:
    p = rooms.probes(b, "R2")
    want = {"R2-p1": dict(serial="KX-20465", offset=0, low=2, high=22, place="door side"), "R2-p2": dict(serial="KX-20476", offset=3, low=2, high=22, place="middle, low"),
            "R2-p3": dict(serial="KX-20931", offset=-3, low=4, high=22, place="rear wall")}
    yes(p == want, "sensors/R2.ini is not right: %s" % p)
    yes(only("probes", "KX-20487") == [{"serial": "KX-20931", "probe": "R2-p3", "state": "in"}], "the new probe is not booked")
    yes(b.t["probes"]["KX-20487"]["state"] == "out", "the old probe is not retired")
    same("batches", "samples", "lots", "orders")
    files("sensors/R2.ini")
elif n == 4:
    new = only("batches")
    yes(len(new) == 1, "%d new batches" % len(new))
    k = new[0]["batch"]
    batch(k, grower="G07", variety="elstar", room="R2", bins=21, kg=59500, **{"class": "B", "in": "2033-10-18"})
    only("samples")
    sampled(k, (56, 122), (53, 119), (58, 124))
    same("lots", "orders", "probes")
    files()
elif n == 5:
    yes(not only("batches", "B-3110", "B-3117"), "a batch was added")
    batch("B-3110", **{"class": "B"})
    batch("B-3117", **{"class": "C", "room": "R5"})
    same("samples", "lots", "orders", "probes")
    files("fruit/grading.py", "fruit/sums.py", "docs/grading.md", "tests/test_grading.py")
    yes(re.search(r"softest\s+bin", git("show", "main:docs/grading.md"), re.I), "docs/grading.md does not speak of the softest bin")
    sys.path.append(dest)
    from fruit.grading import class_of
    sheet = {"firm": {"A": 65, "B": 55}, "brix": {"A": 120, "B": 110}}
    for rows, w in (([(65, 120), (90, 120)], "A"), ([(64, 130), (90, 130)], "B"), ([(54, 130), (90, 130)], "C"), ([(70, 110), (70, 131)], "A"), ([(70, 100), (70, 119)], "C"), ([(55, 111)], "B")):
        yes(class_of(sheet, [{"firm": f, "brix": x} for f, x in rows]) == w, "class_of of %s is not %s" % (rows, w))
    with tempfile.TemporaryDirectory() as t:
        subprocess.run("git -C '%s' archive main | tar -x -C '%s'" % (dest, t), shell=True, check=True)
        for f in ("grading", "sums"):
            shutil.copy(os.path.join(here, "template", "fruit", f + ".py"), os.path.join(t, "fruit", f + ".py"))
        yes(not tests(t), "no test fails on the old code")
elif n == 6:
    yes(not only("batches", "B-3098"), "a batch was added")
    only("lots", "36")
    only("orders", "4412", "4421")
    yes(b.t["lots"]["36"]["state"] == "broken", "lot 36 is not broken")
    yes(b.t["orders"]["4412"]["state"] == "cancelled", "order 4412 is not cancelled")
    new_lots(lot(4421, B_3098=53000))
    batch("B-3098", kg=90500 + 64000 - 53000)
    same("samples", "probes")
    files()
yes(tests(), "the tests fail")
print("task %d: done" % n)
