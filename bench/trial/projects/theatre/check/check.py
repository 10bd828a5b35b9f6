import csv, glob, importlib.util, json, os, re, subprocess, sys, tempfile
sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "src"))
import house, seed
N, W = sys.argv[1], os.path.abspath(sys.argv[2])
bad = []
DOCKET = {t[0]: t[5] for t in seed.TOURS}
ENV = {"PATH": os.path.join(W, "bin") + ":" + os.environ["PATH"], "PYTHONDONTWRITEBYTECODE": "1", "HOME": "/tmp", "LANG": "C.UTF-8"}


def need(ok, text):
    if not ok:
        bad.append(text)
    return ok


def sh(*a):
    return subprocess.run(a, cwd=W, env=ENV, capture_output=True, text=True)


def text(p):
    p = os.path.join(W, p)
    if not os.path.exists(p):
        bad.append("no file " + os.path.relpath(p, W))
        return ""
    return open(p, encoding="utf-8").read()


def table(p):
    t = text(p)
    return list(csv.DictReader(t.splitlines())) if t else []


def lines(p):
    return dict(x.split(": ", 1) for x in (y.rstrip() for y in text(p).splitlines()) if ": " in x)


with open(house.store_path(W), "rb") as f:
    C = house.unpack(f.read())


def common(tour):
    log = sh("git", "log", "--format=%H", "main").stdout.split()
    need(len(log) >= 2, "nothing committed on main")
    need(sh("git", "rev-parse", "--abbrev-ref", "HEAD").stdout.strip() == "main", "not on main")
    need(sh("git", "status", "--porcelain").stdout.strip() == "", "working tree is not clean")
    for h in log[:-1]:
        need(re.search(r"(?m)^Docket: %s\s*$" % re.escape(DOCKET[tour]), sh("git", "log", "-1", "--format=%B", h).stdout), "commit %s is not under the docket of %s" % (h[:7], tour))
    t = sh("make", "test")
    need(t.returncode == 0, "make test fails: " + (t.stderr or t.stdout)[-300:])


def bound(tour):
    soft = C.execute("select count(*) from marks where tour=? and state='soft'", (tour,)).fetchone()[0]
    need(soft == 0, "%d soft marks" % soft)
    need(text("exports/%s.json" % tour) == house.export_text(C, tour), "exports/%s.json is not what the house holds" % tour)
    need(text("sheets/%s.txt" % tour) == house.render(house.state(C, tour)), "sheets/%s.txt is not what the house holds" % tour)


def stop(tour, venue, first, nights, get_in):
    s = [x for x in house.state(C, tour)["stops"] if x["venue"] == venue]
    need(s and (s[0]["first"], s[0]["nights"], s[0]["get_in"]) == (first, nights, get_in), "the house has not the right stop at %s: %s" % (venue, s))


def route(tour, want):
    got = [(r["no"], r["venue"], r["house"], r["first"], r["nights"], r["get_in"], r["drive_min"], r["was"] or "") for r in table("tours/%s/route.csv" % tour)]
    need(got == want, "route.csv of %s is not right" % tour)


def stopsheet(p, want):
    got = lines(p)
    for k, v in want.items():
        need(got.get(k) == v, "%s: %s is %r" % (p, k, got.get(k)))


def others(tour, tools):
    """no stray entries: only the tools of the task, and no other tour touched"""
    base = {m[0] for m in seed.MARKS}
    for m in C.execute("select * from marks"):
        if m["id"] not in base:
            need(m["tour"] == tour and m["tool"] in tools, "stray mark %s (%s, %s)" % (m["id"], m["tour"], m["tool"]))


def py(code, *args):
    r = subprocess.run([sys.executable, "-c", code, *args], cwd=W, env=ENV, capture_output=True, text=True)
    return r.stdout.strip() if r.returncode == 0 else "failed: " + r.stderr[-300:]


if N == "1":
    common("N7"); bound("N7"); others("N7", ["stop_plan", "stop_move"])
    stop("N7", "V-027", "2031-10-16", 2, "2031-10-15")
    need(len(house.state(C, "N7")["stops"]) == 5, "the house should have five stops of N7")
    route("N7", [("1", "V-011", "Corn Exchange, Harrowmere", "2031-10-06", "3", "2031-10-04", "95", ""),
                 ("2", "V-014", "Miners' Welfare, Dunsel", "2031-10-10", "2", "2031-10-09", "70", ""),
                 ("3", "V-027", "Skerry Hall, Portlannoch", "2031-10-16", "2", "2031-10-15", "265", ""),
                 ("4", "V-019", "Assembly Rooms, Cold Ashby", "2031-10-21", "3", "2031-10-20", "180", ""),
                 ("5", "V-022", "Empire, Brackwater", "2031-10-25", "1", "2031-10-24", "85", "")])
    stopsheet("tours/N7/stops/portlannoch.md", {"House": "Skerry Hall, Portlannoch (V-027)", "First night": "2031-10-16", "Nights": "2", "Get-in": "2031-10-15",
                                                "Drive": "265 min from Dunsel", "Dock": "3.4 m", "Hands": "8"})
    stopsheet("tours/N7/stops/cold-ashby.md", {"Drive": "180 min from Portlannoch", "First night": "2031-10-21", "Hands": "6"})
