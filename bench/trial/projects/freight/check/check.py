import hashlib, json, os, subprocess, sys
n, dest = int(sys.argv[1]), os.path.abspath(sys.argv[2])
here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(here, "tool"))
sys.dont_write_bytecode = True
import seed
sys.excepthook = lambda t, e, tb: print("task %d: cannot be checked (%s: %s)" % (n, t.__name__, str(e).split("\n")[0]))


def no(why):
    print("task %d: %s" % (n, why))
    sys.exit(1)


def yes(cond, why):
    if not cond:
        no(why)


def git(*a):
    return subprocess.run(["git", "-C", dest] + list(a), capture_output=True, text=True).stdout


ns = {"__name__": "hawser"}
os.environ["HAWSER_HOME"] = dest
exec(compile(open(os.path.join(here, "tool", "hawser.py")).read(), "hawser", "exec"), ns)
try:
    b = ns["load"]()
except Exception as e:
    no("the store cannot be read (%s)" % getattr(e, "detail", e))
old = seed.books()
COMMITS = 5 if "Pages after the reorganisation" in git("log", "--format=%s", "main").split("\n") else 4


def repo(*reports):
    new = git("rev-list", "main").split()
    yes(git("rev-parse", "--abbrev-ref", "HEAD").strip() == "main", "HEAD is not main")
    yes(len(new) > COMMITS, "nothing committed on main")
    yes(not git("status", "--porcelain").strip(), "work tree is not clean")
    used = set()
    for c in new[:len(new) - COMMITS]:
        m = [l.split()[1] for l in git("log", "-1", "--format=%B", c).splitlines() if l.startswith("Docket: ") and len(l.split()) == 2]
        yes(m and b["dockets"].get(m[-1]) and m[-1] not in ("D-1012", "D-1019", "D-1030", "D-1041") and m[-1] not in used,
            "commit %s has no docket of its own" % c[:8])
        used.add(m[-1])
    files = {}
    for p in git("ls-tree", "-r", "--name-only", "main", "reports").split():
        if p.endswith(".md"):
            files[os.path.basename(p)] = subprocess.run(["git", "-C", dest, "show", "main:" + p], capture_output=True).stdout
    yes(git("show", "main:reports/INDEX.json") == ns["index_of"](files), "reports/INDEX.json is stale")
    for name, key in reports:
        f = "%s-%s.md" % (name, key)
        yes(f in files, "reports/%s is not committed" % f)
        yes(files[f].decode() == ns["render"](b, name, key), "reports/%s is not what the books say" % f)


def manifest(sailing, day, ids):
    ms = [(k, m) for k, m in b["manifests"].items() if m["sailing"] == sailing and m["state"] != "void"]
    yes(len(ms) == 1, "%d manifests of %s" % (len(ms), sailing))
    k, m = ms[0]
    yes(m["state"] == "closed", "%s is not closed" % k)
    yes(m["day"] == day, "%s: loading day %s" % (k, m["day"]))
    yes(sorted(m["shipments"]) == sorted(ids), "%s: wrong shipments %s" % (k, m["shipments"]))
    return k


def customs(sid, want, entry):
    got = sorted((l["hs"], l["goods"], l["kg"], l["value"]["cur"], l["value"]["minor"], l["entry"]) for l in b["customs"].get(sid, []))
    yes(got == sorted(w + (entry,) for w in want), "customs lines of %s are not right" % sid)


def same(*tables):
    for t in tables:
        yes(b[t] == old[t], "%s were changed" % t)


def tests():
    r = subprocess.run([sys.executable, "-B", "-m", "unittest", "discover", "-s", "tests"], cwd=dest, capture_output=True, text=True)
    yes(r.returncode == 0, "tests fail")


if n == 1:
    ids = [k for k, s in old["shipments"].items() if s["lane"] == "BLT" and s["status"] == "ready" and s["ready"] <= "2031-03-06"]
    k = manifest("BLT-1107", "2031-03-06", ids)
    same("customs", "tariffs", "charges")
    repo(("manifest", k))
elif n == 2:
    customs("S-2041", [("84139100", "pump housings", 412, "EUR", 328450), ("84139200", "lift parts", 96, "EUR", 91105),
                       ("84821010", "ball bearings", 58, "EUR", 119000), ("84841000", "gasket sets", 22, "EUR", 30740),
                       ("85015220", "motors 0.75 kW", 604, "EUR", 745000), ("73181582", "hex bolts", 140, "EUR", 26875),
                       ("40169300", "rubber seals", 128, "EUR", 51990)], "2031-03-06")
    same("shipments", "manifests", "tariffs", "charges")
    repo(("customs", "S-2041"))
