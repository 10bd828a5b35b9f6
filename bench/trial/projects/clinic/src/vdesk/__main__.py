import hashlib, json, os, re, sqlite3, sys
from datetime import date, timedelta

TODAY = date(2025, 11, 19)
DAYS = ("MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN")
VETS = {"OKA": ("Dr. Okafor", "01234"), "LIN": ("Dr. Lindqvist", "034"), "BRA": ("Dr. Brandt", "1234")}
TIMES = [f"{h:02d}:{m}" for h in (9, 10, 11, 14, 15, 16) for m in ("00", "30")]
REASONS = ("consultation", "vaccination", "recheck", "surgery", "dental")
LOSSES = ("expired", "broken", "recall")
DESKS = ("front", "supplies", "accounts")
LETTERS = {"moved": "visit", "reminder": "visit", "recall": "lot", "exam-due": "rx"}
EXPLAIN = {
    "E01": "The argument is one JSON object, or - to read it from standard input.",
    "E12": "The tag is on the chart. Front desk pulls it by chart number.",
    "E21": "Days of the roster, e.g. 4 March 2025 is TUE10/25. The calendar knows them.",
    "E24": "Written as on the shelf label: 30TAB.",
    "E25": "See the entry in the code book.",
    "E31": "Whatever changes the records is entered in a book. See: vdesk ops office",
    "E33": "The book is balanced when its entries have been tallied, and nothing came after.",
    "E34": "A report tells of finished work: close the book first.",
    "E41": "roster.show has the free times of a day.",
    "E52": "Prices are kept in the code book.",
}
OPS = {}


class Err(Exception):
    pass


def op(name, spec="", text="", write=False):
    def deco(f):
        OPS[name] = (dict(x.split(":", 1) for x in spec.split()), text, write, f)
        return f
    return deco


# ---- records

def get(c, kind, ref):
    r = c.execute("select * from records where kind=? and ref=?", (kind, str(ref))).fetchone()
    return r and {"ref": r["ref"], "state": r["state"], **json.loads(r["body"])}


def every(c, kind):
    rows = c.execute("select * from records where kind=? and state!='STRUCK' order by ref", (kind,)).fetchall()
    return [{"ref": r["ref"], "state": r["state"], **json.loads(r["body"])} for r in rows]


def next_ref(c, kind, prefix):
    refs = [r[0] for r in c.execute("select ref from records where kind=?", (kind,))]
    return f"{prefix}-{max([int(r.split('-')[1]) for r in refs] or [100]) + 1}"


def put(c, kind, ref, state, **body):
    r = c.execute("select * from records where kind=? and ref=?", (kind, ref)).fetchone()
    before = json.dumps([r["state"], json.loads(r["body"])]) if r else None
    c.execute("insert into changes values(?,?,?,?)", (c.entry, kind, ref, before))
    c.execute("insert or replace into records values(?,?,?,?,?)", (kind, ref, state, json.dumps(body), r["orig"] if r else None))


def book(c):
    return c.execute("select * from books where state='OPEN'").fetchone()


# ---- values

def tag(no):
    return f"{no}-{'ABCDEFGHJKLMNPRSTUWXYZ'[hashlib.sha1(f'chart {no}'.encode()).digest()[0] % 22]}"


def roster_day(d):
    y, w, n = d.isocalendar()
    return f"{DAYS[n - 1]}{w:02d}/{y % 100}"


