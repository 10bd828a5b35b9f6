"""Released tables agree with the index and with their review sheets."""
import csv, pathlib, re, sys

bad = []
last = {(r["table"], r["period"]): r for r in csv.DictReader(open("published/INDEX.csv"))}
for (table, period), r in last.items():
    f, sheet = pathlib.Path(r["file"]), pathlib.Path(f"reviews/{table}_{period}.md")
    if not f.exists():
        bad.append(f"{f}: missing")
        continue
    rows = list(csv.DictReader(f.open()))
    if len(rows) != int(r["rows"]):
        bad.append(f"{f}: {len(rows)} rows, index says {r['rows']}")
    if not sheet.exists():
        bad.append(f"{sheet}: missing")
        continue
    text = sheet.read_text()
    for k, v in (("Table", table), ("Period", period), ("Revision", r["revision"]), ("Rows", len(rows)), ("Suppressed", sum(x["flag"] == "c" for x in rows))):
        if not re.search(rf"^{k}: {v}\s*$", text, re.M):
            bad.append(f"{sheet}: {k} should be {v}")
    if "{{" in text or not re.search(r"^## Findings\n+\S", text, re.M):
        bad.append(f"{sheet}: not filled in")
for f in pathlib.Path("published").glob("*/*.csv"):
    if str(f) not in {r["file"] for r in last.values()}:
        bad.append(f"{f}: not in the index")
print("\n".join(bad) or "published ok")
sys.exit(bool(bad))
