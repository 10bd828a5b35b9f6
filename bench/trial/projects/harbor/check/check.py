import csv, importlib.util, json, os, re, subprocess, sys, tomllib
from decimal import Decimal, InvalidOperation
from pathlib import Path

n, dest, here = int(sys.argv[1]), Path(sys.argv[2]).resolve(), Path(__file__).resolve().parent
T = {  # ticket, sailing, {service: kinds}, contract
    1: ("HB-1412", "25W48-1", {"gateops": "haul rig"}, "gate_event"),
    2: ("HB-1420", "25W48-4", {"tariff": "caulk"}, None),
    3: ("HB-1427", "25W49-1", {"routing": "haul rig"}, "feeder_leg"),
    4: ("HB-1433", "25W49-4", {"dispatch": "haul scuttle", "notify": "haul scuttle rig caulk"}, "dispatch_order"),
    5: ("HB-1438", "25W48-4", {"yard": "rig caulk"}, None),
    6: ("HB-1444", "25W50-1", {"quotes": "haul rig"}, "quote_ended"),
}
CODE = {
    1: """
from gateops.core import gate_in
S = {"portal": "N2", "container": "msku2475145", "time": "2025-11-18T08:14", "plate": "hh-ql 812", "weight": 21400}
for seal, want in (("ml-de 00 4471", "MLDE004471"), ("AB12", "AB12"), ("", None), (None, None)):
    e = gate_in({**S, "seal": seal}); assert e.seal_no == want, (seal, e.seal_no)
assert gate_in(S).seal_no is None and gate_in(S).truck == "HHQL812"
assert gate_in({**S, "seal": "x-1"}).encode()[7] == "X1", "seal_no is not tag 7"
""",
    2: """
from datetime import date, timedelta
from tariff.core import demurrage
F, R = {"20": 5, "40": 4, "45": 3}, {"20": (3500, 6500), "40": (5200, 9400), "45": (5600, 9900)}
for size in F:
    for days in range(1, 20):
        for reefer in (False, True):
            c = max(0, days - F[size]); want = min(c, 5) * R[size][0] + max(0, c - 5) * R[size][1] + reefer * 4200 * days
            got = demurrage("2025-10-25", (date(2025, 10, 25) + timedelta(days - 1)).isoformat(), size, reefer)
            assert got == want, (size, days, reefer, got, want)
""",
    3: """
from routing.core import cutoff, leg, hubs
assert {c: (h["name"], h["cutoff"], h["dwell_h"]) for c, h in hubs().items()} == {"DEHAM": ("Hamburg", "19:00", 8), "DEBRV": ("Bremerhaven", "18:30", 8),
  "DKAAR": ("Aarhus", "17:00", 14), "PLGDN": ("Gdansk", "17:30", 18), "LTKLJ": ("Klaipeda", "15:45", 24), "SEGOT": ("Goteborg", "18:15", 10)}, hubs()
assert leg("L", "PLGDN", "LTKLJ").cutoff == "17:30" and leg("L", "LTKLJ", "SEGOT").dwell_h == 10
from wire.feeder_leg import FeederLeg
FeederLeg(leg_id="L", origin="DERSK", dest="DERSK", cutoff="16:45", dwell_h=20)
""",
    4: """
import sys
sys.path.insert(0, "services/notify")
from dispatch.core import order
o = order({"id": "J-1", "container": "TGHU3180310", "pickup": "2025-11-20T06:30", "note": "gate S1"}, {"ref": "DR-204"})
assert not hasattr(o, "driver_phone") and 5 not in o.encode() and o.encode()[4] == "DR-204"
from notify.core import driver_message, customer_message
m = driver_message(o.encode()); assert (m["channel"], m["to"]) == ("app", "driver:DR-204") and m["text"] == "TGHU3180310: pick up 06:30 on 2025-11-20 (gate S1)", m
assert len(driver_message({**o.encode(), 6: "x" * 400})["text"]) == 240
from wire import dispatch_order
assert dispatch_order.RETIRED == [5]
""",
    5: """
from yard.core import Yard, valid_container as v
for c in "CSQU3054383 MSKU2475145 TTNU3100070 TGHU3180310 TRIJ4210989 OOLU0944760".split():
    assert v(c), c
for c in ("CSQU3054384", "ABCU1234567", "GESX4829138", "FCIU839335", "", "CSQU30543833", "NYKU1081774", "1SQU3054383", "csqu3054383"):
    assert not v(c), c
    try: Yard().admit(c, "B-07-1")
    except ValueError: continue
    raise AssertionError("admit " + c)
y = Yard(); y.admit("CSQU3054383", "B-07-1"); assert y.free("B") == 95
""",
    6: """
from quotes.core import ended
from wire.quote_ended import QuoteEnded
q = [dict(id="Q1", shipper="S1", state="open", valid_until="2025-11-15", value="1250.50"), dict(id="Q2", shipper="S2", state="open", valid_until="2025-11-20", value="80.00"),
     dict(id="Q3", shipper="S1", state="withdrawn", valid_until="2025-11-30", withdrawn_on="2025-11-12", value="99.99"), dict(id="Q4", shipper="S3", state="accepted", valid_until="2025-11-01", value="10")]
got = ended(q, "2025-11-20"); assert all(isinstance(e, QuoteEnded) for e in got)
assert [e.encode() for e in got] == [{1: "Q1", 2: "S1", 3: "2025-11-15", 4: 125050, 5: "aged"}, {1: "Q3", 2: "S1", 3: "2025-11-12", 4: 9999, 5: "withdrawn"}], got
assert ended([], "2025-11-20") == []
""",
}
ticket, sailing, services, contract = T[n]


