"""hawser: the books of Marlow & Teague Forwarding, as JSON tools."""
import datetime as dt
import hashlib
import json
import os
import re
import subprocess
import sys

REFORMED = False  # set by setup.sh --changed
VERSION = "5.0" if REFORMED else "4.2"
ROOT = os.environ.get("HAWSER_HOME") or os.path.dirname(os.path.dirname(os.path.abspath(sys.argv[0])))
STORE = os.path.join(ROOT, ".freight", "store.json")
SALT = "mt-books"
WIRE = 3
TODAY = "2031-03-04"


class Refused(Exception):
    def __init__(self, code, detail):
        self.code, self.detail = code, detail


def digest(books):
    return hashlib.sha256((SALT + json.dumps(books, sort_keys=True)).encode()).hexdigest()


def load():
    with open(STORE) as f:
        doc = json.load(f)
    if digest(doc["books"]) != doc["digest"]:
        raise Refused("books-touched", "the store was changed outside hawser")
    return doc["books"]


def save(b):
    os.makedirs(os.path.dirname(STORE), exist_ok=True)
    with open(STORE + ".new", "w") as f:
        json.dump({"digest": digest(b), "books": b}, f, indent=1, sort_keys=True)
    os.replace(STORE + ".new", STORE)


# ---------------------------------------------------------------- forms

def day(a, key):
    v = need(a, key)
    v = str(v)
    if REFORMED:
        m = re.fullmatch(r"(\d{4})\.(\d{3})", v)
        if m:
            try:
                d = dt.date(int(m[1]), 1, 1) + dt.timedelta(int(m[2]) - 1)
                if d.year == int(m[1]):
                    return d.isoformat()
            except ValueError:
                pass
        if re.fullmatch(r"\d\dw\d\d\.\d", v):
            raise Refused("day-form", "%s: %r, week days are no longer read" % (key, v))
    else:
        m = re.fullmatch(r"(\d\d)w(\d\d)\.([1-7])", v)
        if m:
            try:
                return dt.date.fromisocalendar(2000 + int(m[1]), int(m[2]), int(m[3])).isoformat()
            except ValueError:
                pass
    raise Refused("day-form", "%s: %r is not a house day" % (key, v))


def amount(a, key):
    v = need(a, key)
    m = re.fullmatch(r"(EUR|GBP|SEK):(-?\d+)", str(v))
    if not m:
        raise Refused("amount-form", "%s: %r is not a house amount" % (key, v))
    return {"cur": m[1], "minor": int(m[2])}


