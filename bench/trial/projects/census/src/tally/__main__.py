import configparser, csv, hashlib, importlib, io, os, re, sqlite3, sys

sys.dont_write_bytecode = True
LANES = {"sandbox": "trial builds (default)", "issue": "builds meant for the public", "backcast": "recalculated history"}
PERIODS = [f"Y{y}Q{q}" for y in (24, 25) for q in (1, 2, 3, 4)]
META = """
create table if not exists meta_rounds(id integer primary key autoincrement, product text, state text);
create table if not exists meta_loads(id integer primary key, source text, period text, control text, file text, round int);
create table if not exists meta_migrations(name text primary key, digest text, round int);
create table if not exists meta_builds(id integer primary key, lane text, model text, period text, rows int);
create table if not exists meta_protocols(build int primary key, cells int, suppressed int);
create table if not exists meta_releases(id integer primary key, build int, model text, period text, revision int, reason text);
create table if not exists meta_codebooks(name text, edition int, code text, label text);
"""
HELP = {
    "status": ("status", "What is loaded and released."),
    "load": ("load SOURCE PERIOD --control TOTAL [--file PATH] [--replace]",
             "Load a delivery of sources/SOURCE into its raw table. --file: when the file does not have\n  the usual name; --replace: when the period is loaded already."),
    "migrate": ("migrate", "Apply the pending files of migrations/."),
    "build": ("build TABLE PERIOD", "Run models/TABLE.sql for one reference period."),
    "show": ("show TABLE PERIOD", "Print the last build as CSV."),
    "release": ("release TABLE PERIOD [--revision REASON]", "Write the last build to published/ and its index. --revision: when the table has been\n  released for the period before."),
    "query": ("query SQL", "Read-only SQL on the warehouse."),
    "explain": ("explain CODE", "About a message code."),
}
MORE = {
    "codebook": ("codebook list | show NAME | pull NAME", "Editions in the registry; pull writes codebooks/NAME.csv."),
    "lanes": ("lanes", "List the lanes. A lane is chosen with --lane NAME (or TALLY_LANE) in front of the command."),
    "ledger": ("ledger list | add PATH...", "Files in force: models, migrations, modules of halstat."),
    "log": ("log", "The last loads."),
    "periods": ("periods", "Reference periods."),
    "round": ("round open PRODUCT | close | list", "Production rounds; PRODUCT is a code of catalogue.csv."),
    "sdc": ("sdc TABLE PERIOD", "Draw the disclosure protocol of the last build."),
}
EXPLAIN = {
    "T104": "Data are changed only in a production round. See `tally help round`.",
    "T106": "Releases are made when the round is over.",
    "T211": "Periods are written as the warehouse keeps them.",
    "T233": "Written as in `tally log`.",
    "T234": "Number of records or sum of the measure (source.ini) is not that of the file.",
    "T240": "The raw table is defined in migrations/.",
    "T305": "Models, migrations and modules are used only as entered in the ledger. See `tally help ledger`.",
    "T412": "The edition in force is kept in the registry. See `tally help codebook`.",
    "T503": "The public gets builds of one lane only. See `tally lanes`.",
    "T507": "Drawn anew for each build. See `tally help sdc`.",
    "T510": "Method handbook, chapter 4.",
}


class Err(Exception):
    pass


def root(*p):
    return os.path.join(os.environ["TALLY_ROOT"], *p)


def db():
    c = sqlite3.connect(os.path.join(os.environ["TALLY_HOME"], "warehouse.db"))
    c.row_factory = sqlite3.Row
    return c


def one(c, sql, *a):
    return c.execute(sql, a).fetchone()


def label(p):
    return f"20{p[1:3]}-{p[3:]}" if p else None


def period(p):
    if p not in PERIODS:
        raise Err(f"T211 {p}: not a reference period")
    return p


def running(c):
    return one(c, "select * from meta_rounds where state='running'")


