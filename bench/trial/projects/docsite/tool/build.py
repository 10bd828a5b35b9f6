"""Fills a workspace: the program, pages, registries, derived files and history (called by setup.sh)."""
import json, os, re, sys
from pathlib import Path
here, dest, changed = os.environ["HERE"], os.environ["DEST"], os.environ.get("CHANGED")
os.environ["QUILL_ROOT"] = dest
sys.path.insert(0, os.path.join(here, "tool"))
import history, quill
source = Path(here, "tool/quill.py").read_text()
if changed:
    source = source.replace("NEWFORM = False", "NEWFORM = True", 1)
history.program(os.path.join(dest, ".bin/quill"), source)
root = Path(dest)
lines = Path(here, "tool/pages.txt").read_text().splitlines()
rows, count = [], {}
for l in lines:
    if l.count("|") == 3:
        path, title, owner, german = l.split("|")
        code = quill.SECTIONS[path.split("/")[0]]
        count[code] = n = count.get(code, 100) + 11
        rows.append(["pages/%s.md" % path, "%s-%04d-%s" % (code, n, quill.letter(code, n)), title, owner, german, []])
    else:
        rows[-1][5].append(l)
ids = {r[0][6:-3]: r for r in rows}
target = lambda m: "[%s](page:%s)" % (ids[m[1]][2].lower(), ids[m[1]][1])
fresh = ("pages/gateway/lamps.md", "pages/sensors/salt.md")
for name, i, title, owner, german, body in rows:
    text = re.sub(r"@([a-z]+/[a-z-]+)", target, "\n\n".join(body))
    text = re.sub(r"\{([a-z-]+)\}", lambda m: "[%s](link:%s)" % (m[1].replace("-", " "), m[1]), text)
    late = "edition: 7/2031\n" if name in fresh else ""
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).write_text("---\nid: %s\ntitle: %s\nowner: %s\n%s---\n%s\n" % (i, title, owner, late, text))
issued = {r[1]: "paper" for r in rows}
issued["SN-%04d-%s" % (count["SN"] + 5, quill.letter("SN", count["SN"] + 5))] = "withdrawn"
quill.save("registry/ids.json", issued)
quill.save("i18n/de.json", {r[1]: r[4] for r in rows})
for name in ("mooring", "station"):
    for w in quill.WIDTHS:
        out = root / ("images/derived/%s@%d.svg" % (name, w))
        out.parent.mkdir(exist_ok=True)
        out.write_text(quill.derived(name, str(w)))
table = [["/start/glossary/", ids["start/words"][1], "moved"], ["/buoys/hemp/", ids["buoys/rope"][1], "merged"]]
(root / "registry/redirects.tsv").write_text("".join("\t".join(r) + "\n" for r in table) + "# sum %s\n" % quill.redirect_sum(table))
all_pages = quill.check(quiet=True)
quill.save("index/search.json", quill.index_of(all_pages))
record = {"edition": "7/2031", "by": "Moberg", "until": "31B21" if changed else "21.II.31", "pages": {n: p["sha"] for n, p in all_pages.items()}}
quill.save("published/2031-07.json", record)
get = lambda *ps: {p: (root / p).read_text() for p in ps}
some = lambda s: get(*(r[0] for r in rows if r[0].startswith("pages/" + s)))
history.write(dest, [
 ("2030-04-02", "Ada Moberg", "First pages\n\nReview: rv-li-20c1aa", {**some("start"), **some("gateway"), **get("README.md")}, []),
 ("2030-06-18", "Jon Lindqvist", "Buoys and sensors\n\nReview: rv-mo-7be210", {**some("buoys"), **some("sensors")}, []),
 ("2030-11-05", "Ada Moberg", "Recipes, registries\n\nReview: rv-li-e4410d", {**some("recipes"), **get("registry/links.tsv", "registry/glossary.tsv", "i18n/de.json")}, []),
 ("2031-02-20", "Ada Moberg", "Edition 7\n\nReview: rv-te-03fa9c", {}, [])])
