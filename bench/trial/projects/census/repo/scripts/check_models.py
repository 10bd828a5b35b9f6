"""Each model names its product and a title."""
import csv, pathlib, re, sys

codes = {r["code"] for r in csv.DictReader(open("catalogue.csv"))}
bad = []
for p in sorted(pathlib.Path("models").glob("*.sql")):
    t = p.read_text()
    m = re.search(r"^-- product: (\S+)$", t, re.M)
    if not m or m[1] not in codes:
        bad.append(f"{p}: product")
    if not re.search(r"^-- title: \S", t, re.M):
        bad.append(f"{p}: title")
print("\n".join(bad) or "models ok")
sys.exit(bool(bad))
