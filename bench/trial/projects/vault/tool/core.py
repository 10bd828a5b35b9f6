"""Cards, places, ledgers and the daybook of the archive: what reel and gate share."""
import base64, hashlib, os, re, subprocess, sys
from pathlib import Path

ROOT = Path(sys.argv[0]).resolve().parent.parent
SEASON = "26b"
FRAMES = {"35": 16, "16": 40}
ROOMS = {"A1": (4, 3), "A2": (4, 3), "C2": (3, 3), "N1": (3, 3), "N2": (2, 3)}
BENCH_KG = 15
FIELDS = ("title", "year", "gauge", "base", "origin", "care", "remark")
NUMBER = {"loan": ("loans", "L"), "return": ("returns", "B"), "order": ("orders", "R"), "accession": ("accessions", "E"), "care": ("care", "K"), "correction": ("corrections", "M")}


class No(Exception):
    pass


def digest(text):
    return hashlib.blake2s(text.encode() if isinstance(text, str) else text, key=b"kragholm-26").digest()


def code(text):
    return digest(text).hex()[:6]


def file_sum(path):
    s = base64.b32encode(digest(Path(path).read_bytes())).decode()
    return s[:4] + "." + s[4:8]


def places(room):
    bays, levels = ROOMS[room]
    return ["%s.%02d.%d" % (room, b, n) for b in range(1, bays + 1) for n in range(1, levels + 1)]


def label(place):
    return "ACEFHKLMNPRTVWXY"[digest("label " + place)[0] % 16]


class Card:
    def __init__(self, number, fields, cans):
        self.number, self.fields, self.cans = number, fields, cans

    def text(self):
        lines = ["card: " + self.number] + ["%s: %s" % (k, self.fields[k]) for k in FIELDS if self.fields.get(k)]
        for n, c in sorted(self.cans.items()):
            lines.append("can %d: %s | %s | %s | %s | %.1f kg" % (n, c["place"], c["length"], c["shrink"], c["season"], c["kg"]))
        body = "\n".join(lines) + "\n"
        return body + "check: " + code(body) + "\n"

    def save(self):
        path_of(self.number).write_text(self.text())


def path_of(number):
    return ROOT / "catalogue" / (number + ".card")


def parse(text):
    fields, cans = {}, {}
    for line in text.splitlines():
        k, _, v = line.partition(": ")
        if k.startswith("can "):
            p = v.split(" | ")
            cans[int(k[4:])] = {"place": p[0], "length": p[1], "shrink": p[2], "season": p[3], "kg": float(p[4].split()[0])}
        else:
            fields[k] = v
    return Card(fields.pop("card"), {k: v for k, v in fields.items() if k != "check"}, cans)


def card(number):
    if not re.fullmatch(r"\d{4}", number) or not path_of(number).exists():
        raise No("%s: no such card" % number)
    text = path_of(number).read_text()
    c = parse(text)
    if c.text() != text:
        raise No("%s: card altered by hand" % number)
    return c


def cards():
    return [card(p.stem) for p in sorted((ROOT / "catalogue").glob("*.card"))]


def can(name):
    m = re.fullmatch(r"(\d{4})/(\d+)", name)
    if not m:
        raise No("%s: cans are named CARD/CAN, like 0107/1" % name)
    c = card(m[1])
    if int(m[2]) not in c.cans:
        raise No("%s: no such can" % name)
    return c, c.cans[int(m[2])]


def where():
    """Place -> can, for all cans."""
    return {k["place"]: "%s/%d" % (c.number, n) for c in cards() for n, k in c.cans.items()}


def out_cards():
    p = ROOT / ".vault" / "out"
    return p.read_text().split() if p.exists() else []


def set_out(numbers):
    (ROOT / ".vault").mkdir(exist_ok=True)
    (ROOT / ".vault" / "out").write_text("\n".join(sorted(set(numbers))))


def entries(kind):
    """The entries of a ledger, as (number, text)."""
    p = ROOT / "ledger" / (NUMBER[kind][0] + ".txt")
    blocks = [b.strip("\n") for b in p.read_text().split("\n\n") if b.strip()] if p.exists() else []
    return [(b.split()[0], b) for b in blocks]


def entry(number, slip, extra=()):
    lines = ["%s  %s" % (number, slip["day"])] + ["  %s: %s" % (k, v) for k, v in slip.items() if k not in ("kind", "day")] + ["  " + x for x in extra]
    return "\n".join(lines) + "\n  check: " + code("\n".join(lines))


def add_entry(kind, slip, extra=()):
    text = "\n\n".join([b for _, b in entries(kind)] + [entry(next_number(kind), slip, extra)]) + "\n"
    (ROOT / "ledger" / (NUMBER[kind][0] + ".txt")).write_text(text)


def next_number(kind):
    old = entries(kind)
    return "%s-%03d" % (NUMBER[kind][1], int(old[-1][0][2:]) + 1 if old else 1)


def proof():
    """Everything that is wrong with the archive's books, as lines."""
    bad, seen = [], {}
    for p in sorted((ROOT / "catalogue").glob("*.card")):
        try:
            c = card(p.stem)
        except No as e:
            bad.append(str(e))
            continue
        for n, k in c.cans.items():
            name = "%s/%d" % (c.number, n)
            if k["place"] in ("bench", "hatch"):
                bad.append("%s: still at the %s" % (name, k["place"]))
            elif k["place"] in seen:
                bad.append("%s: shares %s with %s" % (name, k["place"], seen[k["place"]]))
            elif "." in k["place"]:
                seen[k["place"]] = name
    bad += ["%s: card not refiled" % n for n in out_cards()]
    for kind in NUMBER:
        for number, text in entries(kind):
            body, _, mark = text.rpartition("\n  check: ")
            if mark != code(body):
                bad.append("%s: entry altered by hand" % number)
    return bad


def git(*a):
    return subprocess.run(["git", "-C", str(ROOT), *a], capture_output=True, text=True).stdout


def daybook(old, new, changed, subject):
    """Whether one commit and its line in the daybook agree; raises No."""
    before, after = old.splitlines(), new.splitlines()
    if after[1:] != before or not after:
        raise No("daybook: nothing entered")
    m = re.fullmatch(r"(\w+)/(\d+) (\w\w) (-|\d{4}(?:,\d{4})*) (.+)", after[0])
    last = int(re.match(r"\w+/(\d+)", before[0])[1])
    staff = [s.split()[0] for s in (ROOT / "staff.txt").read_text().splitlines()]
    touched = ",".join(sorted(re.findall(r"^catalogue/(\d{4})\.card$", changed, re.M))) or "-"
    if not m or m[1] != SEASON or int(m[2]) != last + 1 or m[3] not in staff or m[4] != touched or m[5] != subject:
        raise No("daybook: does not tally")