def money(x):
    s, n = ("-" if x["minor"] < 0 else ""), abs(x["minor"])
    return "%s%d.%02d %s" % (s, n // 100, n % 100, x["cur"])


def need(a, key):
    if key not in a or a[key] in (None, "", []):
        raise Refused("field", "%s is needed" % key)
    return a[key]


def whole(a, key):
    v = need(a, key)
    if not isinstance(v, int) or isinstance(v, bool) or v <= 0:
        raise Refused("field", "%s: a whole number above 0" % key)
    return v


def find(table, ident, what):
    if ident not in table:
        raise Refused("unknown", "%s %s" % (what, ident))
    return table[ident]


def desk(b, lane=None):
    d = os.environ.get("HAWSER_DESK", "")
    if not d:
        raise Refused("no-desk", "this tool writes; nobody is at the desk")
    if d not in b["desks"]:
        raise Refused("no-desk", "%r is not a desk" % d)
    if lane and lane not in b["desks"][d]["works"]:
        raise Refused("no-desk", "desk %s does not work lane %s" % (d, lane))
    return d


def note(b, what, **kw):
    b["journal"].append(dict(n=len(b["journal"]) + 1, what=what, desk=os.environ.get("HAWSER_DESK"), **kw))


def nextid(b, kind, prefix, width=4):
    b["next"][kind] += 1
    return "%s%0*d" % (prefix, width, b["next"][kind])


# ---------------------------------------------------------------- tools

TOOLS = {}


def tool(name, line, /, **fields):
    def reg(fn):
        TOOLS[name] = (fn, line, fields)
        return fn
    return reg


def show_shipment(s):
    return dict(s)


@tool("desk.list", "the desks and the lanes they work")
def _(b, a):
    return [dict(desk=k, **v) for k, v in sorted(b["desks"].items())]


@tool("lane.list", "the lanes")
def _(b, a):
    return [dict(lane=k, **v) for k, v in sorted(b["lanes"].items())]


@tool("sailing.list", "sailings, with what is free on them", lane="lane code (optional)")
def _(b, a):
    out = []
    for k, s in sorted(b["sailings"].items()):
        if a.get("lane") in (None, s["lane"]):
            held = sum(h["pieces"] for h in b["holds"].values() if h["sailing"] == k and h["state"] == "held")
            out.append(dict(sailing=k, free=s["room"] - held, **s))
    return out


@tool("shipment.find", "shipments by lane, status or consignee", lane="lane code (optional)",
      status="booked|ready|manifested|sailed|held (optional)", consignee="part of the name (optional)")
def _(b, a):
    out = []
    for k, s in sorted(b["shipments"].items()):
        if a.get("lane") in (None, s["lane"]) and a.get("status") in (None, s["status"]) \
                and a.get("consignee", "").lower() in s["consignee"].lower():
            out.append({"id": k, **{f: s[f] for f in ("lane", "consignee", "status", "pieces", "kg", "cbm", "ready")}})
    return out


@tool("shipment.get", "one shipment", id="shipment id")
def _(b, a):
    return dict(find(b["shipments"], need(a, "id"), "shipment"), id=a["id"])


@tool("shipment.book", "book a shipment", shipper="name", consignee="name", lane="lane code", goods="text",
      pieces="whole number", kg="whole number", cbm="number", ready="day")
def _(b, a):
    lane = need(a, "lane")
    find(b["lanes"], lane, "lane")
    s = dict(shipper=need(a, "shipper"), consignee=need(a, "consignee"), lane=lane, goods=need(a, "goods"),
             pieces=whole(a, "pieces"), kg=whole(a, "kg"), cbm=float(need(a, "cbm")), ready=day(a, "ready"),
             status="ready", manifest=None)
    desk(b, lane)
    sid = nextid(b, "shipment", "S-")
    b["shipments"][sid] = s
    note(b, "book", id=sid)
    return dict(id=sid, **s)


@tool("slot.hold", "hold room on a sailing", sailing="sailing", pieces="whole number")
def _(b, a):
    s = find(b["sailings"], need(a, "sailing"), "sailing")
    n = whole(a, "pieces")
    desk(b, s["lane"])
    if s["state"] != "open":
        raise Refused("sailing", "%s is %s" % (a["sailing"], s["state"]))
    held = sum(h["pieces"] for h in b["holds"].values() if h["sailing"] == a["sailing"] and h["state"] == "held")
    if held + n > s["room"]:
        raise Refused("room", "%s: %d free, %d asked" % (a["sailing"], s["room"] - held, n))
    hid = nextid(b, "hold", "H-", 3)
    b["holds"][hid] = dict(sailing=a["sailing"], pieces=n, state="held", desk=os.environ["HAWSER_DESK"])
    note(b, "hold", id=hid)
    return dict(hold=hid, **b["holds"][hid])


@tool("slot.free", "give held room back", hold="hold id")
def _(b, a):
    h = find(b["holds"], need(a, "hold"), "hold")
    desk(b, b["sailings"][h["sailing"]]["lane"])
    h["state"] = "free"
    note(b, "free", id=a["hold"])
    return dict(hold=a["hold"], **h)


@tool("slot.list", "holds", sailing="sailing (optional)")
def _(b, a):
    return [dict(hold=k, **h) for k, h in sorted(b["holds"].items()) if a.get("sailing") in (None, h["sailing"])]


def held_on(b, sailing):
    return sum(h["pieces"] for h in b["holds"].values() if h["sailing"] == sailing and h["state"] == "held")


@tool("manifest.open", "open a manifest for a sailing", sailing="sailing", day="loading day")
def _(b, a):
    s = find(b["sailings"], need(a, "sailing"), "sailing")
    d = day(a, "day")
    desk(b, s["lane"])
    if s["state"] != "open":
        raise Refused("sailing", "%s is %s" % (a["sailing"], s["state"]))
    if not held_on(b, a["sailing"]):
        raise Refused("no-hold", "%s: nothing held" % a["sailing"])
    mid = nextid(b, "manifest", "M-", 3)
    b["manifests"][mid] = dict(sailing=a["sailing"], lane=s["lane"], day=d, state="open", shipments=[])
    note(b, "manifest.open", id=mid)
    return dict(manifest=mid, **b["manifests"][mid])


def pieces_of(b, m):
    return sum(b["shipments"][s]["pieces"] for s in m["shipments"])


@tool("manifest.add", "put shipments on an open manifest", manifest="manifest id", shipments="list of shipment ids")
def _(b, a):
    m = find(b["manifests"], need(a, "manifest"), "manifest")
    desk(b, m["lane"])
    if m["state"] != "open":
        raise Refused("manifest", "%s is %s" % (a["manifest"], m["state"]))
    for sid in need(a, "shipments"):
        s = find(b["shipments"], sid, "shipment")
        if s["lane"] != m["lane"]:
            raise Refused("manifest", "%s is of lane %s" % (sid, s["lane"]))
        if s["status"] != "ready":
            raise Refused("manifest", "%s is %s" % (sid, s["status"]))
        m["shipments"].append(sid)
        s["status"], s["manifest"] = "manifested", a["manifest"]
    if pieces_of(b, m) > held_on(b, m["sailing"]):
        raise Refused("hold-short", "%d pieces, %d held" % (pieces_of(b, m), held_on(b, m["sailing"])))
    note(b, "manifest.add", id=a["manifest"])
    return dict(manifest=a["manifest"], **m)


@tool("manifest.drop", "take shipments off an open manifest", manifest="manifest id", shipments="list of shipment ids")
def _(b, a):
    m = find(b["manifests"], need(a, "manifest"), "manifest")
    desk(b, m["lane"])
    if m["state"] != "open":
        raise Refused("manifest", "%s is %s" % (a["manifest"], m["state"]))
    for sid in need(a, "shipments"):
        if sid not in m["shipments"]:
            raise Refused("unknown", "%s is not on %s" % (sid, a["manifest"]))
        m["shipments"].remove(sid)
        b["shipments"][sid].update(status="ready", manifest=None)
    note(b, "manifest.drop", id=a["manifest"])
    return dict(manifest=a["manifest"], **m)


@tool("manifest.void", "void an empty manifest", manifest="manifest id")
def _(b, a):
    m = find(b["manifests"], need(a, "manifest"), "manifest")
    desk(b, m["lane"])
    if m["shipments"] or m["state"] != "open":
        raise Refused("manifest", "%s is not an empty open manifest" % a["manifest"])
    m["state"] = "void"
    note(b, "manifest.void", id=a["manifest"])
    return dict(manifest=a["manifest"], **m)


@tool("manifest.get", "one manifest", manifest="manifest id")
def _(b, a):
    m = find(b["manifests"], need(a, "manifest"), "manifest")
    return dict(m, manifest=a["manifest"],
                loads=[dict(id=s, **{f: b["shipments"][s][f] for f in ("consignee", "pieces", "kg")}) for s in m["shipments"]])


@tool("manifest.list", "manifests", lane="lane code (optional)")
def _(b, a):
    return [dict(manifest=k, **m) for k, m in sorted(b["manifests"].items()) if a.get("lane") in (None, m["lane"])]


@tool("manifest.close", "close a manifest", manifest="manifest id")
def _(b, a):
    m = find(b["manifests"], need(a, "manifest"), "manifest")
    desk(b, m["lane"])
    if m["state"] != "open" or not m["shipments"]:
        raise Refused("manifest", "%s is %s, %d shipments" % (a["manifest"], m["state"], len(m["shipments"])))
    key = "outturn" if REFORMED else "tally"
    if REFORMED and "tally" in a:
        raise Refused("untallied", "%s: 'tally' is no longer read" % a["manifest"])
    if key not in a:
        raise Refused("untallied", "%s stays open" % a["manifest"])
    if a[key] != pieces_of(b, m):
        raise Refused("untallied", "%s stays open: %r does not agree with the loads" % (a["manifest"], a[key]))
    m["state"] = "closed"
    note(b, "manifest.close", id=a["manifest"])
    return dict(manifest=a["manifest"], **m)


@tool("customs.file", "file customs lines of a shipment; calls add up", shipment="shipment id", entry="day of entry",
      lines="list of {hs, goods, kg, value}")
def _(b, a):
    s = find(b["shipments"], need(a, "shipment"), "shipment")
    lines = need(a, "lines")
    if not isinstance(lines, list):
        raise Refused("field", "lines: a list")
    d = day(a, "entry")
    got = []
    for l in lines:
        if not re.fullmatch(r"\d{8}", str(need(l, "hs"))):
            raise Refused("field", "hs: eight digits")
        got.append(dict(hs=str(l["hs"]), goods=need(l, "goods"), kg=whole(l, "kg"), value=amount(l, "value"), entry=d))
    desk(b, s["lane"])
    if len(lines) > WIRE:
        raise Refused("line-cap", "%d lines do not go through the wire" % len(lines))
    have = b["customs"].setdefault(a["shipment"], [])
    for l in got:
        if any(h["hs"] == l["hs"] for h in have):
            raise Refused("customs", "%s: hs %s is filed already" % (a["shipment"], l["hs"]))
        have.append(l)
    note(b, "customs.file", id=a["shipment"], lines=len(got))
    return dict(shipment=a["shipment"], filed=len(got), total=len(have))


@tool("customs.strike", "strike one filed line", shipment="shipment id", hs="hs code")
def _(b, a):
    s = find(b["shipments"], need(a, "shipment"), "shipment")
    desk(b, s["lane"])
    have = b["customs"].get(a["shipment"], [])
    keep = [l for l in have if l["hs"] != str(need(a, "hs"))]
    if len(keep) == len(have):
        raise Refused("unknown", "line %s" % a["hs"])
    b["customs"][a["shipment"]] = keep
    note(b, "customs.strike", id=a["shipment"], hs=str(a["hs"]))
    return dict(shipment=a["shipment"], total=len(keep))


@tool("customs.get", "the filed lines of a shipment", shipment="shipment id")
def _(b, a):
    find(b["shipments"], need(a, "shipment"), "shipment")
    return [dict(l, value=money(l["value"])) for l in b["customs"].get(a["shipment"], [])]


BANDS = ("light", "middle", "heavy", "floor")


@tool("tariff.get", "the rates of a lane", lane="lane code")
def _(b, a):
    t = find(b["tariffs"], need(a, "lane"), "tariff")
    return {band: [dict(rate=money(r["rate"]), **{"from": r["from"]}) for r in t[band]] for band in BANDS}


@tool("tariff.set", "set the rate of one band from a day on", lane="lane code", band="light|middle|heavy|floor",
      rate="amount per 100 kg (floor: per shipment)", **{"from": "day"})
def _(b, a):
    t = find(b["tariffs"], need(a, "lane"), "tariff")
    if need(a, "band") not in BANDS:
        raise Refused("field", "band: one of " + ", ".join(BANDS))
    d = day(a, "from")
    r = amount(a, "rate")
    desk(b, a["lane"])
    t[a["band"]] = sorted([x for x in t[a["band"]] if x["from"] != d] + [{"rate": r, "from": d}], key=lambda x: x["from"])
    note(b, "tariff.set", id=a["lane"], band=a["band"])
    return dict(lane=a["lane"], band=a["band"], rate=money(r), **{"from": d})


@tool("charge.list", "charges of a shipment", shipment="shipment id")
def _(b, a):
    return [dict(c, amount=money(c["amount"])) for c in b["charges"] if c["shipment"] == need(a, "shipment")]


@tool("charge.post", "post a charge to a shipment", shipment="shipment id", kind="freight|correction|demurrage|duty",
      amount="amount", on="day")
def _(b, a):
    s = find(b["shipments"], need(a, "shipment"), "shipment")
    if need(a, "kind") not in ("freight", "correction", "demurrage", "duty"):
        raise Refused("field", "kind")
    c = dict(shipment=a["shipment"], kind=a["kind"], amount=amount(a, "amount"), on=day(a, "on"))
    desk(b, s["lane"])
    b["charges"].append(c)
    note(b, "charge.post", id=a["shipment"])
    return dict(c, amount=money(c["amount"]))


@tool("charge.reverse", "take back a charge posted today", shipment="shipment id", kind="kind")
def _(b, a):
    s = find(b["shipments"], need(a, "shipment"), "shipment")
    desk(b, s["lane"])
    for i in range(len(b["charges"]) - 1, b["posted"] - 1, -1):
        if b["charges"][i]["shipment"] == a["shipment"] and b["charges"][i]["kind"] == need(a, "kind"):
            del b["charges"][i]
            note(b, "charge.reverse", id=a["shipment"])
            return dict(shipment=a["shipment"], reversed=a["kind"])
    raise Refused("unknown", "no such charge of today")


@tool("docket.open", "open a docket", about="text")
def _(b, a):
    need(a, "about")
    d = desk(b)
    k = nextid(b, "docket", "D-")
    b["dockets"][k] = dict(about=a["about"], desk=d, state="open")
    note(b, "docket.open", id=k)
    return dict(docket=k, **b["dockets"][k])


@tool("docket.list", "open dockets")
def _(b, a):
    return [dict(docket=k, **d) for k, d in sorted(b["dockets"].items()) if d["state"] == "open"]


# ---------------------------------------------------------------- reports

def rep_manifest(b, key):
    m = find(b["manifests"], key, "manifest")
    out = ["# Manifest %s" % key, "", "Sailing %s, lane %s, loading %s, %s." % (m["sailing"], m["lane"], m["day"], m["state"]),
           "", "| shipment | consignee | pieces | kg |", "|---|---|---:|---:|"]
    for sid in sorted(m["shipments"]):
        s = b["shipments"][sid]
        out.append("| %s | %s | %d | %d |" % (sid, s["consignee"], s["pieces"], s["kg"]))
    out.append("| all | | %d | %d |" % (pieces_of(b, m), sum(b["shipments"][s]["kg"] for s in m["shipments"])))
    return out


def rep_customs(b, key):
    find(b["shipments"], key, "shipment")
    out = ["# Customs lines of %s" % key, "", "| hs | goods | kg | value | entry |", "|---|---|---:|---:|---|"]
    for l in sorted(b["customs"].get(key, []), key=lambda l: l["hs"]):
        out.append("| %s | %s | %d | %s | %s |" % (l["hs"], l["goods"], l["kg"], money(l["value"]), l["entry"]))
    return out


def rep_tariff(b, key):
    t = find(b["tariffs"], key, "tariff")
    out = ["# Tariff of lane %s" % key, "", "| band | from | rate |", "|---|---|---:|"]
    for band in BANDS:
        for r in t[band]:
            out.append("| %s | %s | %s |" % (band, r["from"], money(r["rate"])))
    return out


def rep_charges(b, key):
    find(b["lanes"], key, "lane")
    out = ["# Charges of lane %s" % key, "", "| shipment | kind | on | amount |", "|---|---|---|---:|"]
    for c in sorted(b["charges"], key=lambda c: (c["shipment"], c["on"], c["kind"])):
        if b["shipments"][c["shipment"]]["lane"] == key:
            out.append("| %s | %s | %s | %s |" % (c["shipment"], c["kind"], c["on"], money(c["amount"])))
    return out


REPORTS = {"manifest": rep_manifest, "customs": rep_customs, "tariff": rep_tariff, "charges": rep_charges}


def render(b, name, key):
    return "\n".join(REPORTS[name](b, key)) + "\n"


@tool("report.render", "write a report below reports/", name="manifest|customs|tariff|charges",
      key="manifest id, shipment id or lane code")
def _(b, a):
    if need(a, "name") not in REPORTS:
        raise Refused("field", "name: one of " + ", ".join(sorted(REPORTS)))
    text = render(b, a["name"], need(a, "key"))
    path = os.path.join("reports", "%s-%s.md" % (a["name"], a["key"]))
    with open(os.path.join(ROOT, path), "w") as f:
        f.write(text)
    return dict(wrote=path)


def index_of(files):
    return json.dumps({"files": [{"file": n, "lines": t.count(b"\n"), "sum": hashlib.sha256(t).hexdigest()[:16]}
                                 for n, t in sorted(files.items())]}, indent=1) + "\n"


@tool("index.build", "build an index file", of="folder")
def _(b, a):
    d = need(a, "of").strip("/")
    if d != "reports":
        raise Refused("field", "of: only reports is indexed")
    files = {}
    for n in os.listdir(os.path.join(ROOT, d)):
        if n.endswith(".md"):
            with open(os.path.join(ROOT, d, n), "rb") as f:
                files[n] = f.read()
    with open(os.path.join(ROOT, d, "INDEX.json"), "w") as f:
        f.write(index_of(files))
    return dict(wrote="reports/INDEX.json", files=len(files))


# ---------------------------------------------------------------- explain, hooks, main

EXPLAIN = {
    "no-desk": "Tools that write act for a desk. The desk is taken from the environment (HAWSER_DESK), and it has to "
               "work the lane that is written to; desk.list tells who works what.",
    "day-form": "Tools that take a day take a house day. The counting room keeps the form.",
    "amount-form": "A house amount is the currency, a colon and whole minor units, without a point.",
    "no-hold": "A manifest is opened on room that the desk has taken beforehand.",
    "hold-short": "The pieces on a manifest may not be more than what is held on its sailing.",
    "line-cap": "The customs wire carries short messages. File the rest in a further call.",
    "untallied": ("The closer states the pieces that went out, as outturn." if REFORMED else
                  "The closer states the pieces that were counted, as tally."),
    "undocketed": "A change of the repository belongs to an open docket, and says so at its end. See the desk handbook.",
    "stale-index": "The index of the reports lists each report with its sum. It is built, not written.",
    "books-touched": "The store is written by hawser only.",
}


def git(*args):
    return subprocess.run(["git", "-C", ROOT] + list(args), capture_output=True)


def hook(name, args):
    def refuse(code, detail):
        print("%s: refused [%s] %s" % (name, code, detail), file=sys.stderr)
        return 1
    if name == "pre-commit":
        files, have = {}, b""
        for path in git("ls-files", "--cached", "reports").stdout.decode().split():
            blob = git("show", ":" + path).stdout
            if path == "reports/INDEX.json":
                have = blob
            elif path.endswith(".md"):
                files[os.path.basename(path)] = blob
        if have.decode() != index_of(files):
            return refuse("stale-index", "reports/INDEX.json does not agree with what is committed")
        return 0
    b = load()
    if name == "commit-msg":
        with open(args[0]) as f:
            text = [l.rstrip() for l in f if not l.startswith("#")]
        text = [l for l in text if l]
        m = [re.fullmatch(r"Docket: (D-\d{4})", l) for l in text[1:]]
        m = [x[1] for x in m if x]
        if not m:
            return refuse("undocketed", "whose change is this?")
        if b["dockets"].get(m[-1], {}).get("state") != "open":
            return refuse("undocketed", "%s is not an open docket" % m[-1])
        return 0
    if name == "post-commit":
        m = re.findall(r"^Docket: (D-\d{4})$", git("log", "-1", "--format=%B").stdout.decode(), re.M)
        if m and m[-1] in b["dockets"]:
            b["dockets"][m[-1]]["state"] = "closed"
            save(b)
        return 0
    return 0


def usage():
    print("hawser %s - the books of Marlow & Teague, as JSON tools\n" % VERSION)
    print("usage: hawser TOOL ['{json}' | @file | -]\n       hawser TOOL --help\n       hawser explain CODE\n\ntools:")
    for n, (_, line, _f) in sorted(TOOLS.items()):
        print("  %-16s %s" % (n, line))


def main(argv):
    if not argv or argv[0] in ("-h", "--help", "help"):
        if len(argv) > 1 and argv[1] in TOOLS:
            argv = [argv[1], "--help"]
        else:
            usage()
            return 0
    if argv[0] == "--version":
        print("hawser " + VERSION)
        return 0
    if argv[0] == "hook":
        return hook(argv[1], argv[2:])
    if argv[0] == "explain":
        if len(argv) < 2 or argv[1] not in EXPLAIN:
            print("codes: " + " ".join(sorted(EXPLAIN)))
            return 0 if len(argv) < 2 else 2
        print(EXPLAIN[argv[1]])
        return 0
    name = argv[0]
    try:
        if name not in TOOLS:
            raise Refused("unknown", "tool %s" % name)
        fn, line, fields = TOOLS[name]
        if len(argv) > 1 and argv[1] in ("-h", "--help"):
            print("%s: %s" % (name, line))
            for k, v in fields.items():
                print("  %-10s %s" % (k, v))
            return 0
        raw = argv[1] if len(argv) > 1 else "{}"
        if raw == "-":
            raw = sys.stdin.read()
        elif raw.startswith("@"):
            with open(raw[1:]) as f:
                raw = f.read()
        try:
            args = json.loads(raw)
            assert isinstance(args, dict)
        except (ValueError, AssertionError):
            raise Refused("json", "the argument is not a JSON object")
        known = set(fields) | ({"outturn", "tally"} if name == "manifest.close" else set())
        for k in args:
            if k not in known:
                raise Refused("field", "%s does not read %r" % (name, k))
        b = load()
        n = len(b["journal"])
        out = fn(b, args)
        if len(b["journal"]) != n:
            save(b)
        print(json.dumps(out, indent=1, ensure_ascii=False))
        return 0
    except (Refused, OSError, TypeError, ValueError, AttributeError) as e:
        code, detail = (e.code, e.detail) if isinstance(e, Refused) else ("file" if isinstance(e, OSError) else "field", str(e))
        print(json.dumps({"refused": code, "detail": detail}, ensure_ascii=False))
        return 3


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
