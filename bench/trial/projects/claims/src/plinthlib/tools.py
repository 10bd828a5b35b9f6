import datetime
import json
import re

from . import base
from .base import Refused, meta, money

TOOLS = {}


class Tool:
    def __init__(self, fn, name, text, need, opt, writes, act):
        self.fn, self.name, self.text, self.need, self.opt, self.writes, self.act = fn, name, text, need, opt, writes, act


def tool(name, text, need=None, opt=None, writes=False, act=False):
    def deco(fn):
        TOOLS[name] = Tool(fn, name, text, need or {}, opt or {}, writes, act)
        return fn
    return deco


class Ctx:
    def __init__(self, db, tool, args):
        self.db, self.tool, self.args = db, tool, args
        self.day = meta(db, "day")

    def one(self, sql, *a):
        return self.db.execute(sql, a).fetchone()

    def all(self, sql, *a):
        return self.db.execute(sql, a).fetchall()

    def file(self, text, write=True):
        m = re.fullmatch(r"(\d\d-\d{4})(?:/([A-Z]))?", str(text))
        c = m and self.one("select c.*, p.currency cur, p.museum museum from claims c join policies p on p.id=c.policy where ref=?", m[1])
        if not c:
            raise Refused("E11", f"no file {text}")
        if write and m[2] != base.letter(m[1]):
            raise Refused("E12", f"{text}: reference not established")
        return c

    def batch(self, name):
        v = self.args[name]
        if not isinstance(v, list) or not v:
            raise Refused("E03", f"{name}: a list is wanted")
        return v

    def size(self, v):
        if len(v) > 3:
            raise Refused("E61", f"batch of {len(v)} not taken")

    def ground(self):
        code = self.args.get("article")
        if code is None:
            raise Refused("E44", f"{self.tool.name}: no ground")
        a = self.one("select * from articles where code=?", str(code))
        if not a:
            raise Refused("E45", f"no article {code}")
        if a["acts"] != self.tool.name:
            raise Refused("E45", f"article {code} is not good for {self.tool.name}")
        return code

    def event(self, ref, text, article=None):
        self.db.execute("insert into events(day,ref,act,article,text) values (?,?,?,?,?)", (self.day, ref, self.tool.name, article, text))

    def next(self, key):
        v = int(meta(self.db, key))
        meta(self.db, key, v + 1)
        return v

    def slip(self, ref, kind, amount):
        i = f"S-{self.next('slip')}"
        self.db.execute("insert into slips values (?,?,?,?,?,0)", (i, self.day, ref, kind, amount))
        return i

    def sheet(self, part):
        return base.sheet(fresh=False)[part]


def live(c, *states):
    if c["status"] not in (states or ("open", "assessed")):
        raise Refused("E40", f"{c['ref']} is {c['status']}")


def day_of(text, name):
    try:
        return datetime.date.fromisoformat(text).isoformat()
    except (TypeError, ValueError):
        raise Refused("E21", f"{name}: a day is wanted (YYYY-MM-DD)") from None


def brief(c):
    return {"file": c["ref"], "check": base.letter(c["ref"]), "museum": c["museum"], "object": c["object"], "peril": c["peril"], "lossdate": c["lossdate"],
            "status": c["status"], "adjuster": c["adjuster"], "reserve": money(c["reserve"], c["cur"]), "assessed": money(c["assessed"], c["cur"]), "flag": c["flag"]}


@tool("desk.status", "the day and what is open")
def _(x):
    n = lambda q: x.one(q)[0]
    return {"day": x.day, "files": n("select count(*) from claims"), "open": n("select count(*) from claims where status='open'"),
            "slips": n("select count(*) from slips where posted=0"), "sheet": base.sheet(False)["digest"]}


@tool("code.list", "print a table of codes", {"table": "appraisers, articles, flags, perils or seats"}, {"like": "part of a text"})
def _(x):
    t = x.args["table"]
    if t in ("appraisers", "perils"):
        out = x.sheet(t)
    elif t in ("articles", "flags", "seats"):
        out = [dict(r) for r in x.all(f"select * from {t} order by 1")]
    else:
        raise Refused("E10", f"no table {t}")
    like = str(x.args.get("like", "")).lower()
    return [r for r in out if like in " ".join(map(str, r.values())).lower()]


