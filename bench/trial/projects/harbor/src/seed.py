"""seed.py DEST: fills the tree with what is not in repo/; seed.py DEST seals: writes the seals."""
import importlib.util, random, sys
from pathlib import Path

HERE, DEST = Path(__file__).resolve().parent, Path(sys.argv[1]).resolve()
sys.dont_write_bytecode = True


def prog(name):
    s = importlib.util.spec_from_file_location(name, HERE / name / "__main__.py")
    m = importlib.util.module_from_spec(s)
    s.loader.exec_module(m)
    return m


def put(path, text):
    p = DEST / path
    if not p.exists():
        p.parent.mkdir(parents=True, exist_ok=True)
        p.write_text(text)


# name, class, team of the OWNERS file (before the reorganisation), language, tier, family, noun, unit, blurb
SERVICES = [r.split("|") for r in """gateops|dry|yardside|python|1||||gate scans and gate events
tariff|office|money|python|2||||demurrage and lifts
routing|dry|road|python|2||||feeder legs and hubs
dispatch|dry|road|go|1||||orders for truck drivers
notify|office|front-office|typescript|2||||messages to drivers and customers
yard|bonded|yardside|python|1||||slots of the yard
quotes|office|money|typescript|3||||quotes for shippers
booking|dry|front-office|go|1|batch|box|teu|bookings and their split
billing|office|money|typescript|2|band|invoice|eur|invoices and dunning levels
claims|office|money|typescript|3|score|claim|points|damage claims
tracking|dry|road|go|2|latest|position|min|last known positions
eta|dry|road|go|2|window|arrival|min|arrival windows
customs|bonded|yardside|typescript|1|score|declaration|points|risk of declarations
fleet|dry|road|go|3|band|truck|km|trucks and their checks
telematics|reefer|cold|go|2|latest|reading|sec|readings of the boxes
manifest|bonded|front-office|go|2|batch|page|lines|manifests by vessel
warehouse|bonded|yardside|typescript|3|batch|pallet|kg|pallets in the shed
inventory|bonded|yardside|typescript|3|band|article|pcs|stock of the shed
returns|office|money|typescript|3|window|return|days|returned goods
labels|office|front-office|typescript|3|batch|label|sheet|labels by sheet
slotting|dry|yardside|python|2|score|slot|points|choice of slots
coldchain|reefer|cold|go|1|band|probe|tenths|grades of temperature
identity|office|platform|go|1|window|session|min|sessions of users
weather|reefer|platform|python|3|band|gust|knots|wind at the cranes
partners|office|front-office|typescript|3|latest|message|sec|messages of partners
portal|office|front-office|typescript|2|window|visit|min|customer portal
audit|bonded|platform|python|3|latest|entry|sec|trail of what was done""".splitlines()]