def fail(why):
    print(f"task {n}: {why}")
    sys.exit(1)


def prog(name):
    s = importlib.util.spec_from_file_location(name, here.parent / "src" / name / "__main__.py")
    m = importlib.util.module_from_spec(s)
    s.loader.exec_module(m)
    return m


def sh(*a, **kw):
    return subprocess.run(a, cwd=dest, capture_output=True, text=True, timeout=60, **kw)


pier, stencil = prog("pier"), prog("stencil")
env = dict(os.environ, PATH=f"{dest}/.bin:{os.environ['PATH']}", PYTHONDONTWRITEBYTECODE="1", PIER_BERTH="north")
git = lambda *a: sh("git", *a).stdout
if git("rev-parse", "--abbrev-ref", "HEAD").strip() != "main": fail("not on main")
if git("status", "--porcelain").strip(): fail("working tree not clean")
base = git("rev-list", "--max-parents=0", "HEAD").split()[0]
commits = git("rev-list", "--no-merges", f"{base}..HEAD").split()
if not commits: fail("nothing committed")
try:
    state = json.loads((dest / ".pier" / "state.json").read_text())
except OSError:
    fail("no state of pier")
for c in commits:
    w = re.findall(r"^Waybill: (\S+)\s*$", git("log", "-1", "--format=%B", c), re.M)
    if not w or w[-1] != pier.waybill(ticket, sailing) or w[-1] not in state["waybills"]: fail(f"commit {c[:8]}: waybill {w}, not one for {ticket} and {sailing}")
if state["holds"]: fail(f"contracts still held: {list(state['holds'])}")
frags = []
for p in sorted((dest / "changes").glob("*.toml")):
    try:
        f = tomllib.loads(p.read_text()); pier.check_frag(dest, f); frags.append(f)
    except Exception as e: fail(f"fragment {p.name}: {e}")
for s, kinds in services.items():
    mine = [f for f in frags if f["service"] == s]
    if not mine: fail(f"no fragment for {s}")
    if not all(f["ticket"] == ticket and f["kind"] in kinds.split() for f in mine): fail(f"fragment for {s}: ticket or kind")
    if not git("diff", "--name-only", base, "HEAD", "--", f"services/{s}/tests").strip(): fail(f"no test changed in {s}")