@tool("museum.find", "search the museums", {"like": "part of the name or city"})
def _(x):
    w = f"%{x.args['like']}%"
    return [dict(r, standing=[s for s in x.sheet("standing") if s["museum"] == r["id"]])
            for r in x.all("select m.*, p.id policy from museums m join policies p on p.museum=m.id where m.name like ? or m.city like ? order by 1", w, w)]


@tool("policy.show", "show a policy", {"policy": "number of the policy"})
def _(x):
    p = x.one("select * from policies where id=?", x.args["policy"])
    if not p:
        raise Refused("E10", f"no policy {x.args['policy']}")
    payees = [p["museum"]] + [f"{r['id']} ({r['name']})" for r in x.all("select * from lenders where policy=?", p["id"])]
    return {"policy": p["id"], "museum": p["museum"], "currency": p["currency"], "excess": money(p["excess"], p["currency"]), "since": p["since"], "until": p["until"], "payees": payees}


@tool("object.find", "search the insured objects", opt={"policy": "number of the policy", "object": "number of the object", "like": "part of the title"})
def _(x):
    a = x.args
    return [{"object": r["id"], "policy": r["policy"], "title": r["title"], "class": r["class"], "insured": money(r["insured"], r["cur"]), "owner": r["owner"]}
            for r in x.all("select o.*, p.currency cur from objects o join policies p on p.id=o.policy order by o.id")
            if a.get("policy", r["policy"]) == r["policy"] and a.get("object", r["id"]) == r["id"] and str(a.get("like", "")).lower() in r["title"].lower()]


@tool("adjuster.list", "list the adjusters with their live files", opt={"specialty": "a class of objects"})
def _(x):
    n = {r[0]: r[1] for r in x.all("select adjuster, count(*) from claims where status in ('open','assessed') group by 1")}
    return [dict(r, files=n.get(r["stamp"], 0)) for r in x.sheet("roster") if x.args.get("specialty", r["specialty"]) == r["specialty"]]


@tool("claim.list", "list files", opt={"status": "open, assessed, settled, withdrawn", "adjuster": "stamp", "museum": "number of the museum", "peril": "code", "flag": "name"})
def _(x):
    return [brief(c) for c in x.all("select c.*, p.currency cur, p.museum museum from claims c join policies p on p.id=c.policy order by ref")
            if all(x.args[k] == c[k] for k in x.args)]


@tool("claim.show", "show a file", {"claim": "the file"})
def _(x):
    c = x.file(x.args["claim"], write=False)
    o = x.one("select * from objects where id=?", c["object"])
    d = brief(c)
    d.update(policy=c["policy"], title=o["title"], **{"class": o["class"]}, insured=money(o["insured"], c["cur"]), owner=o["owner"], opened=c["opened"],
             appraiser=c["appraiser"], summary=c["summary"], history=[f"{r['day']} {r['act']}: {r['text']}" for r in x.all("select * from events where ref=? order by n", c["ref"])])
    return d


@tool("claim.open", "open a file", {"policy": "number of the policy", "object": "number of the object", "peril": "code", "lossdate": "day of the loss", "summary": "one line"}, writes=True)
def _(x):
    a = x.args
    o = x.one("select o.*, p.museum museum from objects o join policies p on p.id=o.policy where o.id=? and o.policy=?", a["object"], a["policy"])
    if not o:
        raise Refused("E10", f"no object {a['object']} in policy {a['policy']}")
    peril(x, a["peril"])
    d = day_of(a["lossdate"], "lossdate")
    if d > x.day:
        raise Refused("E21", "lossdate: not yet")
    ref = f"{x.day[2:4]}-{x.next('claim'):04d}"
    x.db.execute("insert into claims values (?,?,?,?,?,?,'open',null,0,null,null,null,?)", (ref, a["policy"], a["object"], a["peril"], d, x.day, str(a["summary"])))
    x.event(ref, "opened")
    return {"file": ref, "museum": o["museum"], "status": "open"}


def peril(x, code):
    p = [r for r in x.sheet("perils") if r["code"] == code]
    if not p or p[0]["status"] != "in use":
        raise Refused("E24", f"peril {code} is not in use")


