import sys, os, re, hashlib, datetime, pathlib, subprocess, importlib
sys.dont_write_bytecode = True
ROOT = pathlib.Path(os.environ["PRESS_ROOT_"]).resolve()
KEY = "sandry-1944:"
VOL = 87
OFF = 1944


def seal(body):
    return hashlib.sha256((KEY + body).encode()).hexdigest()[:12]


def sealed(body):
    return body + "; seal %s\n" % seal(body)


def unseal(path):
    text = path.read_text()
    m = re.search(r"^; seal ([0-9a-f]{12})$", text, re.M)
    return bool(m) and seal(text[:m.start()]) == m[1]


def short(b, n=10):
    return hashlib.sha1(b).hexdigest()[:n]


def tsv(name):
    sys.path.insert(0, str(ROOT))
    import almlib
    try:
        return almlib.tsv(name)
    except ValueError as e:
        die("E90 %s" % e)


def die(msg, code=2):
    sys.stderr.write("%s: %s\n" % (PROG, msg))
    sys.exit(code)


def options(argv, known, flags=()):
    pos, opt, i = [], {}, 0
    while i < len(argv):
        a = argv[i]
        if a in known:
            if i + 1 == len(argv):
                die("E02 %s wants a value" % a)
            opt[a] = argv[i + 1]
            i += 1
        elif a.startswith("-"):
            die("E01 unknown option %s" % a)
        else:
            pos.append(a)
        i += 1
    return pos, opt


def rel(path):
    try:
        return str(path.resolve().relative_to(ROOT))
    except ValueError:
        return str(path)


# ---------------------------------------------------------------- tabgen
H_TABGEN = """usage: tabgen STATION YYYY-MM [-k KIND]

Compute a table and write it to tables/.
  STATION   tide station
  YYYY-MM   month
  -k KIND   kind of table, a module of almlib/kinds (default: tide)
"""


def tabgen(argv):
    pos, opt = options(argv, ("-k",))
    if len(pos) != 2:
        die("E03 want STATION and YYYY-MM (see tabgen -h)")
    sys.path.insert(0, str(ROOT))
    from almlib import ports
    st, month = pos
    try:
        roll = {"%s:%s" % (p.basin, p.pilot): p for p in ports.load()}
    except ValueError as e:
        die("E90 %s" % e)
    m = re.fullmatch(r"(\d{4})-(\d\d)", month)
    if not m or not 1 <= int(m[2]) <= 12:
        die("E12 month %r, want YYYY-MM" % month)
    if st not in roll:
        die("E11 no station answers to '%s' (%d stations on the air)" % (st, len(roll)))
    kind = opt.get("-k", "tide")
    if not (ROOT / "almlib" / "kinds" / (kind + ".py")).exists():
        die("E13 no kind %s in almlib/kinds" % kind)
    mod = importlib.import_module("almlib.kinds." + kind)
    port = roll[st]
    try:
        rows = mod.rows(port, int(m[1]), int(m[2]))
    except ValueError as e:
        die("E14 %s: %s" % (kind, e))
    name = "%s-%s%s.tab" % (port.slug, month, "" if kind == "tide" else "-" + kind)
    body = "; station %s\n; month %s\n; kind %s\n" % (st, month, kind)
    body += "; %s\n" % mod.TITLE
    body += "".join(r + "\n" for r in rows)
    (ROOT / "tables" / name).write_text(sealed(body))
    print("tables/%s: %d rows" % (name, len(rows)))


# ---------------------------------------------------------------- galley
H_GALLEY = """usage: galley PAGE

Set a page to the measure of its sheet and write the galley to galleys/.
  PAGE      a file pages/NAME.pg
"""


def folios():
    sys.path.insert(0, str(ROOT))
    from almlib import markup
    out = {}
    for path in sorted((ROOT / "pages").glob("*.pg")):
        text = path.read_text()
        m = re.search(r"^%sheet\s+(\S+)", text, re.M)
        out[path.stem] = "%s\t%s\t%d\t%s" % (path.stem, m[1] if m else "?", len(text.splitlines()),
                                             short(text.encode()))
    return out