CORE = {
    "batch": ('def pack({n}s):\n    """{N}s (id, {u}) in the order they came, first fit."""\n    room = load("{s}")["room"]\n    out = []\n    for ident, size in {n}s:\n        if size > room:\n            raise ValueError(f"{n} {{ident}} is larger than {{room}} {u}")\n        for b in out:\n            if b["{u}"] + size <= room:\n                break\n        else:\n            b = {{"{u}": 0, "ids": []}}\n            out.append(b)\n        b["{u}"] += size\n        b["ids"].append(ident)\n    return out\n',
              "room = {a}\n", "from {s}.core import pack",
              '    def test_fit(self):\n        self.assertEqual([b["ids"] for b in pack([("x", {a}), ("y", 1), ("z", 1)])], [["x"], ["y", "z"]])\n\n    def test_large(self):\n        with self.assertRaises(ValueError):\n            pack([("x", {a} + 1)])\n'),
    "band": ('def grade({u}):\n    """Grade of the {n} by {u}: the first band whose limit is not passed."""\n    for b in load("{s}")["band"]:\n        if {u} <= b["limit"]:\n            return b["name"]\n    return "over"\n',
             '[[band]]\nname = "calm"\nlimit = {a}\n\n[[band]]\nname = "watch"\nlimit = {b}\n', "from {s}.core import grade",
             '    def test_bands(self):\n        self.assertEqual([grade(0), grade({a}), grade({a} + 1), grade({b} + 1)], ["calm", "calm", "watch", "over"])\n'),
    "score": ('def score({n}):\n    """Points of a {n}, a dict of signs that were seen."""\n    weights = load("{s}")["weights"]\n    return sum(w for k, w in weights.items() if {n}.get(k))\n\n\ndef stop({n}):\n    return score({n}) >= load("{s}")["stop_at"]\n',
              "stop_at = {a}\n\n[weights]\nnew_party = 2\nodd_weight = 3\nlate_papers = {b}\n", "from {s}.core import score, stop",
              '    def test_score(self):\n        self.assertEqual(score({{"new_party": True, "odd_weight": True, "other": True}}), 5)\n        self.assertFalse(stop({{}}))\n'),
    "latest": ('def latest({n}s):\n    """The newest {n} by key; one that is older than max_age ({u}) is left out."""\n    conf = load("{s}")\n    out = {{}}\n    for r in {n}s:\n        if r["age"] <= conf["max_age"] and (r["key"] not in out or r["age"] < out[r["key"]]["age"]):\n            out[r["key"]] = r\n    return out\n',
               "max_age = {a}\n", "from {s}.core import latest",
               '    def test_latest(self):\n        rows = [{{"key": "k", "age": 3}}, {{"key": "k", "age": 1}}, {{"key": "old", "age": {a} + 1}}]\n        self.assertEqual(latest(rows), {{"k": {{"key": "k", "age": 1}}}})\n'),
    "window": ('def inside({u}):\n    """Is the {n} inside its window, counted in {u} from the promise?"""\n    conf = load("{s}")\n    return -conf["early"] <= {u} <= conf["late"]\n\n\ndef missed(values):\n    return sum(not inside(v) for v in values)\n',
               "early = {a}\nlate = {b}\n", "from {s}.core import inside, missed",
               '    def test_window(self):\n        self.assertTrue(inside(-{a}) and inside({b}))\n        self.assertEqual(missed([0, {b} + 1, -{a} - 1]), 2)\n'),
}


def service(s, cls, team, lang, tier, fam, noun, unit, blurb):
    r, d = random.Random("harbor " + s), f"services/{s}"
    a = r.choice((6, 8, 10, 12, 15, 20, 24, 30))
    v = dict(s=s, n=noun, N=noun.capitalize(), u=unit, a=a, b=a + r.choice((4, 9, 15, 25)))
    put(f"{d}/service.toml", f'name = "{s}"\nclass = "{cls}"\nlanguage = "{lang}"\ntier = {tier}\nport = {7000 + r.randrange(900)}\nblurb = "{blurb}"\n')
    put(f"{d}/OWNERS", f"# reviewers of this folder\n{team}\n")
    put(f"{d}/README.md", f"# {s}\n\n{blurb.capitalize()}. Rules in `{s}/core.py`, settings in `config/default.toml`"
        + {"go": ", edge in `cmd/main.go`", "typescript": ", edge in `web/src/index.ts`"}.get(lang, "") + f".\nTier {tier}; " + r.choice(
            ("answers in 200 ms or says why.", "can be down for an hour without anybody noticing.", "restarts clean, keeps no state.", "reads messages, never other services.")) + "\n")
    put(f"{d}/{s}/__init__.py", "")
    if fam:
        core, conf, imp, test = (t.format(**v) for t in CORE[fam])
        put(f"{d}/{s}/core.py", f'"""{blurb.capitalize()}."""\nfrom quay.conf import load\n\n\n{core}')
        put(f"{d}/config/default.toml", conf)
        put(f"{d}/tests/test_core.py", f"import unittest\n\nfrom quay import berth\n{imp}\n\n\ndef setUpModule():\n    berth.current()\n\n\nclass {noun.capitalize()}(unittest.TestCase):\n{test}")
    if lang == "go":
        put(f"{d}/go.mod", f"module quayline.example/{s}\n\ngo 1.22\n")
        put(f"{d}/cmd/main.go", f'package main\n\nimport "quayline.example/libs/quay"\n\n// edge of {s}: listens, checks, hands over to the rules\nfunc main() {{\n\tquay.Serve("{s}", "/v1/{noun or "orders"}s")\n}}\n')
    elif lang == "typescript":
        put(f"{d}/web/package.json", f'{{\n  "name": "@quayline/{s}",\n  "version": "0.{r.randrange(9, 40)}.{r.randrange(9)}",\n  "private": true,\n  "type": "module",\n  "dependencies": {{ "@quayline/quay": "workspace:*" }}\n}}\n')
        put(f"{d}/web/src/index.ts", f'import {{ serve }} from "@quayline/quay";\n\n// edge of {s}\nserve("{s}", {{ path: "/v1/{noun or "item"}s" }});\n')
    if int(tier) == 1:
        put(f"docs/runbooks/{s}.md", f"# Runbook {s}\n\n1. Look at the last release and at the lag of the messages it reads.\n2. Restart once. If the lag grows again, call the crew.\n3. Write down the time of the first message that was late.\n")