def need_round(c):
    r = running(c)
    if not r:
        raise Err("T104 warehouse is sealed")
    return r["id"]


# ledger
def digest(path):
    return hashlib.sha1(b"ledger:" + open(root(path), "rb").read()).hexdigest()[:12]


def ledger():
    p = root("LEDGER")
    return dict(line.split()[::-1] for line in open(p) if line.strip()) if os.path.exists(p) else {}


def in_force(*paths):
    known = ledger()
    for p in paths:
        if p not in known:
            raise Err(f"T305 {p}: not in the ledger")
        if known[p] != digest(p):
            raise Err(f"T305 {p}: differs from the ledger")


def modules():
    return sorted(f"halstat/{f}" for f in os.listdir(root("halstat")) if f.endswith(".py"))


def functions(c):
    c.create_function("period_label", 1, label, deterministic=True)
    sys.path.insert(0, os.environ["TALLY_ROOT"])
    try:
        for name, (n, f) in importlib.import_module("halstat.sqlfuncs").FUNCTIONS.items():
            c.create_function(name, n, f, deterministic=True)
    except Exception as e:
        raise Err(f"T341 halstat: {type(e).__name__}: {e}")


# codebooks
def edition(c, name):
    rows = c.execute("select edition, code, label from meta_codebooks where name=? and edition="
                     "(select max(edition) from meta_codebooks where name=?) order by code", (name, name)).fetchall()
    if not rows:
        raise Err(f"T410 no such codebook: {name}")
    return [tuple(map(str, r)) for r in rows]


def text(head, rows):
    out = io.StringIO()
    w = csv.writer(out, lineterminator="\n")
    w.writerow(head)
    w.writerows(rows)
    return out.getvalue()


def use_codebook(c, name):
    path = f"codebooks/{name}.csv"
    with open(root(path), newline="") as f:
        rows = [tuple(r) for r in list(csv.reader(f))[1:]]
    if sorted(rows) != sorted(edition(c, name)):
        raise Err(f"T412 {path}: edition is superseded")
    c.execute(f"drop table if exists cb_{name}")
    c.execute(f"create table cb_{name}(code text primary key, label text)")
    c.executemany(f"insert into cb_{name} values(?,?)", [r[1:3] for r in rows])
    return {r[1] for r in rows}


def load(c, source, per, control, file=None, replace=False):
    ini = root("sources", source, "source.ini")
    if not os.path.exists(ini):
        raise Err(f"T201 no such source: {source}")
    cfg = configparser.ConfigParser()
    cfg.read(ini)
    cfg = cfg["source"]
    period(per)
    if not re.fullmatch(r"\d+#\d+", control or ""):
        raise Err("T233 --control: malformed control total")
    rnd = need_round(c)
    file = os.path.abspath(file) if file else root("sources", source, label(per).replace("-", "") + ".csv")
    if not os.path.exists(file):
        raise Err(f"T202 no such file: {os.path.relpath(file, root())}")
    books = {n.strip(): use_codebook(c, n.strip()) for n in cfg["codebooks"].split(",")}
    with open(file, newline="") as f:
        rows = list(csv.DictReader(f))
    cols = list(rows[0])
    have = [r["name"] for r in c.execute(f"pragma table_info({cfg['table']})")]
    extra = [x for x in cols if x not in have]
    if extra:
        raise Err(f"T240 {cfg['table']} has no column {', '.join(extra)}")
    for n, codes in books.items():
        bad = sorted({r[n] for r in rows} - codes)
        if bad:
            raise Err(f"T413 {n}: codes not in the codebook: {', '.join(bad)}")
    if control != f"{len(rows)}#{sum(int(r[cfg['measure']]) for r in rows)}":
        raise Err("T234 --control: does not agree with the file")
    if one(c, f"select 1 from {cfg['table']} where period=?", per):
        if not replace:
            raise Err(f"T242 {source} {per}: loaded already")
        c.execute(f"delete from {cfg['table']} where period=?", (per,))
    c.executemany(f"insert into {cfg['table']}(period,{','.join(cols)}) values(?{',?' * len(cols)})", [[per, *r.values()] for r in rows])
    c.execute("insert into meta_loads(source,period,control,file,round) values(?,?,?,?,?)", (source, per, control, os.path.relpath(file, root()), rnd))
    print(f"{cfg['table']}: {len(rows)} records")