def galley(argv):
    pos, opt = options(argv, ("--ems",))
    if len(pos) != 1:
        die("G03 want one PAGE (see galley -h)")
    path = pathlib.Path(pos[0])
    if not path.exists() or path.suffix != ".pg" or path.resolve().parent != ROOT / "pages":
        die("G30 no such page: %s" % pos[0])
    sys.path.insert(0, str(ROOT))
    from almlib import markup
    text = path.read_text()
    try:
        headers, _ = markup.parse(text)
    except markup.MarkupError as e:
        die("G39 %s: %s" % (path.name, e))
    sheets = {r["sheet"]: r for r in tsv("sheets")}
    sheet = headers["sheet"]
    if sheet not in sheets:
        die("G38 no sheet %s in data/sheets.tsv" % sheet)
    if "--ems" not in opt:
        die("G33 the stick is not set for sheet %s: no measure" % sheet)
    if opt["--ems"] != sheets[sheet]["measure"]:
        die("G34 a measure of %s is not that of sheet %s" % (opt["--ems"], sheet))
    have = (ROOT / "pages" / "FOLIOS").read_text().splitlines() \
        if (ROOT / "pages" / "FOLIOS").exists() else []
    want = list(folios().values())
    if sorted(have) != sorted(want):
        die("G31 the folio roll is out of step with the pages (%d differ)"
            % len({l.split("\t")[0] for l in set(have) ^ set(want)}))
    try:
        lines = markup.render(text, int(opt["--ems"]))
    except markup.MarkupError as e:
        die("G39 %s: %s" % (path.name, e))
    body = "; galley %s sheet %s ems %s\n; copy %s\n" % (path.stem, sheet, opt["--ems"],
                                                         short(text.encode()))
    body += "".join(l + "\n" for l in lines)
    (ROOT / "galleys").mkdir(exist_ok=True)
    (ROOT / "galleys" / (path.stem + ".gly")).write_text(sealed(body))
    print("galleys/%s.gly: %d lines" % (path.stem, len(lines)))


# ---------------------------------------------------------------- proof
H_PROOF = """usage: proof GALLEY

Read a galley against its copy and write the proof slip to proofs/.
  GALLEY    a file galleys/NAME.gly
"""


def proof(argv):
    pos, opt = options(argv, ())
    if len(pos) != 1:
        die("P03 want one GALLEY (see proof -h)")
    path = pathlib.Path(pos[0])
    if not path.exists() or path.suffix != ".gly":
        die("P30 no such galley: %s" % pos[0])
    if not unseal(path):
        die("P31 %s was not made by galley, or was altered" % path.name)
    page = ROOT / "pages" / (path.stem + ".pg")
    if not page.exists():
        die("P32 no page for %s" % path.name)
    sys.path.insert(0, str(ROOT))
    from almlib import markup
    text = page.read_text()
    headers, _ = markup.parse(text)
    body = path.read_text()
    ems = int(re.search(r"ems (\d+)", body)[1])
    copy = re.search(r"^; copy (\w+)", body, re.M)[1]
    set_ = [l for l in body.splitlines() if not l.startswith("; ")]
    if copy != short(text.encode()) or set_ != markup.render(text, ems):
        die("P40 the galley is older than its copy")
    who = os.environ.get("ALM_READER", "")
    section = headers["section"]
    if not who:
        die("P41 nobody is reading %s" % section)
    desk = {r["code"]: r for r in tsv("desk")}
    r = desk.get(who)
    if not r or r["section"] != section or r["until"] != "-":
        die("P42 %s does not read %s in this volume" % (who, section))
    for no, l in enumerate(set_, 1):
        if len(l) > ems * 2:
            die("P43 line %d runs over the measure" % no)
    slip = "slip for %s\nreader %s\nsection %s\ngalley %s\n" % (
        path.name, who, section, short(path.read_bytes()))
    (ROOT / "proofs").mkdir(exist_ok=True)
    (ROOT / "proofs" / (path.stem + ".slip")).write_text(sealed(slip))
    print("proofs/%s.slip: read by %s, clean" % (path.stem, r["name"]))


# ---------------------------------------------------------------- forme
H_FORME = """usage: forme show
       forme take SHEET
       forme give SHEET

The formes of the sheets.
"""


def forme(argv):
    pos, opt = options(argv, ())
    d = ROOT / ".forme"
    d.mkdir(exist_ok=True)
    if pos == ["show"]:
        for r in tsv("sheets"):
            print("%s  %s" % (r["sheet"], "in hand" if (d / r["sheet"]).exists() else "on the rack"))
        return
    if len(pos) != 2 or pos[0] not in ("take", "give"):
        die("F03 see forme -h")
    if pos[1] not in {r["sheet"] for r in tsv("sheets")}:
        die("F10 no sheet %s" % pos[1])
    f = d / pos[1]
    if pos[0] == "take":
        if f.exists():
            die("F11 forme %s is in hand already" % pos[1])
        f.write_text("")
        print("forme %s: in hand" % pos[1])
    else:
        if not f.exists():
            die("F12 forme %s is on the rack" % pos[1])
        f.unlink()
        print("forme %s: on the rack" % pos[1])


