"""Deliveries, warehouse and earlier releases of a workspace."""
import contextlib, csv, importlib.util, io, os, sqlite3, sys
sys.dont_write_bytecode = True
dest, here = sys.argv[1], os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, here)
import gen
os.environ.update(TALLY_ROOT=dest, TALLY_HOME=f"{dest}/.tally")
os.environ.pop("TALLY_LANE", None)
spec = importlib.util.spec_from_file_location("tally_main", f"{here}/tally/__main__.py")
tally = importlib.util.module_from_spec(spec)
spec.loader.exec_module(tally)


def t(*a):
    with contextlib.redirect_stdout(io.StringIO()) as out:
        tally.main(list(a))
    return out.getvalue()


def write(path, head, rows):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", newline="") as f:
        w = csv.writer(f, lineterminator="\n")
        w.writerow(head)
        w.writerows(rows)


os.makedirs(f"{dest}/.tally")
os.makedirs(f"{dest}/codebooks", exist_ok=True)
c = sqlite3.connect(f"{dest}/.tally/warehouse.db")
c.executescript(tally.META)
c.execute("insert into sqlite_sequence values('meta_rounds', 116)")


def put_codebook(name, edition, codes):
    c.executemany("insert into meta_codebooks values(?,?,?,?)", [(name, edition, k, v) for k, v in codes.items()])


for name, (ed, old, _) in gen.CODEBOOKS.items():
    put_codebook(name, ed, gen.codes(name, False))
    write(f"{dest}/codebooks/{name}.csv", ("edition", "code", "label"), [(ed, k, v) for k, v in gen.codes(name, False).items()])
c.commit()
for name, (product, table, measure, books, sender) in gen.SOURCES.items():
    os.makedirs(f"{dest}/sources/{name}", exist_ok=True)
    with open(f"{dest}/sources/{name}/source.ini", "w") as f:
        f.write(f"[source]\nsender = {sender}\nproduct = {product}\ntable = {table}\nmeasure = {measure}\ncodebooks = {books}\n")
t("ledger", "add", *(os.path.join(dest, d, x) for d in ("models", "migrations", "halstat") for x in sorted(os.listdir(f"{dest}/{d}")) if x.endswith((".sql", ".py"))))
controls = {}
for item in gen.HISTORY + gen.NEW:
    name, when = item.split()
    head, rows = gen.delivery(name, when)
    write(f"{dest}/sources/{name}/{when}.csv", head, rows)
    m = gen.SOURCES[name][2]
    total = sum(r[head.index(m)] for r in rows)
    controls[item] = f"{len(rows)}#{total}"
    with open(f"{dest}/sources/{name}/{when}.slip.txt", "w") as f:
        f.write(f"Delivery  {name} {when}\nSender    {gen.SOURCES[name][4]}\nRecords   {len(rows)}\nTotal     {total} ({m})\n")
t("round", "open", "GEN")
t("migrate")
t("round", "close")
for item in gen.HISTORY:
    name, when = item.split()
    t("round", "open", gen.SOURCES[name][0])
    t("load", name, f"Y{when[2:]}", "--control", controls[item])
    t("round", "close")
os.makedirs(f"{dest}/published", exist_ok=True)
with open(f"{dest}/published/INDEX.csv", "w") as f:
    f.write("product,table,period,revision,rows,file\n")
for table, per in (("vacancies", "Y25Q1"), ("tourism_nights", "Y25Q2"), ("permits_region", "Y25Q2"), ("retail_index", "Y25Q2"), ("lfs_status", "Y25Q2"), ("vacancies", "Y25Q2")):
    t("--lane", "issue", "build", table, per)
    t("sdc", table, per)
    t("release", table, per)
    p = tally.label(per)
    rows = list(csv.DictReader(open(f"{dest}/published/{table}/{p}.csv")))
    fill = dict(table=table, period=p, revision="0", rows=str(len(rows)), suppressed=str(sum(r["flag"] == "c" for r in rows)), findings="Figures plausible, nothing to report.")
    sheet = open(f"{dest}/reviews/TEMPLATE.md").read()
    for k, v in fill.items():
        sheet = sheet.replace("{{%s}}" % k, v)
    with open(f"{dest}/reviews/{table}_{p}.md", "w") as f:
        f.write(sheet)
for name, (ed, old, change) in gen.CODEBOOKS.items():
    if change:
        put_codebook(name, ed + 1, gen.codes(name, True))
c.commit()