@tool("claim.note", "put a note into files", {"claims": "list of files", "text": "the note"}, writes=True)
def _(x):
    cs = [x.file(c) for c in x.batch("claims")]
    x.size(cs)
    for c in cs:
        x.event(c["ref"], str(x.args["text"]))
    return {"noted": [c["ref"] for c in cs]}


@tool("claim.reserve", "set the reserve of a file", {"claim": "the file", "amount": "the new reserve"}, writes=True, act=True)
def _(x):
    c = x.file(x.args["claim"])
    v = base.amount(x.args["amount"], c["cur"])
    g = x.ground()
    live(c)
    x.db.execute("update claims set reserve=? where ref=?", (v, c["ref"]))
    x.event(c["ref"], f"reserve {money(v, c['cur'])}", g)
    return {"file": c["ref"], "reserve": money(v, c["cur"]), "slip": x.slip(c["ref"], "reserve", v)}


@tool("claim.assess", "enter the assessed loss of a file", {"claim": "the file", "amount": "the assessed loss", "appraiser": "code"}, writes=True, act=True)
def _(x):
    c = x.file(x.args["claim"])
    v = base.amount(x.args["amount"], c["cur"])
    g = x.ground()
    live(c)
    if x.args["appraiser"] not in [r["code"] for r in x.sheet("appraisers")]:
        raise Refused("E25", f"no appraiser {x.args['appraiser']} on the sheet")
    if x.one("select 1 from payments where ref=? and status='live'", c["ref"]):
        raise Refused("E40", f"{c['ref']} has payments")
    x.db.execute("update claims set assessed=?, appraiser=?, status='assessed' where ref=?", (v, x.args["appraiser"], c["ref"]))
    x.event(c["ref"], f"assessed {money(v, c['cur'])}", g)
    return {"file": c["ref"], "assessed": money(v, c["cur"]), "slip": x.slip(c["ref"], "assess", v)}


@tool("claim.settle", "pay out on an assessed file", {"claim": "the file", "payee": "museum or lender", "amount": "what is paid"}, writes=True, act=True)
def _(x):
    c = x.file(x.args["claim"])
    v = base.amount(x.args["amount"], c["cur"])
    g = x.ground()
    live(c, "assessed")
    payees = [c["museum"]] + [r["id"] for r in x.all("select id from lenders where policy=?", c["policy"])]
    if x.args["payee"] not in payees:
        raise Refused("E26", f"{x.args['payee']} is no payee of this policy")
    paid = x.one("select coalesce(sum(amount),0) from payments where ref=? and status='live'", c["ref"])[0] + v
    if paid > c["assessed"]:
        raise Refused("E42", "more than the assessed loss")
    grade = {r["stamp"]: r["grade"] for r in x.sheet("roster")}.get(c["adjuster"])
    if paid > x.sheet("limits")["authority"].get(grade, {}).get(c["cur"], 0):
        raise Refused("E41", f"above the authority of {c['adjuster']} (grade {grade})")
    i = f"Y-{x.next('payment')}"
    x.db.execute("insert into payments values (?,?,?,?,?,'live')", (i, c["ref"], x.args["payee"], v, x.day))
    st = "settled" if paid == c["assessed"] else "assessed"
    x.db.execute("update claims set status=? where ref=?", (st, c["ref"]))
    x.event(c["ref"], f"paid {money(v, c['cur'])} to {x.args['payee']} ({i})", g)
    return {"payment": i, "file": c["ref"], "status": st, "slip": x.slip(c["ref"], "pay", v)}


@tool("claim.assign", "assign files to an adjuster", {"claims": "list of files", "adjuster": "stamp"}, writes=True, act=True)
def _(x):
    cs = [x.file(c) for c in x.batch("claims")]
    x.size(cs)
    g = x.ground()
    r = [r for r in x.sheet("roster") if r["stamp"] == x.args["adjuster"]]
    if not r or r[0]["status"] != "active":
        raise Refused("E43", f"{x.args['adjuster']} takes no files")
    for c in cs:
        live(c)
        x.db.execute("update claims set adjuster=? where ref=?", (r[0]["stamp"], c["ref"]))
        x.event(c["ref"], f"assigned to {r[0]['stamp']}", g)
    return {"adjuster": r[0]["stamp"], "assigned": [c["ref"] for c in cs]}


