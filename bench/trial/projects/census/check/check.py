import csv, os, re, sqlite3, subprocess, sys
from collections import defaultdict
from decimal import ROUND_HALF_UP, Decimal
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "src"))
import gen
n, dest = int(sys.argv[1]), os.path.abspath(sys.argv[2])


def fail(why):
    print(f"task {n}: {why}")
    sys.exit(1)


def rnd(num, den, digits=1):
    return float((Decimal(num) / Decimal(den)).quantize(Decimal(1).scaleb(-digits), rounding=ROUND_HALF_UP)) if den else None


def groups(source, when, key, keep=lambda r: True):
    head, rows = gen.delivery(source, when)
    out = defaultdict(list)
    for r in dict.fromkeys(rows) if source == "business" else rows:
        r = dict(zip(head, r))
        if keep(r):
            out[key(r)].append(r)
    return sorted(out.items())


def s(rs, col, where=lambda r: True):
    return sum(r[col] for r in rs if where(r))


def table(period, gs, keys, values):
    out = []
    for k, rs in gs:
        ok = len(rs) >= 5
        out.append({"period": period, **keys(k), **{x: v if ok else None for x, v in values(k, rs).items()}, "flag": None if ok else "c"})
    return out


def hundreds(x):
    return int(rnd(x, 100, 0)) * 100


region, sector, branch = (gen.codes(b, True) for b in ("region", "sector", "branch"))
BASE = dict(F=668200, C=142900, H=204400, O=221700, P=71300, V=205800)
group = lambda k: "industry" if k[0] in "BCDEF" else "market services" if k[0] in "GHIJKLMN" else "other services"
band = lambda a: "15-24" if a < 25 else "25-54" if a < 55 else "55-64" if a < 65 else "65-74"


def expected():
    if n == 1:
        return table("2025-Q3", groups("tourism", "2025Q3", lambda r: r["region"]), lambda k: dict(region=k, region_name=region[k]),
                     lambda k, rs: dict(guests=s(rs, "guests"), nights=s(rs, "nights"), avg_stay=rnd(s(rs, "nights"), s(rs, "guests"))))
    if n == 2:
        return table("2025-Q3", groups("permits", "2025Q3", lambda r: r["energy_class"] or "U"), lambda k: dict(energy_class=k),
                     lambda k, rs: dict(permits=len(rs), dwellings=s(rs, "dwellings"), floor_m2=s(rs, "floor_m2")))
    if n == 3:
        prior = {k: s(rs, "turnover") for k, rs in groups("retail", "2024Q3", lambda r: r["branch"])}
        def values(k, rs):
            t = s(rs, "turnover")
            return dict(turnover=t, turnover_index=rnd(100 * t, BASE[k]), change_yoy=rnd(100 * (t - prior[k]), prior[k]) if k in prior else None)
        return table("2025-Q3", groups("retail", "2025Q3", lambda r: r["branch"]), lambda k: dict(branch=k, branch_name=branch[k]), values)
    if n == 4:
        def values(k, rs):
            act, born = (sum(r["status"] in st for r in rs) for st in (("active", "born"), ("born",)))
            return dict(active=act, births=born, deaths=len(rs) - act, birth_rate=rnd(100 * born, act))
        return table("2025-Q2", groups("business", "2025Q2", lambda r: r["sector"]), lambda k: dict(sector=k, sector_name=sector[k]), values)
    if n == 5:
        def values(k, rs):
            e, u = (s(rs, "weight", lambda r: r["status"] == x) for x in "EU")
            return dict(employed=hundreds(e), unemployed=hundreds(u), unemployment_rate=rnd(100 * u, e + u))
        return table("2025-Q3", groups("lfs", "2025Q3", lambda r: band(r["age"]), lambda r: 15 <= r["age"] <= 74), lambda k: dict(age_band=k), values)
    def values(k, rs):
        v, o = s(rs, "vacancies"), s(rs, "occupied")
        return dict(vacancies=v, occupied=o, vacancy_rate=rnd(100 * v, v + o))
    return table("2025-Q2", groups("vacancies", "2025Q2_corrected", lambda r: r["sector"]), lambda k: dict(sector=k, sector_name=sector[k], sector_group=group(k)), values)


name, source, when, product, revision = {
    1: ("tourism_nights", "tourism", "2025Q3", "TOU-Q", 0), 2: ("permits_energy", "permits", "2025Q3", "BLD-Q", 0), 3: ("retail_index", "retail", "2025Q3", "RTI-Q", 0),
    4: ("business_demography", "business", "2025Q2", "BIZ-Q", 0), 5: ("lfs_age", "lfs", "2025Q3", "LFS-Q", 0), 6: ("vacancies", "vacancies", "2025Q2_corrected", "JVS-Q", 1)}[n]
want = expected()
per = want[0]["period"]
key = f"Y{per[2:].replace('-', '')}"
c = sqlite3.connect(f"file:{dest}/.tally/warehouse.db?mode=ro", uri=True)
c.row_factory = sqlite3.Row
raw = gen.SOURCES[source][1]

# warehouse
head, rows = gen.delivery(source, when)
try:
    have = [tuple(map(str, r)) for r in c.execute(f"select {','.join(head)} from {raw} where period=?", (key,))]