def value(c, typ, v, name):
    if typ == "day":
        m = re.fullmatch(r"([A-Z]{3})(\d\d)/(\d\d)", v) if isinstance(v, str) else None
        try:
            return date.fromisocalendar(2000 + int(m[3]), int(m[2]), DAYS.index(m[1]) + 1).isoformat()
        except (TypeError, ValueError):
            raise Err(f"E21 {name}: not a roster day")
    if typ == "date":
        try:
            return date.fromisoformat(v)
        except (TypeError, ValueError):
            raise Err(f"E20 {name}: not a date (YYYY-MM-DD)")
    if typ == "patient":
        m = re.fullmatch(r"(\d+)-[A-Z]", v) if isinstance(v, str) else None
        if not m or tag(m[1]) != v:
            raise Err(f"E12 {name}: not a chart tag")
        return int(m[1])
    if typ == "qty":
        m = re.fullmatch(r"([1-9]\d*)([A-Z]{2,4})", v) if isinstance(v, str) else None
        if not m:
            raise Err(f"E24 {name}: not a shelf quantity")
        return int(m[1]), m[2]
    if typ == "price":
        try:
            return round(float(v) * 100)
        except (TypeError, ValueError):
            raise Err(f"E26 {name}: not a sum (e.g. 12.50)")
    if typ == "month":
        if not re.fullmatch(r"\d{4}-\d\d", str(v)):
            raise Err(f"E27 {name}: not a month (YYYY-MM)")
    elif typ == "time":
        if v not in TIMES:
            raise Err(f"E22 {name}: appointments begin at {', '.join(TIMES)}")
    elif typ == "vet":
        if v not in VETS:
            raise Err(f"E23 {name}: one of {', '.join(VETS)}")
    elif typ in ("reason", "loss", "desk", "template"):
        allowed = {"reason": REASONS, "loss": LOSSES, "desk": DESKS, "template": tuple(LETTERS)}[typ]
        if v not in allowed:
            raise Err(f"E42 {name}: one of {', '.join(allowed)}")
    elif typ in ("visit", "rx", "order", "lot", "owner", "code", "supplier", "invoice"):
        r = get(c, typ, v)
        if not r or r["state"] == "STRUCK":
            raise Err(f"E13 {name}: no such {typ}")
        return r
    elif typ == "int":
        if not str(v).isdigit():
            raise Err(f"E28 {name}: not a number")
        return int(v)
    elif typ == "str" and (not isinstance(v, str) or not v.strip()):
        raise Err(f"E29 {name}: empty")
    elif typ.startswith("["):
        if not isinstance(v, list) or not v or not all(isinstance(x, dict) for x in v):
            raise Err(f"E30 {name}: a list of objects is wanted")
        spec = dict(x.split("=") for x in typ[1:-1].split(","))
        return [fields(c, spec, x, f"{name}[{i}].") for i, x in enumerate(v)]
    return v


def fields(c, spec, given, where=""):
    for k in given:
        if k not in spec:
            raise Err(f"E11 unknown field: {where}{k}")
    for k in spec:
        if k not in given:
            raise Err(f"E10 missing field: {where}{k}")
    return {k: value(c, t, given[k], where + k) for k, t in spec.items()}


def units(code, qty, name="qty"):
    if qty[1] != code["unit"]:
        raise Err(f"E25 {name}: {code['ref']} is not kept in {qty[1]}")
    return qty[0]


def priced(lines, which):
    out = []
    for i, x in enumerate(lines):
        n = units(x["code"], x["qty"], f"lines[{i}].qty")
        if x["code"][which] is None or x["price"] != round(x["code"][which] * 100):
            raise Err(f"E52 lines[{i}].price: not in force")
        out.append({**x, "code": x["code"]["ref"], "qty": n, "price": x["price"] / 100})
    return out, round(sum(x["qty"] * round(x["price"] * 100) for x in out) / 100, 2)


# ---- operations

@op("calendar.today", "", "Today.")
def _(c):
    return {"date": TODAY.isoformat(), "weekday": TODAY.strftime("%A"), "week": TODAY.isocalendar()[1]}


@op("calendar.day", "date:date", "Calendar entry of a date.")
def _(c, date):
    return {"date": date.isoformat(), "roster_day": roster_day(date), "open": date.weekday() < 5}


@op("patients.list", "", "Patients by chart number.")
def _(c):
    return [{"chart": int(p["ref"]), "name": p["name"], "species": p["species"], "owner": p["owner"]} for p in every(c, "patient")]


@op("patients.show", "patient:patient", "Particulars of a patient.")
def _(c, patient):
    p = get(c, "patient", patient)
    return {"chart": patient, "status": p["state"], **{k: p[k] for k in ("name", "species", "owner", "last_exam")}}


@op("charts.pull", "chart:int", "Pull the chart of a patient.")
def _(c, chart):
    p = get(c, "patient", chart)
    if not p:
        raise Err("E13 chart: no such patient")
    return {"chart": chart, "tag": tag(chart), "name": p["name"]}