@tool("claim.correct", "correct an entry of a file", {"claim": "the file", "field": "object, peril, lossdate or summary", "value": "what it should be"}, writes=True, act=True)
def _(x):
    c = x.file(x.args["claim"])
    f, v = x.args["field"], x.args["value"]
    if f not in ("object", "peril", "lossdate", "summary"):
        raise Refused("E22", f"{f} is not corrected here")
    g = x.ground()
    if f == "peril":
        peril(x, v)
    if f == "lossdate" and day_of(v, f) > x.day:
        raise Refused("E21", "lossdate: not yet")
    if f == "object" and not x.one("select 1 from objects where id=? and policy=?", v, c["policy"]):
        raise Refused("E10", f"no object {v} in policy {c['policy']}")
    x.db.execute(f"update claims set {f}=? where ref=?", (v, c["ref"]))
    x.event(c["ref"], f"{f} was {c[f]}", g)
    return {"file": c["ref"], f: v}


@tool("claim.flag", "flag files", {"claims": "list of files", "flag": "name, or none"}, writes=True, act=True)
def _(x):
    cs = [x.file(c) for c in x.batch("claims")]
    x.size(cs)
    g = x.ground()
    f = x.args["flag"]
    if f in (None, "none", ""):
        f = None
    elif not x.one("select 1 from flags where name=?", f):
        raise Refused("E10", f"no flag {f}")
    for c in cs:
        x.db.execute("update claims set flag=? where ref=?", (f, c["ref"]))
        x.event(c["ref"], f"flag {f}", g)
    return {"flag": f, "flagged": [c["ref"] for c in cs]}


@tool("claim.withdraw", "withdraw a file", {"claim": "the file"}, writes=True, act=True)
def _(x):
    c = x.file(x.args["claim"])
    g = x.ground()
    live(c)
    x.db.execute("update claims set status='withdrawn' where ref=?", (c["ref"],))
    x.event(c["ref"], "withdrawn", g)
    return {"file": c["ref"], "status": "withdrawn"}


@tool("payment.list", "list payments", opt={"claim": "the file", "payee": "museum or lender"})
def _(x):
    ref = x.file(x.args["claim"], False)["ref"] if "claim" in x.args else None
    return [{"payment": r["id"], "file": r["ref"], "payee": r["payee"], "amount": money(r["amount"], r["cur"]), "day": r["day"], "status": r["status"]}
            for r in x.all("select y.*, p.currency cur from payments y join claims c on c.ref=y.ref join policies p on p.id=c.policy order by y.id")
            if ref in (None, r["ref"]) and x.args.get("payee", r["payee"]) == r["payee"]]


@tool("payment.void", "void a payment", {"payment": "number of the payment"}, writes=True, act=True)
def _(x):
    y = x.one("select * from payments where id=?", x.args["payment"])
    if not y:
        raise Refused("E10", f"no payment {x.args['payment']}")
    g = x.ground()
    if y["status"] != "live":
        raise Refused("E40", f"{y['id']} is {y['status']}")
    x.db.execute("update payments set status='void' where id=?", (y["id"],))
    c = x.file(y["ref"], False)
    paid = x.one("select coalesce(sum(amount),0) from payments where ref=? and status='live'", y["ref"])[0]
    if c["status"] == "settled" and paid < c["assessed"]:
        x.db.execute("update claims set status='assessed' where ref=?", (y["ref"],))
    x.event(y["ref"], f"voided {y['id']}", g)
    return {"payment": y["id"], "file": y["ref"], "status": "void", "slip": x.slip(y["ref"], "void", y["amount"])}


@tool("ledger.slips", "list the slips of the day", opt={"open": "true: only those not posted"})
def _(x):
    return [{"slip": r["id"], "file": r["ref"], "kind": r["kind"], "amount": money(r["amount"], r["cur"]), "posted": bool(r["posted"])}
            for r in x.all("select s.*, p.currency cur from slips s join claims c on c.ref=s.ref join policies p on p.id=c.policy where s.day=? order by s.id", x.day)
            if not (x.args.get("open") and r["posted"])]


@tool("ledger.post", "post slips", {"slips": "list of slips"}, writes=True)
def _(x):
    v = x.batch("slips")
    x.size(v)
    for s in v:
        r = x.one("select * from slips where id=?", str(s))
        if not r:
            raise Refused("E10", f"no slip {s}")
        if r["posted"]:
            raise Refused("E40", f"{s} is posted")
        x.db.execute("update slips set posted=1 where id=?", (s,))
    return {"posted": v}


