import datetime as dt, importlib.util, pathlib, re, subprocess, sys
work, orig, n = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), int(sys.argv[3])
sys.path.insert(0, str(work))
D = dt.date


def sheet(top, name):
    lines = (top / "data" / f"{name}.tsv").read_text(encoding="utf-8").split("\n")
    return [l.split("\t") for l in lines if l]


def bare(top, name):
    return [r[:-1] for r in sheet(top, name)]


def ore(text):
    return round(float(text.replace(" ", "").replace(",", ".")) * 100)


def cli(*args):
    return subprocess.run([sys.executable, "-W", "error::DeprecationWarning", "-m", "sundline", *args], cwd=work, capture_output=True, text=True, check=True, encoding="utf-8").stdout


def raises(kind, job):
    try:
        job()
    except kind:
        return True
    return False


def same(*names):
    for s in names:
        assert sheet(work, s) == sheet(orig, s), f"{s} has changed"


def added(name, count):
    old, new = bare(orig, name), bare(work, name)
    assert new[:len(old)] == old, f"rows of {name} have changed"
    more = new[len(old):]
    assert len(more) == count, f"{name}: {len(more)} new rows"
    assert len({r[0] for r in new}) == len(new)
    return more


ADULT = {(r[1], r[2], r[3]): ore(r[4]) for r in bare(orig, "tariffs")[1:]}


def old_checks(without=()):
    for p in sorted((orig / "checks").glob("ck_*.py")):
        spec = importlib.util.spec_from_file_location("orig_" + p.stem, p)
        m = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(m)
        for k, f in list(vars(m).items()):
            if k.startswith("ck_") and k not in without:
                f()