@op("owners.show", "owner:owner", "Owner (by number) with the patients.")
def _(c, owner):
    return {"owner": int(owner["ref"]), "name": owner["name"], "email": owner["email"],
            "patients": [int(p["ref"]) for p in every(c, "patient") if p["owner"] == int(owner["ref"])]}


def free(c, day, vet, but=None):
    if str(date.fromisoformat(day).weekday()) not in VETS[vet][1]:
        return []
    taken = [v["time"] for v in every(c, "visit") if v["day"] == day and v["vet"] == vet and v["state"] == "BOOKED" and v["ref"] != but]
    return [t for t in TIMES if t not in taken]


def want_slot(c, day, time, vet, but=None):
    if day < TODAY.isoformat() or time not in free(c, day, vet, but):
        raise Err(f"E41 {vet} has no free time at {time} on {day}")


@op("visits.list", "day:day", "Appointments of a day.")
def _(c, day):
    return [{"visit": v.pop("ref"), **v} for v in every(c, "visit") if v["day"] == day]


@op("roster.show", "day:day", "Vets on duty and their free times.")
def _(c, day):
    return {"date": day, "free": {f"{v} ({VETS[v][0]})": free(c, day, v) for v in VETS if free(c, day, v)}}


@op("visits.book", "patient:patient day:day time:time vet:vet reason:reason", "Book an appointment.", True)
def _(c, patient, day, time, vet, reason):
    want_slot(c, day, time, vet)
    ref = next_ref(c, "visit", "V")
    put(c, "visit", ref, "BOOKED", patient=patient, day=day, time=time, vet=vet, reason=reason)
    return {"visit": ref, "date": day, "time": time}


@op("visits.move", "visit:visit day:day time:time vet:vet", "Move an appointment.", True)
def _(c, visit, day, time, vet):
    if visit["state"] != "BOOKED":
        raise Err(f"E43 {visit['ref']} is {visit['state']}")
    want_slot(c, day, time, vet, visit["ref"])
    put(c, "visit", visit["ref"], "BOOKED", patient=visit["patient"], day=day, time=time, vet=vet, reason=visit["reason"])
    return {"visit": visit["ref"], "date": day, "time": time, "vet": vet}


@op("visits.cancel", "visit:visit", "Cancel an appointment.", True)
def _(c, visit):
    ref, _ = visit.pop("ref"), visit.pop("state")
    put(c, "visit", ref, "CANCELLED", **visit)
    return {"visit": ref, "state": "CANCELLED"}


@op("rx.list", "", "Prescriptions.")
def _(c):
    return [{"rx": r.pop("ref"), **r} for r in every(c, "rx")]


@op("rx.renew", "rx:rx qty:qty day:day", "Renew a prescription from a day.", True)
def _(c, rx, qty, day):
    if rx["state"] != "ACTIVE":
        raise Err(f"E43 {rx['ref']} is {rx['state']}")
    n = units(get(c, "code", rx["code"]), qty)
    put(c, "rx", rx["ref"], "ACTIVE", patient=rx["patient"], code=rx["code"], renewed=rx["renewed"] + [[n, day]])
    return {"rx": rx["ref"], "renewed": day}


@op("stock.list", "", "Articles with stock, minimum and target.")
def _(c):
    out = []
    for a in every(c, "code"):
        if a["supplier"]:
            lots = [x for x in every(c, "lot") if x["code"] == a["ref"]]
            out.append({"code": a["ref"], "supplier": a["supplier"], "on_hand": sum(x["qty"] for x in lots),
                        "blocked": sum(x["qty"] for x in lots if x["state"] == "BLOCKED"), "minimum": a["minimum"], "target": a["target"]})
    return out


@op("stock.lots", "code:code", "Lots of an article.")
def _(c, code):
    return [{"lot": x.pop("ref"), "state": x["state"], "qty": x["qty"], "expiry": x["expiry"]} for x in every(c, "lot") if x["code"] == code["ref"]]


@op("stock.uses", "lot:lot", "Patients treated from a lot.")
def _(c, lot):
    return [{"chart": u[0], "date": u[1]} for u in lot["uses"]]