for s in pier.all_services(dest):
    seal = tomllib.loads((dest / "seals" / f"{s}.seal").read_text())
    if seal["tree"] != pier.index_tree(dest, s): fail(f"seal of {s} broken")
if {s["service"] for s in frags} != set(services): fail("fragments for other services")
for c in stencil.names(dest):
    if stencil.stale(dest, c): fail(f"bindings of {c} do not match")
if sh("make", "check", env=env).returncode: fail("make check fails")
for s in services:
    p = sh(sys.executable, "-m", "unittest", "discover", "-s", f"services/{s}/tests", env=dict(env, PYTHONPATH=f"{dest}/libs/py:{dest}/services/{s}"))
    if p.returncode: fail(f"tests of {s} fail: {p.stderr[-400:]}")
p = sh(sys.executable, "-c", CODE[n], env=dict(env, PYTHONPATH=f"{dest}/libs/py:{dest}/services/{list(services)[0]}"))
if p.returncode: fail(p.stderr.strip().splitlines()[-1])
old = lambda path: git("show", f"{base}:{path}")
rows = lambda text: list(csv.DictReader(text.splitlines()))
if contract:
    c = stencil.load(dest, contract)
    have = {f["name"]: f for f in c["field"]}
    if n != 6:
        for f in tomllib.loads(old(f"contracts/{contract}.toml"))["field"]:
            g = have.get(f["name"], {})
            if (g.get("type"), g.get("tag")) != (f["type"], f["tag"]): fail(f"{contract}.{f['name']} is not kept")
            if g.get("values", [])[:len(f.get("values", []))] != f.get("values", []): fail(f"{contract}.{f['name']}: old values not kept")
    if n == 1 and (have["seal_no"]["type"], have["seal_no"].get("optional")) != ("text", True): fail("seal_no: type")
    if n == 3 and any(set(have[k]["values"]) != set("DEHAM DEBRV DERSK SEGOT DKAAR PLGDN LTKLJ".split()) for k in ("origin", "dest")): fail("values of feeder_leg")
    if n == 4 and have["driver_phone"].get("retired") is not True: fail("driver_phone is not retired")
    if n == 6 and ([(f["name"], f["type"], f["tag"]) for f in sorted(c["field"], key=lambda f: f["tag"])] != [("quote_id", "id", 1), ("shipper", "id", 2), ("ended_on", "date", 3), ("value_cents", "int", 4), ("reason", "enum", 5)]
                   or have["reason"]["values"] != ["aged", "withdrawn"] or any(f.get("optional") for f in c["field"]) or c.get("since") != "2025-12"): fail("contract quote_ended")
if n == 2:
    path = "data/disputes/hb-1420.csv"
    want = {"D-20871": "140.00", "D-20874": "824.00", "D-20880": "450.00", "D-20886": "168.00", "D-20891": "577.00", "D-20899": "1182.00", "D-20903": "0.00", "D-20910": "1603.00"}
    new = rows((dest / path).read_text())
    if [{**r, "correct": ""} for r in new] != rows(old(path)): fail("other columns of the sheet changed")
    for r in new:
        try: ok = Decimal(r["correct"]) == Decimal(want[r["invoice"]])
        except InvalidOperation: ok = False
        if not ok: fail(f"{r['invoice']}: {r['correct']!r}, expected {want[r['invoice']]}")
if n == 5:
    p = dest / "data/yard/rejected_w48.csv"
    if not p.exists(): fail("no rejected_w48.csv")
    bad = "NYKU1081774 CMAU1625006 TRIJ4210988 GESU9265457 FCIU839335 GESX4829138".split()
    want = {(r["container"], r["booking"]) for r in rows(old("data/yard/inbound_w48.csv")) if r["container"] in bad}
    new = rows(p.read_text())
    if not new or set(new[0]) != {"container", "booking"} or {(r["container"], r["booking"]) for r in new} != want or len(new) != len(want): fail(f"rejected_w48.csv: {new}")
print(f"task {n}: ok")