# ---------------------------------------------------------------- handover
H_HANDOVER = """usage: handover FILE --sheet SHEET --to WORKS --due DAY

Hand a proved galley, or a table for the port cards, over to the printer.  Writes a
ticket to press/tickets and a copy of the file to press/tray.
  FILE      galleys/NAME.gly, or tables/NAME.tab for sheet C
  SHEET     letter of the sheet
  WORKS     code of the printer in data/printers.tsv
  DAY       day the work is due
"""


def press_day(due):
    m = re.fullmatch(r"(\d\d)w(\d\d)\.([1-7])", due)
    if not m or int(m[1]) != VOL:
        return None
    try:
        return datetime.date.fromisocalendar(int(m[1]) + OFF, int(m[2]), int(m[3]))
    except ValueError:
        return None


def handover(argv):
    pos, opt = options(argv, ("--sheet", "--to", "--due"))
    if len(pos) != 1 or len(opt) != 3:
        die("H03 want FILE, --sheet, --to and --due (see handover -h)")
    path = pathlib.Path(pos[0])
    sheet = opt["--sheet"]
    if sheet not in {r["sheet"] for r in tsv("sheets")}:
        die("H10 no sheet %s in data/sheets.tsv" % sheet)
    works = {r["code"]: r for r in tsv("printers")}
    if opt["--to"] not in works:
        die("H24 no works '%s' in data/printers.tsv" % opt["--to"])
    if not path.exists():
        die("H20 no such file: %s" % pos[0])
    day = press_day(opt["--due"])
    if day is None:
        die("H21 '%s' is not a day of the press" % opt["--due"])
    closed = works[opt["--to"]]["closed"].split()
    if closed == ["all"] or "Mon Tue Wed Thu Fri Sat Sun".split()[day.weekday()] in closed:
        die("H27 %s is closed on that day" % works[opt["--to"]]["name"])
    if path.suffix == ".tab":
        if sheet != "C":
            die("H26 a table goes on sheet C")
        if not unseal(path):
            die("H28 %s was not made by tabgen, or was altered" % path.name)
    elif path.suffix == ".gly":
        m = re.match(r"; galley \S+ sheet (\S+)", path.read_text())
        if not m or not unseal(path):
            die("H28 %s was not made by galley, or was altered" % path.name)
        if m[1] != sheet:
            die("H26 %s is of sheet %s" % (path.name, m[1]))
        slip = ROOT / "proofs" / (path.stem + ".slip")
        if not slip.exists() or not unseal(slip) or \
                "galley %s\n" % short(path.read_bytes()) not in slip.read_text():
            die("H25 %s is not proved" % path.name)
    else:
        die("H29 neither galley nor table: %s" % path.name)
    if pathlib.Path.cwd().resolve() != ROOT / "press":
        die("H23 there is no tray here")
    lock = ROOT / ".forme" / sheet
    if not lock.exists():
        die("H22 sheet %s is not in hand" % sheet)
    tickets = ROOT / "press" / "tickets"
    nums = [int(p.stem[3:]) for p in tickets.glob("87-*.tkt") if p.stem[3:].isdigit()]
    no = "%d-%04d" % (VOL, max(nums, default=0) + 1)
    body = "ticket %s\nfile   %s\nsheet  %s\nworks  %s\ndue    %s\nsum    %s\n" % (
        no, path.name, sheet, opt["--to"], opt["--due"], short(path.read_bytes()))
    (tickets / (no + ".tkt")).write_text(sealed(body))
    (ROOT / "press" / "tray" / path.name).write_bytes(path.read_bytes())
    lock.unlink()
    print("ticket %s: %s to %s" % (no, path.name, works[opt["--to"]]["name"]))


# ---------------------------------------------------------------- gate (commit-msg)
def gate(argv):
    lines = [l for l in pathlib.Path(argv[0]).read_text().splitlines() if not l.startswith("#")]
    led = [l for l in lines if re.match(r"(?i)ledger\s*:", l)]
    if not led:
        die("C61 the message is not entered in the ledger")
    m = re.fullmatch(r"Ledger: (\d\d)/([A-Z])", led[-1].rstrip())
    if not m or int(m[1]) != VOL or m[2] not in {r["sheet"] for r in tsv("sheets")}:
        die("C62 the ledger has no account for '%s'" % led[-1].split(":", 1)[1].strip())


PROG = sys.argv[1]
HELP = {"tabgen": H_TABGEN, "galley": H_GALLEY, "proof": H_PROOF, "forme": H_FORME,
        "handover": H_HANDOVER}
args = sys.argv[2:]
if PROG in HELP and (not args or args[0] in ("-h", "--help", "help")):
    print(HELP[PROG], end="")
    sys.exit(0)
globals()[PROG](args)
