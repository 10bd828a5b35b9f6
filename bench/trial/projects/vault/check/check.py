"""check.py TASK WORKSPACE: exit 0 only if the task's result is right."""
import csv, os, shutil, subprocess, sys, tempfile
from pathlib import Path
sys.dont_write_bytecode = True
here = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(here / "tool"))
import core, seed
n, dest = int(sys.argv[1]), Path(sys.argv[2]).resolve()
core.ROOT = dest
OLD_COMMITS = 4


def yes(condition, why):
    if not condition:
        print("task %d: %s" % (n, why))
        sys.exit(1)


def books(kind, want, cards):
    """The repository is in order, `kind` has exactly one new entry with the fields `want`, only `cards` were touched."""
    git = core.git
    commits = git("rev-list", "--first-parent", "main").split()
    yes(git("rev-parse", "--abbrev-ref", "HEAD").strip() == "main", "HEAD is not main")
    yes(len(commits) > OLD_COMMITS, "nothing committed on main")
    yes(not git("status", "--porcelain").strip(), "work tree is not clean")
    for c in commits[:-OLD_COMMITS]:
        try:
            core.daybook(git("show", c + "~:DAYBOOK.txt"), git("show", c + ":DAYBOOK.txt"), git("diff", "--name-only", c + "~", c), git("log", "-1", "--format=%s", c).strip())
        except core.No as e:
            yes(False, "commit %s: %s" % (c[:8], e))
    wrong = core.proof()
    yes(not wrong, "proof: " + "; ".join(wrong))
    first = commits[-OLD_COMMITS]
    touched = {Path(p).stem for p in git("diff", "--name-only", first, "main", "--", "catalogue").split()}
    yes(touched == set(cards), "cards changed: %s" % " ".join(sorted(touched)))
    for k in core.NUMBER:
        found = [t for number, t in core.entries(k) if int(number[2:]) > (seed.START[k] if (k in [e[0] for e in seed.LEDGER]) else 0)]
        yes(len(found) == (k == kind), "%d new entries of kind %s" % (len(found), k))
        if k == kind:
            fields = dict(line.strip().split(": ", 1) for line in found[0].splitlines()[1:])
            fields["day"] = found[0].split()[1]
            for f, v in want.items():
                yes(fields.get(f, "").lower() == v.lower(), "%s of the entry is %r" % (f, fields.get(f)))


def line(name, place, length, shrink):
    c, k = core.can(name)
    feet, frames = length
    yes(k["place"] == place, "%s is at %s" % (name, k["place"]))
    yes((k["length"], k["shrink"], k["season"]) == ("%dft %dfr" % (feet, frames), "%.1f%%" % shrink, "26b"), "%s has no such reading" % name)


def one():
    books("loan", {"day": "2026-11-20", "party": "Kino Svetozor", "cans": "0231/1 0231/2 0231/3 0240/1", "due": "2026-12-14", "enclosed": "letters/2026-11-12-prague.txt"}, ["0231", "0240"])
    place = "loan " + core.entries("loan")[-1][0]
    for name, length, s in (("0231/1", (812, 4), 0.6), ("0231/2", (797, 12), 0.5), ("0231/3", (640, 15), 0.6), ("0240/1", (724, 1), 0.4)):
        line(name, place, length, s)
    yes(core.entries("loan")[-1][1].count("A1.01.1 A1.01.2 A1.01.3 A1.02.1"), "the cans did not leave from their places")


def two():
    books("accession", {"day": "2026-11-18", "title": "Ferry to Skarholm", "year": "1959", "gauge": "16", "base": "acetate", "origin": "gift of Marit Oedegaard", "weights": "5.4 5.1 5.6", "enclosed": "letters/2026-11-10-oedegaard.txt"}, ["0262"])
    yes(len(core.card("0262").cans) == 3, "not three cans")
    for i, length, s in ((1, (398, 27), 0.3), (2, (376, 5), 0.4), (3, (412, 0), 0.3)):
        line("0262/%d" % i, "A2.03.%d" % i, length, s)


def three():
    books("order", {"day": "2026-11-19", "party": "Lab Nordlys", "cans": "0218/2 0218/4", "work": "repair and 4K scan", "ceiling": "22400", "enclosed": "letters/2026-11-16-nordlys.txt"}, ["0218"])
    lab = "lab " + core.entries("order")[-1][0]
    for i, place, length, s in ((1, "N2.01.2", (865, 15), 0.8), (2, lab, (869, 2), 1.2), (3, "N2.01.3", (839, 6), 0.9), (4, lab, (654, 9), 1.1)):
        line("0218/%d" % i, place, length, s)


def four():
    books("return", {"day": "2026-11-17", "loan": "L-012", "enclosed": "letters/2026-11-17-courier.txt"}, ["0244"])
    for i, place, length, s in ((1, "A2.01.1", (905, 4), 0.5), (2, "A2.03.1", (878, 9), 0.6), (3, "A2.01.3", (412, 6), 0.4)):
        line("0244/%d" % i, place, length, s)
    yes(core.card("0244").fields.get("remark", "").lower().rstrip(".") == "lid of can 2 dented", "the remark is not on the card")


def five():
    books("care", {"day": "2026-11-18", "cans": "0247/1 0249/2 0249/3", "reason": "vinegar", "enclosed": "surveys/2026-11-a1.csv"}, ["0247", "0249"])
    places = {"0247/1": "C2.01.2", "0247/2": "A1.03.2", "0249/1": "A1.03.3", "0249/2": "C2.01.3", "0249/3": "C2.02.1"}
    for r in csv.DictReader(open(here / "template/surveys/2026-11-a1.csv")):
        line(r["can"], places[r["can"]], (int(r["feet"]), int(r["frames"])), float(r["shrinkage"]))


def six():
    books("correction", {"day": "2026-11-18", "card": "0252", "field": "gauge", "old": "35", "new": "16", "enclosed": "letters/2026-11-13-moor-society.txt"}, ["0252"])
    yes(core.card("0252").fields["gauge"] == "16", "the gauge is not 16")
    for i, place, length in ((1, "A2.02.1", (410, 31)), (2, "A2.02.2", (396, 8)), (3, "A2.04.1", (402, 17))):
        line("0252/%d" % i, place, length, 0.4)
    want = ["0209  Harbour Drill (1962)  16 mm  22 min", "0240  Winter Timetable (1955)  35 mm  9 min", "0252  Peat (1947)  16 mm  34 min"]
    yes((dest / "lists/running-times.txt").read_text().splitlines() == want, "lists/running-times.txt is not right")
    with tempfile.TemporaryDirectory() as d:
        for part in ("house", "tests", "catalogue", "lists"):
            shutil.copytree(dest / part, Path(d, part))
        def run(*a):
            env = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
            return subprocess.run([sys.executable, *a], cwd=d, capture_output=True, env=env, timeout=60).returncode
        yes(run("-c", "from house.runtime import minutes as m; assert (m([(600, 0)], '16'), m([(900, 1), (900, 1)], '35')) == (17, 21)") == 0, "the library is not mended")
        yes(run("-m", "unittest", "discover", "-s", "tests", "-t", ".") == 0, "the tests fail")
        shutil.rmtree(Path(d, "house"))
        shutil.copytree(here / "template/house", Path(d, "house"))
        yes(run("-m", "unittest", "discover", "-s", "tests", "-t", ".") != 0, "no test fails on the old code")


try:
    (one, two, three, four, five, six)[n - 1]()
except (core.No, OSError, ValueError, KeyError, IndexError, TypeError) as e:
    yes(False, "cannot be checked (%s)" % str(e).split("\n")[0])
print("task %d: right" % n)