CONTRACTS = """booking_made|2024-02|booking:id shipper:id teu:int vessel:text cutoff:time
invoice_issued|2024-04|invoice:id customer:id total_cents:int due:date
reefer_reading|2024-05|container:text at:time setpoint:dec actual:dec probe:int?
hold_notice|2025-03|container:text authority:text since:date released:bool?
eta_update|2024-07|leg_id:id eta:time source:text
claim_opened|2024-11|claim:id container:text amount_cents:int opened:date
stock_level|2025-01|article:id pieces:int counted:date?
label_request|2025-02|label:id copies:int printer:text?
position|2024-08|truck:id lat:dec lon:dec at:time""".splitlines()
ADR = ["One tree|All services live in one tree; a change over three services is one commit.", "Messages only|Services do not call each other. They read messages.",
       "Rules in Python|Rules are in Python, so that they can be run by anyone; edges may be in Go or TypeScript.", "Cents|Money is an integer of cents inside the tree.",
       "Two releases a week|Monday and Thursday. Nothing is released on Friday.", "Own programs|pier and stencil instead of four build systems.",
       "Seals|A release takes what is sealed. What is not sealed is not trusted.", "Fragments|Release notes are written by those who change things."]


def main():
    for row in SERVICES:
        service(*row)
    for c in CONTRACTS:
        name, since, fields = c.split("|")
        text = f'name = "{name}"\nsince = "{since}"\n'
        for i, f in enumerate(fields.split()):
            n, t = f.rstrip("?").split(":")
            text += f'\n[[field]]\nname = "{n}"\ntype = "{t}"\ntag = {i + 1}\n' + ("optional = true\n" if f.endswith("?") else "")
        put(f"contracts/{name}.toml", text)
    for i, a in enumerate(ADR):
        t, body = a.split("|")
        put(f"docs/adr/{i + 1:04d}-{t.lower().replace(' ', '-')}.md", f"# {i + 1}. {t}\n\nStatus: accepted, 202{4 + i // 5}\n\n{body}\n")
    put("docs/services.md", "# Services\n\n| service | class | language | tier | what |\n|---|---|---|---|---|\n" + "".join(f"| {s[0]} | {s[1]} | {s[3]} | {s[4]} | {s[8]} |\n" for s in sorted(SERVICES)))
    put(".github/CODEOWNERS", "".join(f"/services/{s[0]}/ @quayline/{s[2]}\n" for s in sorted(SERVICES)))
    put("libs/ts/quay/index.ts", 'export interface Options { path: string }\nexport function serve(name: string, o: Options): void {\n  console.log(`${name} on ${o.path}`);\n}\n')
    put("libs/ts/quay/package.json", '{ "name": "@quayline/quay", "version": "1.8.0", "private": true }\n')
    put("libs/go/quay/quay.go", 'package quay\n\nimport "log"\n\nfunc Serve(name, path string) {\n\tlog.Printf("%s on %s", name, path)\n}\n')
    put("libs/go/go.mod", "module quayline.example/libs\n\ngo 1.22\n")
    put(".editorconfig", "root = true\n\n[*]\nend_of_line = lf\ninsert_final_newline = true\n\n[*.go]\nindent_style = tab\n")
    st = prog("stencil")
    for n in st.names(DEST):
        st.write(DEST, n)


def seals():
    pier = prog("pier")
    (DEST / "seals").mkdir(exist_ok=True)
    for s in pier.all_services(DEST):
        (DEST / "seals" / f"{s}.seal").write_text(pier.seal_text(s, pier.work_tree(DEST, s), pier.draught(DEST, s)))


seals() if sys.argv[2:] == ["seals"] else main()