elif n == 3:
    want = {"light": 2975, "middle": 2620, "heavy": 2180, "floor": 7250}
    doc = json.loads(git("show", "main:data/tariffs/NRS.json"))
    for band, v in want.items():
        yes(b["tariffs"]["NRS"][band] == old["tariffs"]["NRS"][band] + [{"rate": {"cur": "GBP", "minor": v}, "from": "2031-03-31"}],
            "books: band %s is not right" % band)
        yes(doc["bands"][band] == [{"from": r["from"], "minor": r["rate"]["minor"]} for r in b["tariffs"]["NRS"][band]],
            "data/tariffs/NRS.json: band %s is not right" % band)
    same("shipments", "manifests", "charges")
    yes(all(b["tariffs"][l] == old["tariffs"][l] for l in ("BLT", "IBR")), "another lane was changed")
    tests()
    repo(("tariff", "NRS"))
elif n == 4:
    new = [k for k in b["shipments"] if k not in old["shipments"]]
    yes(len(new) == 1, "%d new shipments" % len(new))
    s = b["shipments"][new[0]]
    want = dict(shipper="Delft Works", consignee="Casa Vilarinho", lane="IBR", goods="lamps", pieces=11, kg=640, cbm=2.85, ready="2031-03-10")
    for f, v in want.items():
        yes(s[f] == v, "%s: %s is %r" % (new[0], f, s[f]))
    customs(new[0], [("94051190", "ceiling lamps", 280, "EUR", 412000), ("94052190", "table lamps", 205, "EUR", 265550),
                     ("94059900", "lamp parts", 95, "EUR", 48025), ("85395200", "LED bulbs", 60, "EUR", 100980)], "2031-03-12")
    k = manifest("IBR-0632", "2031-03-12", new)
    same("tariffs", "charges")
    repo(("manifest", k), ("customs", new[0]))
elif n == 5:
    want = sorted((k, "correction", seed.charge("BLT", old["shipments"][k], True) - seed.charge("BLT", old["shipments"][k]))
                  for k in ("S-2010", "S-2034", "S-2046"))
    yes(b["charges"][:len(old["charges"])] == old["charges"], "old charges were changed")
    got = b["charges"][len(old["charges"]):]
    yes(sorted((c["shipment"], c["kind"], c["amount"]["minor"]) for c in got) == want, "the corrections are not right")
    yes(all(c["on"] == "2031-03-05" and c["amount"]["cur"] == "EUR" for c in got), "day or currency of a correction is not right")
    same("shipments", "manifests", "customs", "tariffs")
    src = git("show", "main:forwarding/rating.py")
    m = {"__name__": "x"}
    exec(src, m)
    for kg, cbm, ratio, w in ((452, .1, 333, 460), (450, .1, 333, 450), (441, 1, 333, 450), (10, 6.2, 333, 2070), (1, 2.0, 300, 600), (100, 1.5, 300, 450)):
        yes(m["chargeable_kg"](kg, cbm, ratio) == w, "chargeable_kg(%s, %s, %s) is not %s" % (kg, cbm, ratio, w))
    tests()
    import tempfile, shutil
    with tempfile.TemporaryDirectory() as t:
        subprocess.run("git -C '%s' archive main forwarding tests data | tar -x -C '%s'" % (dest, t), shell=True, check=True)
        shutil.copy(os.path.join(here, "template", "forwarding", "rating.py"), os.path.join(t, "forwarding", "rating.py"))
        r = subprocess.run([sys.executable, "-B", "-m", "unittest", "discover", "-s", "tests"], cwd=t, capture_output=True)
        yes(r.returncode != 0, "no test fails on the old code")
    repo(("charges", "BLT"))
elif n == 6:
    ids = old["manifests"]["M-017"]["shipments"]
    yes(b["manifests"]["M-017"]["state"] == "void", "M-017 is not void")
    yes(not any(h["sailing"] == "NRS-0412" and h["state"] == "held" for h in b["holds"].values()), "room is still held on NRS-0412")
    yes(not [m for m in b["manifests"].values() if m["sailing"] == "NRS-0414" and m["state"] != "void"], "NRS-0414 has a manifest")
    k = manifest("NRS-0415", "2031-03-07", ids)
    customs("S-2006", [(l["hs"], l["goods"], l["kg"], l["value"]["cur"], l["value"]["minor"]) for l in old["customs"]["S-2006"]], "2031-03-07")
    same("tariffs", "charges")
    repo(("manifest", k), ("customs", "S-2006"))
print("task %d: done" % n)