elif N == "2":
    common("B3"); bound("B3"); others("B3", ["cast_change"])
    cast = house.state(C, "B3")["cast"]
    for part, old, new in (("Mr Fennimore", "P-0305", "P-0311"), ("The Laundress", "P-0311", "P-0326")):
        got = sorted((x["from"], x["no"], x["until"]) for x in cast if x["part"] == part)
        need(got == [("2031-11-06", old, "2031-11-08"), ("2031-11-12", new, "")], "the house has %s as %s" % (part, got))
    need(len(cast) == 9, "the house has %d lines of cast, not 9" % len(cast))
    rows = [(r["part"], r["player"], r["no"], r["from"], r["until"] or "") for r in table("tours/B3/cast.csv")]
    for w in (("Mr Fennimore", "Tobin Ashgrove", "P-0305", "2031-11-06", "2031-11-08"), ("The Laundress", "Ines Marlow", "P-0311", "2031-11-06", "2031-11-08"),
              ("Mr Fennimore", "Ines Marlow", "P-0311", "2031-11-12", ""), ("The Laundress", "Kit Dunmore", "P-0326", "2031-11-12", "")):
        need(w in rows, "cast.csv lacks %s" % (w,))
    need(len(rows) == 9 and {r[3] for r in rows[-2:]} == {"2031-11-12"}, "cast.csv should have nine lines, the new ones at the end")
    slip = [x.rstrip() for x in text("tours/B3/slips/2031-11-12.txt").splitlines() if x.strip()]
    need(slip == ["MRS QUILL'S LODGERS", "At all performances from Wednesday 12 November 2031", "Mr Fennimore ......... Ines Marlow", "The Laundress ......... Kit Dunmore"], "the slip is not right: %s" % slip)
    need(sh("python3", "scripts/doubling.py", "tours/B3", "2031-11-12").returncode == 0, "doubling.py finds a clash")
elif N == "3":
    common("S2"); others("S2", ["lorry_book"])
    need(sh("python3", "scripts/loadplan.py", "tours/S2/load.csv").stdout.strip() == "21.39", "loadplan.py does not give 21.39 for S2")
    with tempfile.TemporaryDirectory() as d:
        p = os.path.join(d, "l.csv")
        open(p, "w").write("item,qty,length_cm,width_cm,height_cm,nest\na,1,100,100,100,yes\nb,5,200,100,50,yes\nc,3,100,50,100,no\nd,2,150,100,100,no\n")
        need(sh("python3", "scripts/loadplan.py", p).stdout.strip() == "7.50", "loadplan.py is wrong for another load")
    need("nest" in text("tests/test_loadplan.py").replace('"nest": "no"', "") and len(re.findall(r"def test", text("tests/test_loadplan.py"))) >= 2, "no test for nesting")
    lo = [(x["lorry"], x["date"], x["no"], x["to"]) for x in house.state(C, "S2")["lorries"] if x["date"] != "2031-11-09"]
    need(lo == [("L-07", "2031-11-22", "P-0418", "V-049")], "the house has these lorries for S2: %s" % lo)
    rows = [(r["date"], r["from"], r["to"], r["lorry"], r["driver"], r["load_m3"]) for r in table("tours/S2/haulage.csv")]
    need(rows[1:] == [("2031-11-22", "V-047", "V-049", "L-07", "Gwil Hobart", "21.39")] and len(rows) == 2, "haulage.csv is not right")
    hours = {(r["no"], r["week_from"]): r["hours"] for r in table("rosters/drivers.csv")}
    need(len(hours) == 8 and hours.get(("P-0418", "2031-11-17")) == "42" and hours.get(("P-0412", "2031-11-17")) == "43" and hours.get(("P-0418", "2031-11-10")) == "44", "drivers.csv is not right")