def migrate(c):
    rnd = need_round(c)
    names = sorted(f for f in os.listdir(root("migrations")) if f.endswith(".sql"))
    done = {r["name"] for r in c.execute("select name from meta_migrations")}
    todo = [n for n in names if n not in done]
    in_force(*(f"migrations/{n}" for n in names))
    for n in todo:
        if not re.fullmatch(r"\d{4}_\w+\.sql", n):
            raise Err(f"T302 {n}: not a name for a migration")
        try:
            c.executescript("begin;" + open(root("migrations", n)).read() + ";")
        except sqlite3.Error as e:
            c.rollback()
            raise Err(f"T320 migrations/{n}: {e}")
        c.execute("insert into meta_migrations values(?,?,?)", (n, digest(f"migrations/{n}"), rnd))
        c.commit()
        print(f"applied {n}")
    if not todo:
        print("nothing to apply")


def last_build(c, model, per):
    b = one(c, "select * from meta_builds where model=? and period=? order by id desc", model, period(per))
    if not b:
        raise Err(f"T500 {model} {per}: not built")
    cur = c.execute(f"select * from build_{b['id']}")
    return b, [d[0] for d in cur.description], [tuple(r) for r in cur]


def product(model):
    m = re.search(r"^-- product: (\S+)$", open(root("models", model + ".sql")).read(), re.M)
    if not m or m[1] not in {r["code"] for r in csv.DictReader(open(root("catalogue.csv")))}:
        raise Err(f"T330 models/{model}.sql: no product of the catalogue in the header")
    return m[1]


def build(c, lane, model, per):
    period(per)
    path = f"models/{model}.sql"
    if not os.path.exists(root(path)):
        raise Err(f"T301 no such model: {path}")
    product(model)
    in_force(path, *modules())
    functions(c)
    prior = f"Y{int(per[1:3]) - 1}{per[3:]}"
    try:
        sql = open(root(path)).read().strip().rstrip(";")
        cur = c.execute(sql, {"period": per, "prior": prior})
        cols, rows = [d[0] for d in cur.description], cur.fetchall()
    except sqlite3.Error as e:
        raise Err(f"T320 {path}: {e}")
    if not rows:
        raise Err(f"T321 {model} {per}: no rows")
    c.execute("insert into meta_builds(lane,model,period,rows) values(?,?,?,?)", (lane, model, per, len(rows)))
    b = one(c, "select last_insert_rowid()")[0]
    quoted = ",".join('"%s"' % x for x in cols)
    c.execute(f"create table build_{b}({quoted})")
    c.executemany(f"insert into build_{b} values({','.join('?' * len(cols))})", [tuple(r) for r in rows])
    print(f"{model} {per}: {len(rows)} rows")


def sdc(c, model, per):
    b, cols, rows = last_build(c, model, per)
    for need in ("n", "flag"):
        if need not in cols:
            raise Err(f"T511 {model}: no column {need}")
    low = 0
    bad = 0
    for r in rows:
        r = dict(zip(cols, r))
        if r["n"] < 5:
            low += 1
            bad += r["flag"] != "c" or any(isinstance(v, (int, float)) for k, v in r.items() if k != "n")
    if bad:
        raise Err(f"T510 disclosure: {bad} cells under the threshold are not suppressed")
    c.execute("insert or replace into meta_protocols values(?,?,?)", (b["id"], len(rows), low))
    print(f"protocol of build {b['id']}: {len(rows)} cells, {low} suppressed")