@op("stock.writeoff", "lot:lot qty:qty reason:loss", "Write stock of a lot off.", True)
def _(c, lot, qty, reason):
    n = units(get(c, "code", lot["code"]), qty)
    if n > lot["qty"]:
        raise Err(f"E44 {lot['ref']} has {lot['qty']}")
    left = lot["qty"] - n
    put(c, "lot", lot["ref"], lot["state"] if left else "EMPTY", code=lot["code"], qty=left, expiry=lot["expiry"], uses=lot["uses"], off=reason)
    return {"lot": lot["ref"], "left": left}


@op("orders.list", "", "Orders to suppliers.")
def _(c):
    return [{"order": o["ref"], "state": o["state"], "supplier": o["supplier"], "delivery": o["day"],
             "lines": [{k: x[k] for k in ("code", "qty")} for x in o["lines"]]} for o in every(c, "order")]


@op("orders.place", "supplier:supplier day:day lines:[code=code,qty=qty,price=price]", "Order from a supplier, delivery on a day.", True)
def _(c, supplier, day, lines):
    lines, total = priced(lines, "buy")
    for x in lines:
        if get(c, "code", x["code"])["supplier"] != int(supplier["ref"]):
            raise Err(f"E45 {x['code']} is not from supplier {supplier['ref']}")
    ref = next_ref(c, "order", "O")
    put(c, "order", ref, "OPEN", supplier=int(supplier["ref"]), day=day, lines=lines)
    return {"order": ref, "lines": len(lines), "total": f"{total:.2f}"}


@op("orders.receive", "order:order day:day lines:[code=code,lot=str,qty=qty,expiry=month]", "Take a delivery into stock.", True)
def _(c, order, day, lines):
    if order["state"] != "OPEN":
        raise Err(f"E43 {order['ref']} is {order['state']}")
    for i, x in enumerate(lines):
        n = units(x["code"], x["qty"], f"lines[{i}].qty")
        if (get(c, "lot", x["lot"]) or {"state": "STRUCK"})["state"] != "STRUCK":
            raise Err(f"E46 lines[{i}].lot: {x['lot']} is in stock already")
        put(c, "lot", x["lot"], "OK", code=x["code"]["ref"], qty=n, expiry=x["expiry"], uses=[], order=order["ref"], day=day)
    put(c, "order", order["ref"], "RECEIVED", supplier=order["supplier"], day=order["day"], lines=order["lines"])
    return {"order": order["ref"], "state": "RECEIVED", "lots": len(lines)}


@op("orders.claim", "order:order day:day lines:[code=code,qty=qty,price=price]", "Claim missing goods of an order from the supplier.", True)
def _(c, order, day, lines):
    lines, total = priced(lines, "buy")
    ref = next_ref(c, "claim", "K")
    put(c, "claim", ref, "SENT", order=order["ref"], day=day, lines=lines)
    return {"claim": ref, "lines": len(lines), "total": f"{total:.2f}"}


@op("invoices.make", "owner:owner day:day lines:[patient=patient,code=code,qty=qty,price=price]", "Invoice an owner.", True)
def _(c, owner, day, lines):
    lines, total = priced(lines, "sell")
    for i, x in enumerate(lines):
        if get(c, "patient", x["patient"])["owner"] != int(owner["ref"]):
            raise Err(f"E47 lines[{i}].patient: of another owner")
    ref = next_ref(c, "invoice", "I")
    put(c, "invoice", ref, "SENT", owner=int(owner["ref"]), day=day, lines=lines)
    return {"invoice": ref, "lines": len(lines), "total": f"{total:.2f}"}


@op("invoices.show", "invoice:invoice", "An invoice.")
def _(c, invoice):
    return invoice


def letter_file(ref):
    y, w, _ = TODAY.isocalendar()
    return f"letters/{y}-W{w}/{ref}.md"


