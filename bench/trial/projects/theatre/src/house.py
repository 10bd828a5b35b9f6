import datetime, fcntl, json, os, re, sqlite3, subprocess, sys, zlib

KEY = b"tallow and thread, by the kettle"
START = datetime.date(2031, 8, 4)
ROOT = None

TOOLS = {  # tool: (fields, optional, line of help)
    "tour_show": (["tour"], [], "stops, cast, calls and lorries of a tour"),
    "venue_find": (["q"], [], "houses by name or town"),
    "venue_show": (["venue"], [], "one house, with the days on which it is let"),
    "people_find": (["q"], [], "people by name, trade or tour"),
    "cast_show": (["tour"], [], "who plays what"),
    "fleet": ([], [], "lorries, and the days on which they are off the road"),
    "rates": (["tour"], [], "per diem rates of a tour, in pence"),
    "stop_plan": (["tour", "venue", "first", "nights", "get_in"], [], "plan a stop: house, first night, nights, day of the get-in"),
    "stop_move": (["tour", "venue", "first", "get_in"], [], "move a stop that is planned"),
    "cast_change": (["tour", "part", "player", "from"], [], "give a part to a player from a day on"),
    "lorry_book": (["tour", "lorry", "date", "driver", "to"], [], "book a lorry and its driver to a house"),
    "diem_settle": (["tour", "week", "who", "pence"], [], "settle one person's per diems of one week"),
    "call_set": (["tour", "date", "who", "time"], [], "set one person's call (HH:MM) on a day"),
    "marks": (["tour"], [], "what was entered for a tour, mark by mark"),
    "rub_out": (["tour", "mark"], [], "take back a soft mark"),
    "ink": (["tour", "marks"], [], "go over marks (a list)"),
    "worklight": (["tour", "on"], [], "the working light of a tour (true, false)"),
    "tour_export": (["tour"], [], "write exports/TOUR.json"),
    "docket": (["tour"], [], "the docket of a tour"),
}
WORK = {"stop_plan": "stops", "stop_move": "stops", "cast_change": "casting", "lorry_book": "haulage", "diem_settle": "subsistence", "call_set": "calls"}
HEADING = {"stop_plan": "houses", "stop_move": "houses", "lorry_book": "haulage", "diem_settle": "subsistence"}
DATES = ("first", "get_in", "from", "date")
WHO = ("player", "driver", "who")


class Refused(Exception):
    def __init__(self, *lines):
        self.lines = lines