def release(c, model, per, reason=None):
    b, cols, rows = last_build(c, model, per)
    before = one(c, "select count(*) from meta_releases where model=? and period=?", model, per)[0]
    if before and not reason:
        raise Err(f"T515 {model} {per}: released before")
    if b["lane"] != "issue":
        raise Err(f"T503 {model} {per}: last build is in lane {b['lane']}")
    if not one(c, "select 1 from meta_protocols where build=?", b["id"]):
        raise Err(f"T507 {model} {per}: no disclosure protocol")
    r = running(c)
    if r:
        raise Err(f"T106 round {r['id']} is running")
    in_force(f"models/{model}.sql", *modules())
    file = f"published/{model}/{label(per)}.csv"
    os.makedirs(root("published", model), exist_ok=True)
    keep = [i for i, x in enumerate(cols) if x != "n"]
    with open(root(file), "w", newline="") as f:
        f.write(text([cols[i] for i in keep], [[row[i] for i in keep] for row in rows]))
    with open(root("published", "INDEX.csv"), "a") as f:
        f.write(f"{product(model)},{model},{label(per)},{before},{len(rows)},{file}\n")
    c.execute("insert into meta_releases(build,model,period,revision,reason) values(?,?,?,?,?)", (b["id"], model, per, before, reason))
    print(f"released {file} (revision {before})")


def status(c):
    for r in c.execute("select source, count(*) as n, sum(substr(control,1,instr(control,'#')-1)) as k from meta_loads group by source"):
        print(f"{r['source']:12}{r['n']} deliveries, {r['k']} records")
    for r in c.execute("select model, period, max(revision) as v from meta_releases group by model, period"):
        print(f"released    {r['model']} {label(r['period'])} revision {r['v']}")


def rounds(c, what, code=None):
    r = running(c)
    if what == "open":
        if r:
            raise Err(f"T105 round {r['id']} is running")
        if code not in {x["code"] for x in csv.DictReader(open(root("catalogue.csv")))}:
            raise Err(f"T110 no such product: {code}")
        c.execute("insert into meta_rounds(product,state) values(?,'running')", (code,))
        print(f"round {one(c, 'select last_insert_rowid()')[0]} of {code} running")
    elif what == "close":
        if not r:
            raise Err("T108 no round to close")
        c.execute("update meta_rounds set state='over' where id=?", (r["id"],))
        print(f"round {r['id']} over")
    else:
        for x in c.execute("select * from meta_rounds"):
            print(x["id"], x["product"], x["state"])


def codebook(c, what, name=None):
    if what == "list":
        for r in c.execute("select name, max(edition) as e, count(*) from meta_codebooks group by name"):
            print(f"{r['name']:10}edition {r['e']}")
        return
    body = text(("edition", "code", "label"), edition(c, name))
    if what == "show":
        print(body, end="")
    else:
        with open(root("codebooks", name + ".csv"), "w", newline="") as f:
            f.write(body)
        print(f"codebooks/{name}.csv written")


def add(paths):
    known = ledger()
    for p in paths:
        p = os.path.relpath(os.path.abspath(p), root())
        if not re.match(r"(models|migrations)/[^/]+\.sql$|halstat/[^/]+\.py$", p) or not os.path.exists(root(p)):
            raise Err(f"T306 {p}: not a file for the ledger")
        known[p] = digest(p)
        print(f"{known[p]}  {p}")
    with open(root("LEDGER"), "w") as f:
        f.writelines(f"{known[p]}  {p}\n" for p in sorted(known))


def options(rest, **spec):
    """Take --name VALUE (or a mere --name) out of the arguments."""
    out, pos = {}, []
    it = iter(rest)
    for a in it:
        k, eq, v = a.partition("=")
        k = k[2:] if k.startswith("--") else None
        if k is None:
            pos.append(a)
        elif k not in spec:
            raise Err(f"T001 no such option: {a}")
        elif spec[k] == "flag":
            out[k] = True
        else:
            out[k] = v if eq else next(it, "")
    return pos, out