@op("letters.print", "template:template patient:patient about:str", "Print a letter to the owner about a visit, lot or prescription.", True)
def _(c, template, patient, about):
    r = get(c, LETTERS[template], about)
    if not r or r["state"] == "STRUCK":
        raise Err(f"E72 about: the letter {template} is about a {LETTERS[template]}; there is no {about}")
    if r.get("patient", patient) != patient or patient not in [u[0] for u in r.get("uses", [[patient]])]:
        raise Err(f"E73 about: {about} is not of this patient")
    ref, p = next_ref(c, "letter", "L"), get(c, "patient", patient)
    root = os.environ["VDESK_ROOT"]
    text = open(f"{root}/templates/letters/{template}.md").read()
    article = get(c, "code", r["code"])["name"] if "code" in r else ""
    given = {"number": ref, "owner": get(c, "owner", p["owner"])["name"], "patient": p["name"], "article": article, "lot": about,
             "date": r.get("day"), "time": r.get("time"), "vet": VETS[r["vet"]][0] if "vet" in r else ""}
    text = re.sub(r"\{\{(\w+)\}\}", lambda m: str(given[m[1]]), text)
    put(c, "letter", ref, "PRINTED", template=template, patient=patient, about=about)
    os.makedirs(os.path.dirname(f"{root}/{letter_file(ref)}"), exist_ok=True)
    open(f"{root}/{letter_file(ref)}", "w").write(text)
    return {"letter": ref, "file": letter_file(ref)}


@op("letters.list", "", "Letters printed.")
def _(c):
    return [{"letter": x.pop("ref"), **x} for x in every(c, "letter")]


@op("codes.show", "code:code", "Entry of the code book.")
def _(c, code):
    return {"code": code["ref"], **{k: code[k] for k in ("name", "unit", "buy", "sell", "supplier")}, "since": "2025-10-01"}


@op("daybook.open", "desk:desk", "Begin a day book (desk: front, supplies or accounts).")
def _(c, desk):
    if book(c):
        raise Err(f"E32 book {book(c)['id']} is open")
    n = c.execute("insert into books(desk, day, state, tally) values(?,?,'OPEN',0)", (desk, TODAY.isoformat())).lastrowid
    return {"book": n, "desk": desk, "state": "OPEN"}


def entries(c, b):
    return [dict(r) for r in c.execute("select id as entry, op, struck from entries where book=? order by id", (b["id"],))]


def need_book(c, name):
    if not book(c):
        raise Err(f"E31 {name}: no day book")
    return book(c)


@op("daybook.show", "", "The open book with its entries.")
def _(c):
    b = need_book(c, "daybook.show")
    return {"book": b["id"], "desk": b["desk"], "entries": entries(c, b)}


@op("daybook.strike", "entry:int", "Strike an entry out (undo it).", True)
def _(c, entry):
    e = c.execute("select * from entries where id=? and struck=0 and op!='daybook.strike'", (entry,)).fetchone()
    rows = c.execute("select * from changes where entry=?", (entry,)).fetchall()
    if not e or not rows:
        raise Err("E35 entry: no such entry")
    for r in rows:
        if c.execute("select 1 from changes join entries on entries.id=entry where kind=? and ref=? and entry>? and struck=0 and op!='daybook.strike'",
                     (r["kind"], r["ref"], entry)).fetchone():
            raise Err(f"E36 {r['ref']} has a later entry; strike that first")
        state, body = json.loads(r["before"]) if r["before"] else ("STRUCK", {})
        put(c, r["kind"], r["ref"], state, **body)
        if r["kind"] == "letter" and os.path.exists(f"{os.environ['VDESK_ROOT']}/{letter_file(r['ref'])}"):
            os.remove(f"{os.environ['VDESK_ROOT']}/{letter_file(r['ref'])}")
    c.execute("update entries set struck=1 where id=?", (entry,))
    return {"struck": entry}


@op("daybook.tally", "", "Tally the book.")
def _(c):
    b = need_book(c, "daybook.tally")
    c.execute("update books set tally=1 where id=?", (b["id"],))
    n = [e["op"] for e in entries(c, b) if not e["struck"]]
    return {"book": b["id"], "tally": {k: n.count(k) for k in sorted(set(n))}}


@op("daybook.close", "", "End the day book.")
def _(c):
    b = need_book(c, "daybook.close")
    if not b["tally"]:
        raise Err("E33 daybook.close: book is not balanced")
    c.execute("update books set state='CLOSED' where id=?", (b["id"],))
    return {"book": b["id"], "state": "CLOSED"}


