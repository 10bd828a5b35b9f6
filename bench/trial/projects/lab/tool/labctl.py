"""labctl: the data service of the Brackwater Laboratory (JSON tools; this program is its only door)."""
import datetime as dt
import hashlib
import json
import os
import re
import subprocess
import sys

NEXT = False  # set by setup.sh --changed
VERSION = "8.0" if NEXT else "7.3"
ROOT = os.environ.get("LAB_HOME") or os.path.dirname(os.path.dirname(os.path.abspath(sys.argv[0])))
STORE = os.path.join(ROOT, ".lab", "store.json")
FRAME = 5
NOW = ("2029-10-09", 512)


class Fault(Exception):
    def __init__(self, code, message):
        self.code, self.message = code, message


def digest(x):
    return hashlib.sha256(("brackwater" + json.dumps(x, sort_keys=True)).encode()).hexdigest()


def load():
    with open(STORE) as f:
        doc = json.load(f)
    if digest(doc["data"]) != doc["digest"]:
        raise Fault(-32099, "store: digest mismatch")
    return doc["data"]


def save(b):
    os.makedirs(os.path.dirname(STORE), exist_ok=True)
    with open(STORE + ".new", "w") as f:
        json.dump({"digest": digest(b), "data": b}, f)
    os.replace(STORE + ".new", STORE)


# ------------------------------------------------------------ values

PREFIX = {"samples": "smp", "methods": "mth", "instruments": "ins", "benches": "bch", "sites": "loc", "people": "psn", "clients": "cli", "sheets": "sht"}