def usage():
    print("usage: tally COMMAND\n\nEveryday commands:")
    for k, (_, s) in HELP.items():
        print(f"  {k:10}{s.splitlines()[0].split('. --')[0].rstrip('.')}")
    print(f"  {'help':10}Arguments of a command (help COMMAND)")


def command(argv):
    lane = os.environ.get("TALLY_LANE", "sandbox")
    for i, a in enumerate(argv):
        if a == "--lane" and i + 1 < len(argv) or a.startswith("--lane="):
            lane = argv[i + 1] if a == "--lane" else a[7:]
            argv = argv[:i] + argv[i + (2 if a == "--lane" else 1):]
            break
    if lane not in LANES:
        raise Err(f"T501 no such lane: {lane}")
    if not argv or argv[0] in ("-h", "--help") or argv == ["help"]:
        return usage()
    cmd, rest = argv[0], argv[1:]
    both = {**HELP, **MORE}
    if cmd == "help" and rest[0] in both or cmd in both and rest[:1] in (["-h"], ["--help"]):
        u, s = both[rest[0] if cmd == "help" else cmd]
        return print(f"usage: tally {u}\n  {s}")
    c = db()
    pos, opt = options(rest, control="", file="", revision="", replace="flag") if cmd in ("load", "release") else (rest, {})
    if cmd == "status":
        status(c)
    elif cmd == "load" and len(pos) == 2 and "control" in opt:
        load(c, *pos, **opt)
    elif cmd == "migrate" and not pos:
        migrate(c)
    elif cmd == "build" and len(pos) == 2:
        build(c, lane, *pos)
    elif cmd == "show" and len(pos) == 2:
        _, cols, rows = last_build(c, *pos)
        print(text(cols, rows), end="")
    elif cmd == "sdc" and len(pos) == 2:
        sdc(c, *pos)
    elif cmd == "release" and len(pos) == 2 and not set(opt) - {"revision"}:
        release(c, *pos, opt.get("revision"))
    elif cmd == "query" and len(pos) == 1:
        functions(c)
        c.execute("pragma query_only=1")
        try:
            cur = c.execute(pos[0])
            print(text([d[0] for d in cur.description or []], map(tuple, cur)), end="")
        except sqlite3.Error as e:
            raise Err(f"T320 sql: {e}")
    elif cmd == "explain" and len(pos) == 1:
        print(EXPLAIN.get(pos[0], "no entry"))
    elif cmd == "lanes" and not pos:
        for k, v in LANES.items():
            print(f"{k:10}{v}")
        print("A lane is chosen with --lane NAME (or TALLY_LANE).")
    elif cmd == "periods" and not pos:
        for p in PERIODS:
            print(p, label(p))
    elif cmd == "log" and not pos:
        for r in c.execute("select * from (select * from meta_loads order by id desc limit 12) order by id"):
            print(f"{r['source']:12}{r['period']}  {r['control']:14}{r['file']}")
    elif cmd == "round" and (pos in (["close"], ["list"]) or len(pos) == 2 and pos[0] == "open"):
        rounds(c, *pos)
    elif cmd == "codebook" and (pos == ["list"] or len(pos) == 2 and pos[0] in ("show", "pull")):
        codebook(c, *pos)
    elif cmd == "ledger" and pos == ["list"]:
        print("".join(f"{v}  {k}\n" for k, v in sorted(ledger().items())), end="")
    elif cmd == "ledger" and pos[:1] == ["add"] and pos[1:]:
        add(pos[1:])
    elif cmd in both:
        raise Err(f"T002 usage: tally {both[cmd][0]}")
    else:
        raise Err(f"T000 no such command: {' '.join([cmd, *rest[:1]]) if cmd == 'help' else cmd} (there are {', '.join(sorted(both))})")
    c.commit()


def main(argv):
    try:
        command(argv)
    except Err as e:
        sys.exit(f"tally: {e}")


if __name__ == "__main__":
    main(sys.argv[1:])