elif N == "4":
    common("N7"); others("N7", ["diem_settle"])

    def due(days, grade, r):
        t = -(-r["full"] // 10) * 5
        s = 0
        for d in days:
            base = {"P": r["full"], "R": r["full"], "T": t, "H": 0}[d[0]]
            if d.endswith("m"):
                base = max(0, base - r["supper"])
            s += base + (r["supplement"] if d[0] != "H" else 0) + (r["manager"] if grade == "manager" and d[0] == "P" else 0)
        return s + (t if all(d[0] != "H" for d in days) else 0)
    D = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")

    def account(rows, r):
        return "no,name,days_away,pence\n" + "".join("%s,%s,%d,%d\n" % (x["no"], x["name"], sum(x[d][0] != "H" for d in D), due([x[d] for d in D], x["grade"], r)) for x in rows)
    R = {"full": 3145, "supper": 920, "supplement": 150, "manager": 200}
    days = open(os.path.join(HERE, "..", "template", "rosters", "days-N7-w10.csv")).read()
    want = account(list(csv.DictReader(days.splitlines())), R)
    need(text("accounts/N7-w10.csv") == want, "accounts/N7-w10.csv is not right")
    R2 = {"full": 1233, "supper": 700, "supplement": 35, "manager": 90}
    other = "no,name,grade,mon,tue,wed,thu,fri,sat,sun\nP-1,A B,manager,Pm,T,Tm,R,Rm,P,P\nP-2,C D,player,H,H,Tm,P,Pm,H,T\nP-3,E F,manager,R,R,H,P,P,Pm,T\nP-4,G H,player,P,P,P,P,P,P,P\n"
    with tempfile.TemporaryDirectory() as d:
        open(os.path.join(d, "d.csv"), "w").write(other); open(os.path.join(d, "r.json"), "w").write(json.dumps(R2))
        got = sh("python3", "scripts/perdiem.py", os.path.join(d, "d.csv"), os.path.join(d, "r.json"))
        need(got.stdout == account(list(csv.DictReader(other.splitlines())), R2), "perdiem.py is wrong for another roster: " + got.stdout + got.stderr[-200:])
    have = {(x["week"], x["no"]): x["pence"] for x in house.state(C, "N7")["diems"]}
    need(have == {(10, x["no"]): int(x["pence"]) for x in csv.DictReader(want.splitlines())}, "the house has settled %s" % have)
    need("def test" in text("tests/test_perdiem.py"), "no test in tests/test_perdiem.py")
elif N == "5":
    common("B3"); bound("B3"); others("B3", ["call_set"])
    want = [("17:15", "Mrs Quill", "Hester Voll", "P-0302"), ("17:15", "The Laundress", "Ines Marlow", "P-0311"), ("18:30", "Aunt Verity", "Rusk Tarrant", "P-0320"),
            ("18:30", "Captain Dace", "Jonty Crake", "P-0308"), ("18:45", "Mr Fennimore", "Tobin Ashgrove", "P-0305"), ("18:45", "The Bailiff", "Odile Penhallow", "P-0317"),
            ("19:10", "Young Pell", "Sib Anders", "P-0314")]
    got = sorted((x["time"], x["no"]) for x in house.state(C, "B3")["calls"] if x["date"] == "2031-11-19")
    need(got == sorted((w[0], w[3]) for w in want), "the house has these calls: %s" % got)
    need(len(house.state(C, "B3")["calls"]) == 7, "stray calls")
    doc = [x.rstrip() for x in text("tours/B3/calls/2031-11-19.md").splitlines() if x.strip()]
    need(doc == ["# Calls, Marram, 2031-11-19", "House: Pavilion, Marram (V-036)", "Curtain: 19:45"] + ["%s  %s  %s" % w[:3] for w in want], "the call sheet is not right")
elif N == "6":
    common("S2"); bound("S2"); others("S2", ["stop_move"])
    stop("S2", "V-044", "2031-11-27", 2, "2031-11-27")
    route("S2", [("1", "V-041", "School Hall, Lorn Green", "2031-11-10", "2", "2031-11-10", "30", ""),
                 ("2", "V-047", "Institute, Thrale", "2031-11-20", "2", "2031-11-20", "65", ""),
                 ("3", "V-049", "Village Hall, Pennick", "2031-11-24", "2", "2031-11-24", "100", ""),
                 ("4", "V-044", "Grammar School Hall, Wexcombe", "2031-11-27", "2", "2031-11-27", "90", "2031-11-13")])
    stopsheet("tours/S2/stops/wexcombe.md", {"House": "Grammar School Hall, Wexcombe (V-044)", "First night": "2031-11-27", "Nights": "2", "Get-in": "2031-11-27", "Drive": "90 min from Pennick", "Hands": "3"})
    stopsheet("tours/S2/stops/thrale.md", {"Drive": "65 min from Lorn Green", "Hands": "5"})
    L = "tours/S2/letters/2031-11-wexcombe.txt"
    stopsheet(L, {"To": "Grammar School Hall, Wexcombe", "Re": "The Paper Crown, moved from Thursday 13 November 2031", "New first night": "Thursday 27 November 2031", "Nights": "2", "Get-in": "Thursday 27 November 2031"})
    t = text(L).rstrip().splitlines()
    need(t and t[-1] == "Tallow & Thread, production office", "the letter is not signed")
    need(len(" ".join(t[5:-1]).split()) >= 15, "the letter says nothing")
    out = sh("python3", "scripts/diary.py", "tours/S2/route.csv").stdout.splitlines()
    need(out and out[-1] == "Thu 27 Nov 2031  Grammar School Hall, Wexcombe (2 nights) [moved from Thu 13 Nov 2031]", "diary: %s" % out[-1:])
    need(out[:1] == ["Mon 10 Nov 2031  School Hall, Lorn Green (2 nights)"], "diary changed other lines")
    need("moved from" in text("tests/test_diary.py"), "no test for the diary")
for b in bad:
    print("missing: " + b)
print("task %s: %s" % (N, "NOT DONE" if bad else "done"))
sys.exit(bool(bad))