@tool("sheet.press", "print the sheet of the desk", writes=True)
def _(x):
    s = base.press()
    return {"sheet": s["digest"], "rows": sum(len(v) for v in s.values() if isinstance(v, list))}


KINDS = {
    "opened": "files opened today", "assessed": "files assessed today", "settled": "payments of today", "caseload": "live files per adjuster",
    "corrections": "corrections and voids of today", "bordereau": "files flagged for the reinsurer",
}


@tool("report.run", "draw a report into reports/", {"kind": ", ".join(KINDS)}, writes=True)
def _(x):
    k = x.args["kind"]
    if k not in KINDS:
        raise Refused("E10", f"no report {k}")
    n = x.one("select count(*) from slips where day=? and posted=0", x.day)[0]
    if n:
        raise Refused("E71", f"report {k}: the day is not balanced")
    cl = x.all("select c.*, p.currency cur, p.museum museum from claims c join policies p on p.id=c.policy order by ref")
    touched = lambda *acts: {r[0] for r in x.all(f"select distinct ref from events where day=? and act in ({','.join('?' * len(acts))})", x.day, *acts)}
    if k == "opened":
        head, out = "file museum object peril lossdate adjuster reserve status", [(c["ref"], c["museum"], c["object"], c["peril"], c["lossdate"], c["adjuster"], money(c["reserve"], c["cur"]), c["status"]) for c in cl if c["opened"] == x.day]
    elif k == "assessed":
        t = touched("claim.assess")
        head, out = "file museum appraiser assessed status", [(c["ref"], c["museum"], c["appraiser"], money(c["assessed"], c["cur"]), c["status"]) for c in cl if c["ref"] in t]
    elif k == "settled":
        cur = {c["ref"]: c["cur"] for c in cl}
        head, out = "payment file payee amount status", [(y["id"], y["ref"], y["payee"], money(y["amount"], cur[y["ref"]]), y["status"]) for y in x.all("select * from payments where day=? order by id", x.day)]
    elif k == "caseload":
        head, out = "adjuster status files", [(r["stamp"], r["status"], sum(c["adjuster"] == r["stamp"] and c["status"] in ("open", "assessed") for c in cl)) for r in x.sheet("roster")]
    elif k == "corrections":
        t = touched("claim.correct", "claim.reserve", "payment.void")
        head, out = "file peril lossdate object reserve paid", [(c["ref"], c["peril"], c["lossdate"], c["object"], money(c["reserve"], c["cur"]), money(x.one("select coalesce(sum(amount),0) from payments where ref=? and status='live'", c["ref"])[0], c["cur"])) for c in cl if c["ref"] in t]
    else:
        head, out = "file museum currency reserve threshold", [(c["ref"], c["museum"], c["cur"], money(c["reserve"], c["cur"]), money(x.sheet("limits")["cession"][c["cur"]], c["cur"])) for c in cl if c["flag"] == "ceded"]
    p = base.ROOT / "reports" / f"{k}-{x.day}.tsv"
    p.parent.mkdir(exist_ok=True)
    p.write_text("\n".join("\t".join("-" if v is None else str(v) for v in r) for r in [head.split()] + out) + "\n")
    return {"report": f"reports/{p.name}", "rows": len(out)}


def run(db, name, args, seat):
    t = TOOLS.get(name)
    if not t:
        raise Refused("E02", f"no tool {name}")
    if t.writes:
        if not seat:
            raise Refused("E31", "this session is for reading")
        house = db.execute("select house from seats where name=?", (seat,)).fetchone()
        if not house:
            raise Refused("E32", f"no seat {seat}")
        if house[0] != "claims":
            raise Refused("E32", f"seat {seat} is of the {house[0]}")
        if name != "sheet.press":
            base.sheet()
    known = set(t.need) | set(t.opt) | ({"article"} if t.act else set())
    for k in args:
        if k not in known:
            raise Refused("E04", f"{name}: unknown field {k}")
    missing = [k for k in t.need if k not in args]
    if missing:
        raise Refused("E03", f"{name}: missing {', '.join(missing)}")
    x = Ctx(db, t, args)
    return t.fn(x)