def seal(path):
    full = os.path.join(os.environ["VDESK_ROOT"], path)
    if not re.fullmatch(r"reports/[\w.-]+\.md", path) or not os.path.exists(full):
        raise Err("E81 path: no such report (reports/NAME.md)")
    text = "\n".join(x.rstrip() for x in open(full).read().strip().splitlines())
    return "R" + hashlib.sha1(f"millbrook {path} {text}".encode()).hexdigest()[:7]


def register():
    path = os.path.join(os.environ["VDESK_ROOT"], "reports/REGISTER.csv")
    return path, [x.split(",") for x in open(path).read().split()[1:]] if os.path.exists(path) else []


@op("reports.stamp", "path:str", "Stamp a report.")
def _(c, path):
    if book(c):
        raise Err("E34 reports.stamp: a day book is open")
    s = seal(path)
    file, rows = register()
    rows = [r for r in rows if r[0] != path] + [[path, s]]
    open(file, "w").write("".join(",".join(r) + "\n" for r in [["report", "stamp"]] + sorted(rows)))
    return {"path": path, "stamp": s}


@op("reports.verify", "path:str", "Compare a report with its stamp.")
def _(c, path):
    mine = [r[1] for r in register()[1] if r[0] == path]
    return {"path": path, "verdict": "absent" if not mine else "valid" if mine == [seal(path)] else "altered"}


AREAS = {
    "patients": ("patients.", "charts.", "owners."), "appointments": ("visits.", "roster.", "calendar."), "prescriptions": ("rx.",),
    "supplies": ("stock.", "orders."), "accounts": ("invoices.",), "letters": ("letters.",), "office": ("daybook.", "codes.", "reports."),
}
USAGE = """usage: vdesk OPERATION JSON   (- for JSON on standard input)
       vdesk ops [AREA]       operations of an area
       vdesk help OPERATION   its fields
       vdesk explain CODE     about an error

areas: """ + ", ".join(AREAS)


def run(name, given):
    c = sqlite3.connect(os.path.join(os.environ["VDESK_HOME"], "state.db"), factory=type("Db", (sqlite3.Connection,), {"entry": None}))
    c.row_factory = sqlite3.Row
    spec, _, write, f = OPS[name]
    if write:
        b = need_book(c, name)
    a = fields(c, spec, given)
    if write:
        c.execute("update books set tally=0 where id=?", (b["id"],))
        c.entry = c.execute("insert into entries(book, op, args, struck) values(?,?,?,0)", (b["id"], name, json.dumps(given))).lastrowid
    out = f(c, **a)
    c.commit()
    return {"entry": c.entry, **out} if write else out


def main(argv):
    if not argv or argv[0] in ("-h", "--help") or argv == ["help"] or argv == ["ops"]:
        return print(USAGE)
    if argv[0] == "ops" and len(argv) == 2 and argv[1] in AREAS:
        for n, o in OPS.items():
            if n.startswith(AREAS[argv[1]]):
                print(f"{n:16}{o[1]}")
        return
    if argv[0] == "help" and len(argv) == 2 and argv[1] in OPS:
        spec, text, _, _ = OPS[argv[1]]
        show = [k if not t.startswith("[") else f"{k} [{{{', '.join(x.split('=')[0] for x in t[1:-1].split(','))}}}, ...]" for k, t in spec.items()]
        return print(f"{argv[1]}: {text}\n  fields: {', '.join(show) or 'none'}")
    if argv[0] == "explain" and len(argv) == 2:
        return print(EXPLAIN.get(argv[1], "nothing to add"))
    if argv[0] not in OPS or len(argv) > 2:
        sys.exit(f"vdesk: E02 no such operation: {' '.join(argv)}\n{USAGE}")
    try:
        given = json.loads((sys.stdin.read() if argv[1] == "-" else argv[1]) if len(argv) == 2 else "{}")
        assert isinstance(given, dict)
    except (ValueError, AssertionError):
        sys.exit("vdesk: E01 not a JSON object")
    try:
        print(json.dumps(run(argv[0], given), indent=1))
    except Err as e:
        sys.exit(f"vdesk: {e}")


main(sys.argv[1:])