except sqlite3.Error as e:
    fail(f"{raw}: {e}")
if sorted(have) != sorted(tuple(map(str, r)) for r in rows):
    fail(f"{raw} does not hold the delivery for {per}")
migs = [r["name"] for r in c.execute("select name from meta_migrations")]
if n in (2, 6):
    if len(migs) < 4 or any(not os.path.exists(f"{dest}/migrations/{m}") for m in migs):
        fail("no new migration applied")
if n == 6:
    try:
        g = {r["sector"]: r["sector_group"] for r in c.execute("select * from sector_groups")}
    except (sqlite3.Error, IndexError) as e:
        fail(f"sector_groups: {e}")
    if any(g.get(k) != group(k) for k in sector) or any(v != group(k) for k, v in g.items()):
        fail(f"sector_groups is {g}")
rel = c.execute("select r.*, b.lane, p.build as protocol from meta_releases r join meta_builds b on b.id=r.build left join meta_protocols p on p.build=r.build "
                "where r.model=? and r.period=? order by r.revision desc", (name, key)).fetchone()
if not rel or rel["revision"] < revision:
    fail(f"{name} {per} is not released{' as a revision' if revision else ''}")
if rel["lane"] != "issue" or not rel["protocol"]:
    fail("not released through tally")

# released file
path = f"{dest}/published/{name}/{per}.csv"
if not os.path.exists(path):
    fail(f"{path} missing")
got = list(csv.DictReader(open(path, newline="")))


def norm(v):
    v = "" if v is None else str(v).strip()
    try:
        return f"{float(v):.10g}"
    except ValueError:
        return v


if got and set(got[0]) != set(want[0]):
    fail(f"columns are {list(got[0])}, expected {list(want[0])}")
after = {1: ("nights", "avg_stay"), 6: ("sector_name", "sector_group")}.get(n)
if after and got and list(got[0]).index(after[1]) != list(got[0]).index(after[0]) + 1:
    fail(f"{after[1]} is not right after {after[0]}")
flat = lambda rs: sorted(tuple(sorted((k, norm(v)) for k, v in r.items())) for r in rs)
if flat(got) != flat(want):
    extra = [dict(r) for r in flat(got) if r not in flat(want)]
    fail(f"{len(extra)} of {len(got)} rows differ ({len(want)} expected), e.g. {extra[:2]}")
idx = [r for r in csv.DictReader(open(f"{dest}/published/INDEX.csv")) if (r["table"], r["period"]) == (name, per)]
if not idx or idx[-1]["product"] != product:
    fail(f"index has no line of {product} for {name} {per}")

# code
py = {3: "from halstat.indices import chg_pct as f\n"
         "assert (f(110,100),f(90,100),f(100.25,100),f(99.75,100),f(100,100)) == (10.0,-10.0,0.3,-0.3,0.0)\n"
         "assert f(None,5) is None and f(5,None) is None and f(5,0) is None and f(0,5) == -100.0\n"
         "from halstat.sqlfuncs import FUNCTIONS\nassert FUNCTIONS['chg_pct'][0] == 2",
      5: "from halstat.bands import age_band as f\nfrom halstat.rounding import round_to as g\n"
         "assert [f(a) for a in (14,15,24,25,54,55,64,65,74,75)] == [None,'15-24','15-24','25-54','25-54','55-64','55-64','65-74','65-74',None]\n"
         "assert (g(12345,100),g(12350,100),g(12450,100),g(-250,100),g(7,5),g(0,100)) == (12300,12400,12500,-300,5,0) and g(None,100) is None\n"
         "from halstat.sqlfuncs import FUNCTIONS\nassert FUNCTIONS['age_band'][0] == 1 and FUNCTIONS['round_to'][0] == 2"}.get(n)
sh = lambda *a: subprocess.run(a, cwd=dest, capture_output=True, text=True, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})
if py:
    p = sh("python3", "-c", py)
    if p.returncode:
        fail("function wrong: " + p.stderr.strip()[-300:])
    tests = "".join(open(f"{dest}/tests/{f}").read() for f in os.listdir(f"{dest}/tests") if f.endswith(".py"))
    for f in ("chg_pct",) if n == 3 else ("age_band", "round_to"):
        if f not in tests:
            fail(f"no tests of {f}")

# review sheet, checks, git
if not os.path.exists(f"{dest}/reviews/{name}_{per}.md"):
    fail("review sheet missing")
p = sh("make", "check")
if p.returncode:
    fail("make check fails: " + (p.stdout + p.stderr)[-300:])
if sh("git", "status", "--porcelain").stdout.strip():
    fail("working tree not clean")
for f in (f"published/{name}/{per}.csv", f"reviews/{name}_{per}.md", f"models/{name}.sql", "published/INDEX.csv"):
    if sh("git", "rev-parse", f"main:{f}").stdout.strip() != sh("git", "hash-object", f).stdout.strip():
        fail(f"{f} not committed on main")
for body in sh("git", "log", "main", "--format=%B%x00").stdout.split("\0"):
    if body.strip() and not re.search(r"^Catalogue: *\S", body, re.M):
        fail("a commit on main names no catalogue entry")
print(f"task {n}: ok")