def ref(kind, label):
    n = int(hashlib.sha256((kind + "/" + label).encode()).hexdigest(), 16)
    return PREFIX[kind] + "." + "".join("0123456789bcdfghjkmnpqrstvwxyz"[n // 30 ** i % 30] for i in range(5))


def deref(b, kind, v, at):
    if v is None:
        raise Fault(-32600, "%s: wanted" % at)
    for label in b[kind]:
        if ref(kind, label) == v:
            return label
    raise Fault(-32011, "%s: unresolved" % at)


def instant(v, at):
    m = re.fullmatch(r"(\d{4}-\d\d-\d\d)\+(\d{4})", str(v))
    if m and int(m[2]) < 1440:
        try:
            dt.date.fromisoformat(m[1])
            return [m[1], int(m[2])]
        except ValueError:
            pass
    raise Fault(-32014, "%s: not an instant" % at)


def show_instant(x):
    return "%s %02d:%02d" % (x[0], x[1] // 60, x[1] % 60)


def quantity(v, carrier, at):
    if NEXT:
        m = re.fullmatch(r"([\w./]+)=(\d+)", str(v))
        if m and m[1] == carrier.replace(".L-1", "/L"):
            return int(m[2])
    else:
        m = re.fullmatch(r"(\d+)~([\w.-]+)", str(v))
        if m and m[2] == carrier:
            return int(m[1])
    raise Fault(-32015, "%s: quantity not coherent" % at)


def show_quantity(n, carrier):
    return "%d %s" % (n, carrier.replace(".L-1", "/L"))


# ------------------------------------------------------------ sheets

# kind: (header fields, row fields); a field is (name, type)
KINDS = {
    "run": ([("method", "methods"), ("instrument", "instruments"), ("started", "instant")],
            [("sample", "samples"), ("value", "q:method"), ("read", "instant")]),
    "intake": ([("client", "clients"), ("received", "instant")],
               [("label", "new"), ("site", "sites"), ("volume", "q:volume"), ("taken", "instant")]),
    "cal": ([("method", "methods"), ("instrument", "instruments"), ("performed", "instant")],
            [("level", "int"), ("expected", "q:method"), ("observed", "q:method")]),
    "limit": ([("method", "methods"), ("from", "instant")],
              [("site", "sites"), ("action", "q:method"), ("alarm", "q:method")]),
    "split": ([("sample", "samples"), ("done", "instant")],
              [("tube", "int"), ("volume", "q:volume"), ("dest", "clients")]),
    "amend": ([("sheet", "sheets"), ("at", "instant"), ("reason", "text")],
              [("sample", "samples"), ("value", "q:method")]),
}
FIXED = {"intake": "B1", "split": "B2", "limit": "B0"}


def carrier_of(b, what, header):
    if what == "volume":
        return "mL"
    method = header["method"] if "method" in header else b["sheets"][header["sheet"]]["header"]["method"]
    return b["methods"][method]["carrier"]


def bench_of(b, kind, header):
    if kind in FIXED:
        return FIXED[kind]
    if kind == "amend":
        return b["sheets"][header["sheet"]]["bench"]
    return b["instruments"][header["instrument"]]["bench"]


def field(b, a, name, typ, at, header=None):
    if a.get(name) in (None, ""):
        raise Fault(-32600, "%s: wanted" % at)
    v = a[name]
    if typ in PREFIX:
        return deref(b, typ, v, at)
    if typ == "instant":
        return instant(v, at)
    if typ.startswith("q:"):
        return quantity(v, carrier_of(b, typ[2:], header), at)
    if typ == "int" and (not isinstance(v, int) or isinstance(v, bool)):
        raise Fault(-32600, "%s: integer" % at)
    if typ == "new" and (not re.fullmatch(r"W-\d{4}", str(v)) or v in b["samples"]):
        raise Fault(-32600, "%s: not a free label" % at)
    return v


def hold(b, bench):
    if b["lease"] != bench:
        raise Fault(-32020, "%s not held" % bench)


def opener(kind):
    def go(b, a):
        names = [n for n, _ in KINDS[kind][0]]
        for k in a:
            if k not in names + ["page"]:
                raise Fault(-32600, "%s: not a field" % k)
        header = {}
        for n, t in KINDS[kind][0]:
            if t != "instant":
                header[n] = field(b, a, n, t, n)
        if kind == "amend" and (b["sheets"][header["sheet"]]["kind"] != "run" or b["sheets"][header["sheet"]]["state"] != "released"):
            raise Fault(-32040, "sheet: not a released run")
        if kind == "run" and header["method"] not in b["instruments"][header["instrument"]]["methods"]:
            raise Fault(-32040, "instrument: not set up for the method")
        bench = bench_of(b, kind, header)
        hold(b, bench)
        for n, t in KINDS[kind][0]:
            if t == "instant":
                header[n] = field(b, a, n, t, n)
        page = "%s/%d" % (bench, b["benches"][bench]["page"])
        if "page" not in a:
            raise Fault(-32602, "params incomplete")
        if a["page"] != page:
            raise Fault(-32602, "params incomplete: page %s is not free" % a["page"])
        b["benches"][bench]["page"] += 1
        b["last"] += 1
        s = "S-%04d" % b["last"]
        b["sheets"][s] = {"kind": kind, "header": header, "page": page, "bench": bench, "rows": [], "state": "open", "checked": False}
        return {"sheet": s, "state": "open"}
    return go


def open_sheet(b, a):
    s = deref(b, "sheets", a.get("sheet"), "sheet")
    x = b["sheets"][s]
    if x["state"] != "open":
        raise Fault(-32041, "sheet: state %s" % x["state"])
    hold(b, x["bench"])
    return s, x


def rows_add(b, a):
    s, x = open_sheet(b, a)
    rows = a.get("rows")
    if not isinstance(rows, list) or not rows:
        raise Fault(-32600, "rows: wanted")
    fields = KINDS[x["kind"]][1]
    if len(rows) > FRAME:
        raise Fault(-32031, "rows: frame overrun")
    for i, r in enumerate(rows):
        for k in r:
            if k not in [n for n, _ in fields]:
                raise Fault(-32600, "rows.%d.%s: not a field" % (i, k))
        new = {n: field(b, r, n, t, "rows.%d.%s" % (i, n), x["header"]) for n, t in fields}
        if new[fields[0][0]] in [o[fields[0][0]] for o in x["rows"]]:
            raise Fault(-32042, "rows.%d.%s: twice" % (i, fields[0][0]))
        x["rows"].append(new)
    x["checked"] = False
    return {"sheet": s, "rows": len(x["rows"])}


def rows_drop(b, a):
    s, x = open_sheet(b, a)
    x["rows"] = []
    return {"sheet": s, "rows": 0}


def sheet_void(b, a):
    s, x = open_sheet(b, a)
    x["state"] = "void"
    return {"sheet": s, "state": "void"}


def key_of(s, x):
    return digest([s, x["rows"], x["header"]])[:10]


def sheet_release(b, a):
    s, x = open_sheet(b, a)
    if not x["rows"]:
        raise Fault(-32043, "sheet: no rows")
    if (NEXT and not x["checked"]) or (not NEXT and a.get("key") != key_of(s, x)):
        raise Fault(-32055, "second key absent")
    x["state"] = "released"
    h = x["header"]
    if x["kind"] == "intake":
        for r in x["rows"]:
            b["samples"][r["label"]] = {"site": r["site"], "volume": r["volume"], "taken": r["taken"], "state": "in store"}
    if x["kind"] == "amend":
        for r in x["rows"]:
            for o in b["sheets"][h["sheet"]]["rows"]:
                if o["sample"] == r["sample"]:
                    o["value"] = r["value"]
    if x["kind"] == "split":
        b["samples"][h["sample"]]["state"] = "split"
    return {"sheet": s, "state": "released"}


def preview(b, a):
    if a.get("tool") not in TOOLS or a.get("tool") == "preview" or not isinstance(a.get("args"), dict):
        raise Fault(-32600, "tool, args: wanted")
    if a["tool"] != "sheet.release":
        trial = json.loads(json.dumps(b))
        return {"would": TOOLS[a["tool"]][0](trial, a["args"])}
    s, x = open_sheet(b, a["args"])
    if NEXT:
        return {"would": {"sheet": s, "state": "released"}, "after": ["qc.run"]}
    return {"would": {"sheet": s, "state": "released"}, "key": key_of(s, x)}


def qc_run(b, a):
    s, x = open_sheet(b, a)
    if not x["rows"]:
        raise Fault(-32043, "sheet: no rows")
    if a.get("count") != len(x["rows"]):
        raise Fault(-32056, "count: not that of the sheet")
    x["checked"] = True
    return {"sheet": s, "rows": len(x["rows"]), "check": "passed"}


def export(b, s):
    x = b["sheets"][s]
    head, fields = KINDS[x["kind"]]

    def out(n, t, v):
        if t == "instant":
            return show_instant(v)
        if t.startswith("q:"):
            return show_quantity(v, carrier_of(b, t[2:], x["header"]))
        return v
    return {"sheet": s, "kind": x["kind"], "state": x["state"], "page": x["page"],
            "header": {n: out(n, t, x["header"][n]) for n, t in head},
            "rows": [{n: out(n, t, r[n]) for n, t in fields} for r in x["rows"]]}


def canonical(doc):
    """A record: a head line with the sum of the rest, the header line, then one line for each row, in order of their first field."""
    dump = lambda o: json.dumps(o, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    first = KINDS[doc["kind"]][1][0][0]
    lines = [dump(doc["header"])] + [dump(r) for r in sorted(doc["rows"], key=lambda r: r[first])]
    body = "\n".join(lines) + "\n"
    head = {"kind": doc["kind"], "page": doc["page"], "sheet": doc["sheet"], "sum": hashlib.sha256(body.encode()).hexdigest()[:16]}
    return dump(head) + "\n" + body


def sheet_export(b, a):
    s = deref(b, "sheets", a.get("sheet"), "sheet")
    if b["sheets"][s]["state"] != "released":
        raise Fault(-32041, "sheet: state %s" % b["sheets"][s]["state"])
    return export(b, s)


def sheet_show(b, a):
    s = deref(b, "sheets", a.get("sheet"), "sheet")
    return dict(export(b, s), frame=FRAME)


# ------------------------------------------------------------ the other tools

def lease_take(b, a):
    bench = deref(b, "benches", a.get("on"), "on")
    b["lease"] = bench
    return {"held": bench}


def lease_drop(b, a):
    b["lease"] = None
    return {"held": None}


def scan(b, a):
    for kind in PREFIX:
        if a.get("label") in b[kind]:
            return {"label": a["label"], "ref": ref(kind, a["label"])}
    raise Fault(-32012, "label: nothing printed like that")


def catalog_list(b, a):
    kind = a.get("kind")
    if kind not in PREFIX:
        raise Fault(-32600, "kind: one of " + " ".join(PREFIX))
    rows = []
    for label, x in sorted(b[kind].items()):
        r = {"label": label}
        for k in ("name", "bench", "site", "state", "kind"):
            if k in x:
                r[k] = x[k]
        rows.append(r)
    return {kind: rows}


def bench_show(b, a):
    bench = deref(b, "benches", a.get("bench"), "bench")
    x = b["benches"][bench]
    return {"bench": bench, "name": x["name"], "logbook": {"next": "%s/%d" % (bench, x["page"])}, "held": b["lease"] == bench}


def units_of(b, a):
    c = "mL" if a.get("of") == "volume" else b["methods"][deref(b, "methods", a.get("of"), "of")]["carrier"]
    return {"carrier": c.replace(".L-1", "/L") if NEXT else c, "like": (c.replace(".L-1", "/L") + "=1250") if NEXT else "1250~" + c}


def clock_now(b, a):
    return {"now": "%s+%04d" % NOW, "zone": "lab"}


def sample_show(b, a):
    s = deref(b, "samples", a.get("sample"), "sample")
    x = b["samples"][s]
    return {"sample": s, "site": b["sites"][x["site"]]["name"], "volume": show_quantity(x["volume"], "mL"), "taken": show_instant(x["taken"]), "state": x["state"]}


TOOLS = {"catalog.list": (catalog_list, "kind", "list labels"), "scan": (scan, "label", "read a label"), "clock.now": (clock_now, "", "the lab clock"),
         "units.of": (units_of, "of", "carrier unit"), "sample.show": (sample_show, "sample", "one sample"), "bench.show": (bench_show, "bench", "one bench"),
         "lease.take": (lease_take, "on", "hold"), "lease.drop": (lease_drop, "", "let go")}
for _k, (_h, _r) in KINDS.items():
    TOOLS[_k + ".open"] = (opener(_k), ", ".join(n for n, _ in _h), "new sheet; rows {%s}" % ", ".join(n for n, _ in _r))
TOOLS.update({"rows.add": (rows_add, "sheet, rows", "append"), "rows.drop": (rows_drop, "sheet", "empty"), "sheet.show": (sheet_show, "sheet", "as it stands"), "sheet.void": (sheet_void, "sheet", "cancel"),
              "sheet.release": (sheet_release, "sheet", "final"), "sheet.export": (sheet_export, "sheet", "released sheet"), "preview": (preview, "tool, args", "dry run")})
if NEXT:
    TOOLS["qc.run"] = (qc_run, "sheet, count", "quality check")

HELP = {"": "labctl %s\n  labctl tools            the tools\n  labctl call TOOL JSON   call one\n  labctl help TOPIC       more about it" % VERSION,
        "call": "labctl call TOOL JSON\nPrints the result as JSON. On a fault: isError, exit status 1. Nothing is written then.",
        "sheets": "A sheet is opened (run.open, intake.open, cal.open, limit.open, split.open, amend.open), filled (rows.add), released\n(sheet.release) and exported (sheet.export). A sheet opened by mistake is voided (sheet.void). Amending a run changes its rows.",
        "records": "The record of a sheet is results/YEAR/SHEET.rec: its export in record form.\n  labctl canon FILE       rewrite an export (JSON) in record form, in place"}


def canon(path):
    with open(path) as f:
        text = f.read()
    try:
        doc = json.loads(text)
        out = canonical(doc)
    except (ValueError, KeyError, TypeError):
        sys.exit("canon: %s: no export" % path)
    with open(path, "w") as f:
        f.write(out)


def records():
    """The pre-commit hook: staged records are canonical."""
    git = lambda *a: subprocess.run(("git",) + a, capture_output=True, text=True).stdout
    bad = 0
    for p in git("diff", "--cached", "--name-only", "--diff-filter=AM", "--", "results").split():
        text = git("show", ":" + p)
        s = os.path.basename(p)[:-4]
        try:
            b = load()
            ok = s in b["sheets"] and text == canonical(export(b, s))
        except Fault:
            ok = False
        if not ok:
            print("records: %s not canonical" % p, file=sys.stderr)
            bad = 1
    return bad


def main(argv):
    if not argv or argv[0] in ("help", "--help", "-h"):
        t = argv[1] if len(argv) > 1 else ""
        print(HELP.get(t, "topics: call, sheets, records"))
        return 0
    if argv[0] == "--version":
        print("labctl " + VERSION)
        return 0
    if argv[0] == "tools":
        for n, (_, params, text) in TOOLS.items():
            print("%-14s {%s}  %s" % (n, params, text))
        return 0
    if argv[0] == "canon" and len(argv) == 2:
        return canon(argv[1])
    if argv[0] == "_records":
        return records()
    if argv[0] != "call" or len(argv) < 2:
        print(HELP[""], file=sys.stderr)
        return 2
    try:
        try:
            a = json.loads(argv[2] if len(argv) > 2 else "{}")
        except ValueError:
            raise Fault(-32700, "parse")
        if not isinstance(a, dict) or argv[1] not in TOOLS:
            raise Fault(-32601, "%s: no such tool" % argv[1])
        b = load()
        before = digest(b)
        try:
            result = TOOLS[argv[1]][0](b, a)
        except (TypeError, AttributeError):
            raise Fault(-32600, "%s: wrong shape" % argv[1])
        if argv[1] != "preview" and digest(b) != before:
            save(b)
        print(json.dumps(result, indent=1))
        return 0
    except Fault as e:
        print(json.dumps({"isError": True, "error": {"code": e.code, "message": e.message}}))
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