def xor(b):
    k = (KEY * (len(b) // len(KEY) + 1))[:len(b)]
    return (int.from_bytes(b, "big") ^ int.from_bytes(k, "big")).to_bytes(len(b), "big") if b else b


def pack(c):
    return xor(zlib.compress(c.serialize(), 9))


def unpack(b):
    c = sqlite3.connect(":memory:")
    c.deserialize(zlib.decompress(xor(b)))
    c.row_factory = sqlite3.Row
    return c


def store_path(root):
    return os.path.join(root, "bin", ".lib", "house.store")


def iso_of(sq):
    if not isinstance(sq, str) or not re.fullmatch(r"\d\d[a-g]", sq) or not 1 <= int(sq[:2]) <= 44:
        return None
    return (START + datetime.timedelta(days=(int(sq[:2]) - 1) * 7 + "abcdefg".index(sq[2]))).isoformat()


def days(first, nights):
    d = datetime.date.fromisoformat(first)
    return [(d + datetime.timedelta(days=i)).isoformat() for i in range(nights)]


def house_name(c, v):
    r = c.execute("select house,town from venues where id=?", (v,)).fetchone()
    return "%s, %s" % (r[0], r[1])


def name_of(c, no):
    return c.execute("select name from people where no=?", (no,)).fetchone()[0]


def state(c, tour):
    """What the house holds of a tour, all marks applied."""
    t = c.execute("select * from tours where code=?", (tour,)).fetchone()
    stops = {r["venue"]: {"venue": r["venue"], "house": house_name(c, r["venue"]), "first": r["first"], "nights": r["nights"], "get_in": r["get_in"]}
             for r in c.execute("select * from stops where tour=?", (tour,))}
    cast = [{"part": r["part"], "no": r["no"], "name": name_of(c, r["no"]), "from": r["since"], "until": r["until"]}
            for r in c.execute("select * from parts where tour=? order by rowid", (tour,))]
    calls, lorries, diems = {}, {}, {}
    for m in c.execute("select * from marks where tour=? order by n", (tour,)):
        a, k = json.loads(m["args"]), m["tool"]
        if k == "stop_plan":
            stops[a["venue"]] = {"venue": a["venue"], "house": house_name(c, a["venue"]), "first": a["first"], "nights": a["nights"], "get_in": a["get_in"]}
        elif k == "stop_move":
            stops[a["venue"]] = dict(stops[a["venue"]], first=a["first"], get_in=a["get_in"])
        elif k == "cast_change":
            cast = [x for x in cast if not (x["part"] == a["part"] and x["from"] >= a["from"])]
            before = [d for s in stops.values() for d in days(s["first"], s["nights"]) if d < a["from"]]
            for x in cast:
                if x["part"] == a["part"] and not x["until"]:
                    x["until"] = max(before) if before else ""
            cast.append({"part": a["part"], "no": a["player"], "name": name_of(c, a["player"]), "from": a["from"], "until": ""})
        elif k == "lorry_book":
            lorries[a["lorry"], a["date"]] = {"lorry": a["lorry"], "date": a["date"], "no": a["driver"], "driver": name_of(c, a["driver"]), "to": a["to"]}
        elif k == "diem_settle":
            diems[a["week"], a["who"]] = {"week": a["week"], "no": a["who"], "name": name_of(c, a["who"]), "pence": a["pence"]}
        elif k == "call_set":
            calls[a["date"], a["who"]] = {"date": a["date"], "no": a["who"], "name": name_of(c, a["who"]), "time": a["time"]}
    return {"tour": tour, "title": t["title"], "rig": t["rig"], "tally": t["tally"],
            "stops": sorted(stops.values(), key=lambda s: s["first"]), "cast": cast,
            "calls": sorted(calls.values(), key=lambda x: (x["date"], x["time"], x["name"])),
            "lorries": sorted(lorries.values(), key=lambda x: (x["date"], x["lorry"])),
            "diems": sorted(diems.values(), key=lambda x: (x["week"], x["no"]))}


def render(e):
    out = ["%s  %s" % (e["tour"], e["title"]), "tally %d" % e["tally"], "", "STOPS"]
    out += ["  %s  %d night%s  %s  (get-in %s)" % (s["first"], s["nights"], "" if s["nights"] == 1 else "s", s["house"], s["get_in"]) for s in e["stops"]]
    out += ["", "CAST"]
    out += ["  %-18s %-18s from %s%s" % (x["part"], x["name"], x["from"], " until " + x["until"] if x["until"] else "") for x in e["cast"]]
    for head, key, form in (("CALLS", "calls", lambda x: "  %s  %s  %s" % (x["date"], x["time"], x["name"])),
                            ("LORRIES", "lorries", lambda x: "  %s  %s  %s to %s" % (x["date"], x["lorry"], x["driver"], x["to"]))):
        out += ["", head] + ([form(x) for x in e[key]] or ["  none"])
    return "\n".join(out) + "\n"


def export_text(c, tour):
    return json.dumps(state(c, tour), indent=1) + "\n"


def clock_ok(t):
    return isinstance(t, str) and re.fullmatch(r"([01]\d|2[0-3]):[0-5]\d", t)


def count(x):
    return isinstance(x, int) and not isinstance(x, bool) and x > 0


def need_tour(c, a):
    if not c.execute("select 1 from tours where code=?", (a["tour"],)).fetchone():
        raise Refused("E05 no tour %r (N7, B3, S2)" % (a["tour"],))


def desk_problem(c, tool):
    d = os.environ.get("STAGE_DESK", "")
    if not d:
        return "E12 no desk on the line"
    r = c.execute("select * from desks where plate=?", (d,)).fetchone()
    if not r:
        return "E13 no desk with the plate %r" % d
    if tool in WORK and r["work"] != WORK[tool]:
        return "E14 the desk %s does not do this work (%s)" % (d, WORK[tool])


def write(c, tool, a):
    t = c.execute("select * from tours where code=?", (a["tour"],)).fetchone()
    gates = [p for p in [desk_problem(c, tool), None if t["light"] else "E21 %s is dark" % a["tour"]] if p]
    if gates:
        raise Refused(*gates)
    bad, r = [], dict(a)
    for f in DATES:
        if f in a:
            r[f] = iso_of(a[f])
            if not r[f]:
                bad.append("E31 %s: %r is no square" % (f, a[f]))
    for f in WHO:
        if f in a:
            p = c.execute("select no from people where tag=?", (str(a[f]),)).fetchone()
            if p:
                r[f] = p["no"]
            else:
                bad.append("E41 %s: %r has not signed in" % (f, a[f]))
    if tool in HEADING:
        if "line" not in a:
            bad.append("E51 no 'line' to charge this to")
        else:
            r["line"] = str(a["line"])
            if not c.execute("select 1 from lines where line=? and tour=? and heading=? and state='open'", (r["line"], a["tour"], HEADING[tool])).fetchone():
                bad.append("E52 line %r is not an open line of %s for %s" % (a["line"], a["tour"], HEADING[tool]))
    for f in ("venue", "to"):
        if f in a and not c.execute("select 1 from venues where id=?", (str(a[f]),)).fetchone():
            bad.append("E06 %s: no house %r" % (f, a[f]))
    for f in ("nights", "week", "pence"):
        if f in a and not count(a[f]):
            bad.append("E07 %s: wants a whole number" % f)
    if "time" in a and not clock_ok(a["time"]):
        bad.append("E08 time: wants HH:MM")
    if bad:
        raise Refused(*bad)
    s = state(c, a["tour"])
    if tool in ("stop_plan", "stop_move"):
        old = [x for x in s["stops"] if x["venue"] == a["venue"]]
        if tool == "stop_plan" and old:
            raise Refused("E73 %s is already planned for %s" % (a["venue"], old[0]["first"]))
        if tool == "stop_move" and not old:
            raise Refused("E73 %s is not planned for %s" % (a["venue"], a["tour"]))
        nights = a["nights"] if tool == "stop_plan" else old[0]["nights"]
        mine = sorted(set(days(r["first"], nights) + [r["get_in"]]))
        for d in mine:
            let = c.execute("select what from lets where venue=? and date=?", (a["venue"], d)).fetchone()
            if let:
                raise Refused("E71 %s is let on %s (%s)" % (a["venue"], d, let[0]))
            for x in s["stops"]:
                if x["venue"] != a["venue"] and d in days(x["first"], x["nights"]):
                    raise Refused("E72 %s is at %s on %s" % (a["tour"], x["house"], d))
    if tool == "cast_change" and a["part"] not in [x["part"] for x in s["cast"]]:
        raise Refused("E74 no part %r in %s" % (a["part"], a["tour"]))
    if tool == "lorry_book":
        if not c.execute("select 1 from fleet where id=?", (a["lorry"],)).fetchone():
            raise Refused("E75 no lorry %r" % a["lorry"])
        off = c.execute("select why from offs where lorry=? and date=?", (a["lorry"], r["date"])).fetchone()
        if off:
            raise Refused("E75 %s is off the road on %s (%s)" % (a["lorry"], r["date"], off[0]))
        if c.execute("select trade from people where no=?", (r["driver"],)).fetchone()[0] != "driver":
            raise Refused("E76 %s does not drive" % a["driver"])
    if tool == "call_set" and r["date"] not in [d for x in s["stops"] for d in days(x["first"], x["nights"])]:
        raise Refused("E77 %s does not play on %s" % (a["tour"], r["date"]))
    n = c.execute("select v from meta where k='next'").fetchone()[0]
    c.execute("update meta set v=v+1 where k='next'")
    c.execute("insert into marks(id,tour,tool,args,state) values(?,?,?,?,'soft')", ("m%04d" % n, a["tour"], tool, json.dumps(r)))
    c.execute("update tours set tally=tally+1 where code=?", (a["tour"],))
    return {"ok": True, "mark": "m%04d" % n}


def call(c, tool, a):
    fields, _, _ = TOOLS[tool]
    known = set(fields) | ({"line"} if tool in HEADING else set())
    miss = [f for f in fields if f not in a]
    if miss:
        raise Refused("E02 %s wants %s" % (tool, ", ".join(miss)))
    extra = [f for f in a if f not in known]
    if extra:
        raise Refused("E03 %s knows no %s" % (tool, ", ".join(extra)))
    if "tour" in a:
        need_tour(c, a)
    if tool in WORK:
        return write(c, tool, a)
    if tool == "tour_show":
        s = state(c, a["tour"])
        s.pop("tally")
        return s
    if tool == "cast_show":
        return state(c, a["tour"])["cast"]
    if tool == "venue_find":
        q = "%" + str(a["q"]) + "%"
        return [{"venue": r["id"], "house": r["house"], "town": r["town"], "remark": r["remark"]}
                for r in c.execute("select * from venues where house like ? or town like ? or id like ? order by id", (q, q, q))]
    if tool == "venue_show":
        r = c.execute("select * from venues where id=?", (a["venue"],)).fetchone()
        if not r:
            raise Refused("E06 venue: no house %r" % (a["venue"],))
        return {"venue": r["id"], "house": r["house"], "town": r["town"], "dock_m": r["dock_cm"] / 100, "stairs": bool(r["stairs"]), "curtain": r["curtain"],
                "seats": r["seats"], "remark": r["remark"],
                "let": [{"date": x["date"], "what": x["what"]} for x in c.execute("select * from lets where venue=? order by date", (a["venue"],))]}
    if tool == "people_find":
        q = str(a["q"])
        return [{"no": r["no"], "name": r["name"], "trade": r["trade"], "tour": r["tour"]}
                for r in c.execute("select * from people where name like ? or trade like ? or tour=? or no=? order by no", ("%" + q + "%", q + "%", q, q))]
    if tool == "fleet":
        return [{"lorry": r["id"], "m3": r["m3"], "height_m": r["height_cm"] / 100, "class": r["class"],
                 "off": [{"date": x["date"], "why": x["why"]} for x in c.execute("select * from offs where lorry=? order by date", (r["id"],))]}
                for r in c.execute("select * from fleet order by id")]
    if tool == "rates":
        return {r["item"]: r["pence"] for r in c.execute("select * from rates where tour=? order by rowid", (a["tour"],))}
    if tool == "marks":
        return [{"mark": r["id"], "tool": r["tool"], "state": r["state"], "entry": json.loads(r["args"])}
                for r in c.execute("select * from marks where tour=? order by n", (a["tour"],))]
    if tool == "docket":
        return {"docket": c.execute("select docket from tours where code=?", (a["tour"],)).fetchone()[0]}
    if tool == "tour_export":
        soft = c.execute("select count(*) from marks where tour=? and state='soft'", (a["tour"],)).fetchone()[0]
        if soft:
            raise Refused("E61 %s: %d mark%s still soft" % (a["tour"], soft, " is" if soft == 1 else "s are"))
        with open(os.path.join(ROOT, "exports", a["tour"] + ".json"), "w") as f:
            f.write(export_text(c, a["tour"]))
        return {"wrote": "exports/%s.json" % a["tour"]}
    p = desk_problem(c, tool)
    if p:
        raise Refused(p)
    if tool == "worklight":
        if not isinstance(a["on"], bool):
            raise Refused("E07 on: wants true or false")
        c.execute("update tours set light=? where code=?", (int(a["on"]), a["tour"]))
        return {"ok": True}
    ids = a["marks"] if tool == "ink" else [a["mark"]]
    if not isinstance(ids, list) or not ids:
        raise Refused("E07 marks: wants a list")
    for i in ids:
        r = c.execute("select state from marks where id=? and tour=?", (str(i), a["tour"])).fetchone()
        if not r:
            raise Refused("E09 no mark %r in %s" % (i, a["tour"]))
        if tool == "rub_out" and r[0] != "soft":
            raise Refused("E63 %s will not rub out" % i)
    for i in ids:
        c.execute("update marks set state='ink' where id=?" if tool == "ink" else "delete from marks where id=?", (i,))
    c.execute("update tours set tally=tally+1 where code=?", (a["tour"],))
    return {"ok": True}


def stage(argv):
    if not argv or argv[0] in ("help", "--help", "-h"):
        one = argv[1:2]
        if one and one[0] in TOOLS:
            f, _, h = TOOLS[one[0]]
            print("stage %s '{%s}'\n  %s" % (one[0], ", ".join('"%s": …' % x for x in f), h))
            return 0
        print("stage TOOL '{json}'      asks the house (answers are JSON)\n\ntools:")
        for k, (f, _, h) in TOOLS.items():
            print("  %-12s %-40s %s" % (k, "{" + ", ".join(f) + "}", h))
        return 0
    tool = argv[0]
    if tool in TOOLS and argv[1:2] and argv[1] in ("--help", "-h", "help"):
        return stage(["help", tool])
    try:
        if tool not in TOOLS:
            raise Refused("E01 no tool %r, see: stage help" % tool)
        try:
            a = json.loads(argv[1]) if len(argv) > 1 else {}
        except ValueError:
            raise Refused("E04 not JSON: %s" % argv[1])
        if not isinstance(a, dict) or len(argv) > 2:
            raise Refused("E04 wants one JSON object")
        with open(store_path(ROOT), "r+b") as f:
            fcntl.flock(f, fcntl.LOCK_EX)
            c = unpack(f.read())
            answer = call(c, tool, a)
            if c.in_transaction:
                c.commit()
                f.seek(0)
                f.truncate()
                f.write(pack(c))
        print(json.dumps(answer, indent=1, ensure_ascii=False))
        return 0
    except Refused as e:
        for line in e.lines:
            print("stage: " + line, file=sys.stderr)
        return 2


def stitch(argv):
    if len(argv) != 1 or argv[0] in ("-h", "--help"):
        print("stitch TOUR      writes sheets/TOUR.txt", file=sys.stderr)
        return 2
    with open(store_path(ROOT), "rb") as f:
        c = unpack(f.read())
    r = c.execute("select tally from tours where code=?", (argv[0],)).fetchone()
    if not r:
        print("stitch: no tour %r" % argv[0], file=sys.stderr)
        return 2
    with open(os.path.join(ROOT, "exports", argv[0] + ".json")) as f:
        e = json.load(f)
    if e.get("tally") != r[0]:
        print("stitch: will not stitch %s at tally %s, the house is at %s" % (argv[0], e.get("tally"), r[0]), file=sys.stderr)
        return 3
    with open(os.path.join(ROOT, "sheets", argv[0] + ".txt"), "w") as f:
        f.write(render(e))
    print("sheets/%s.txt" % argv[0])
    return 0


def registrar(argv):
    with open(store_path(ROOT), "rb") as f:
        c = unpack(f.read())
    text = open(argv[0], encoding="utf-8", errors="replace").read()
    known = [r[0] for r in c.execute("select docket from tours")]
    found = re.findall(r"(?m)^Docket: (\S+)[ \t]*$", text)
    if not found:
        if any(k in text for k in known):
            print("registrar: not filed, the docket wants a line to itself, as on the commits before", file=sys.stderr)
        else:
            print("registrar: not filed, this commit is under no docket", file=sys.stderr)
        return 1
    for d in found:
        if d not in known:
            print("registrar: not filed, the docket %s is not open" % d, file=sys.stderr)
            return 1
    return 0


def main(argv):
    global ROOT
    ROOT = os.path.abspath(argv[0])
    try:
        return {"stage": stage, "stitch": stitch, "registrar": registrar}[argv[1]](argv[2:])
    except (OSError, KeyError, TypeError, ValueError, sqlite3.Error) as e:
        print("%s: E99 %s" % (argv[1], e), file=sys.stderr)
        return 9