def t1():
    from sundline import fares
    same("sailings", "routes", "ports", "seasons")
    rows = added("tariffs", 24)
    assert {(r[1], r[2], r[3]): ore(r[4]) for r in rows} == {
        (a, "group", b): v * 8 // 10 // 50 * 50 for (a, c, b), v in ADULT.items() if c == "adult"}
    assert all(re.fullmatch(r"T\d{3}", r[0]) for r in rows)
    may, july = D(2026, 5, 20), D(2026, 7, 1)
    q = fares.quote("R4", {"child": 12, "adult": 9}, may)
    assert [l["category"] for l in q["lines"]] == ["child", "adult"] and q["total"] == 12 * 3400 + 9 * 6850
    q = fares.quote("R4", {"child": 1, "adult": 10, "dog": 2}, may)
    u = 6850 * 8 // 10 // 50 * 50
    assert q["lines"][1] == {"category": "group", "count": 10, "unit": u, "total": 10 * u}
    assert [l["category"] for l in q["lines"]] == ["child", "group", "dog"]
    assert q["total"] == sum(l["total"] for l in q["lines"])
    assert fares.quote("R12", {"adult": 30}, july)["total"] == 30 * (ADULT["R12", "adult", "high"] * 8 // 10 // 50 * 50)
    assert raises(ValueError, lambda: fares.quote("R4", {"group": 10}, may))
    assert raises(ValueError, lambda: fares.quote("R4", {"adult": 10, "group": 1}, may))
    assert raises(ValueError, lambda: fares.quote("R4", {"adult": 0}, may))
    old_checks()


def t2():
    from sundline import sheets, timetable
    same("tariffs", "routes", "ports", "seasons")
    want, seen = [], set()
    for r in bare(orig, "sailings"):
        r = list(r)
        if tuple(r[1:]) in seen:
            continue
        seen.add(tuple(r[1:]))
        if r[1] in ("R3", "R5", "R6", "R8") and r[4] == "1111100" and r[5] == "26/271":
            h, m = map(int, r[3].split(":"))
            r[3] = f"{(h * 60 + m + 10) // 60:02d}:{(h * 60 + m + 10) % 60:02d}"
        want.append(r)
    assert bare(work, "sailings") == want, "the sailings differ from the printed timetable"
    assert list(timetable.doubles()) == []
    rows = [dict(r) for r in sheets.load("sailings")]
    rows += [dict(rows[3], sailing="L9001"), dict(rows[1], sailing="L9002"), dict(rows[5], sailing="L9003", dep="03:03"), dict(rows[3], sailing="L9004")]
    sheets.load.cache_clear()
    real = sheets.load
    sheets.load = lambda name: rows if name == "sailings" else real(name)
    try:
        assert list(timetable.doubles()) == ["L9001", "L9002", "L9004"]
    finally:
        sheets.load = real
    old_checks()


def t3():
    import sundline
    from sundline import fares
    same("tariffs", "sailings", "routes", "ports")
    assert added("seasons", 1) == [["S27", "passenger", "27/088", "27/270"]]
    assert sundline.__version__ == "4.12.0" and (work / "VERSION").read_text().strip() == "4.12.0"
    assert not hasattr(fares, "price")
    assert not list(work.glob("changes/FER-*")), "notes are left"
    new, old = (work / "CHANGES.md").read_text(encoding="utf-8"), (orig / "CHANGES.md").read_text(encoding="utf-8")
    want = """# Changes

## 4.12.0 (2026-06-04)

fares
- FER-187 vans over six metres on R12
- FER-195 dogs pay on all routes

times
- FER-191 winter timetable 2026/27
- FER-201 board shows the arrival

house
- FER-198 checks set the clock
- FER-219 price() is removed

""" + old.split("# Changes\n\n", 1)[1]
    assert [l.rstrip() for l in new.split("\n") if l.strip()] == [l.rstrip() for l in want.split("\n") if l.strip()], "CHANGES.md differs"
    assert cli("one", "R4", "2026-05-20", "child") == "34,00 kr\n"
    old_checks(["ck_price_is_fare"])


def t4():
    from sundline import fares
    same("sailings", "routes", "ports", "seasons")
    old, new = bare(orig, "tariffs"), bare(work, "tariffs")
    assert [c.lstrip("# ") for c in new[0]] == ["tariff", "route", "category", "band", "ore"]
    assert new[1:] == [r[:4] + [str(ore(r[4]))] for r in old[1:]], "amounts differ"
    assert not hasattr(fares, "to_ore")
    for (r, c, b), v in ADULT.items():
        assert fares.fare(r, c, D(2026, 7 if b == "high" else 2, 1)) == v
    assert (work / "docs/harbour-book.md").read_text() != (orig / "docs/harbour-book.md").read_text(), "the harbour book is as it was"
    old_checks()


def t5():
    from sundline import board, fares, timetable
    same("seasons")
    assert added("ports", 1) == [["SKV", "Skarvö", "5"]]
    assert added("routes", 1) == [["R13", "NOR", "SKV", "85"]]
    rows = added("sailings", 6)
    assert sorted(r[1:] for r in rows) == sorted(["R13", d, t, "1111111", "26/152", "26/243"] for d, t in
        [("o", "07:10"), ("o", "12:40"), ("o", "17:30"), ("r", "08:50"), ("r", "14:20"), ("r", "19:10")])
    assert {r[0] for r in rows} == {f"L{k:04d}" for k in range(353, 359)}
    rows = added("tariffs", 18)
    assert {(r[2], r[3]): ore(r[4]) for r in rows} == {(c, b): -(-v * 11 // 1000) * 100 for (a, c, b), v in ADULT.items() if a == "R4"}
    assert {r[1] for r in rows} == {"R13"}
    assert [tuple(p) for p in timetable.routes_of("VID")] == [("R1", "NOR"), ("R9", "LIN")]
    assert [tuple(p) for p in timetable.routes_of("SKV")] == [("R13", "NOR")]
    assert raises(LookupError, lambda: timetable.routes_of("XXX"))
    assert cli("routes", "NOR") == "R1  Vidö  25 min\nR2  Skäret  30 min\nR3  Lindholm  45 min\nR13  Skarvö  85 min\n"
    assert len(board.board("SKV", D(2026, 6, 1))) == 3 and board.board("SKV", D(2026, 5, 31)) == [] == board.board("SKV", D(2026, 9, 1))
    old_checks()


def t6():
    from sundline import sheets, timetable
    same("sailings", "tariffs", "ports", "seasons")
    assert bare(work, "routes") == [r if r[0] != "R9" else r[:3] + ["35"] for r in bare(orig, "routes")]
    wed, fri = D(2026, 5, 20), D(2026, 5, 22)
    a = timetable.next_sailing("R1", "o", wed, "09:00")
    b = timetable.next_sailing("R1", "o", wed, "23:59")
    c = timetable.next_sailing("R1", "o", fri, "23:00")
    assert (a["dep"], a["date"]) == ("09:10", wed)
    assert (b["dep"], b["date"]) == ("05:45", D(2026, 5, 21))
    assert (c["dep"], c["date"], a["date"]) == ("07:35", D(2026, 5, 23), wed)
    assert all("date" not in s for s in sheets.load("sailings")), "the table has got the field"
    assert timetable.next_sailing("R1", "o", D(2027, 3, 28), "23:00") is None
    first = D(2026, 3, 29)
    got = [timetable.next_sailing("R1", "o", first - dt.timedelta(k), "12:00") for k in (6, 7)]
    assert got[0] and got[0]["date"] == first and got[1] is None, "six days ahead at most"
    assert cli("next", "R1", "o", "2026-05-20", "09:00") == "09:10 - 09:35\n"
    assert cli("next", "R1", "o", "2026-05-20", "23:00") == "05:45 - 06:10 (Thu 21 May)\n"
    assert cli("next", "R1", "o", "2027-03-28", "23:00") == "none\n"
    old_checks(["ck_none_left"])


[t1, t2, t3, t4, t5, t6][n - 1]()
