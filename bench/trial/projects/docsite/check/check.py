"""check.py TASK WORKSPACE: is the result of the task right?"""
import json, os, re, subprocess, sys
from pathlib import Path
task, ws = int(sys.argv[1]), Path(sys.argv[2]).resolve()
os.environ["QUILL_ROOT"] = str(ws)
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tool"))
import quill


def need(ok, what):
    if not ok:
        print("task %d: %s" % (task, what))
        sys.exit(1)


def git(*a):
    return subprocess.run(["git", "-C", str(ws), *a], capture_output=True, text=True).stdout


def flat(name):
    need(name in pages, "%s is missing" % name)
    return " ".join(pages[name]["body"].split())


def fields(name, title, owner, german):
    need(name in pages, "%s is missing" % name)
    p = pages[name]
    need((p["title"], p["fields"]["owner"], de.get(p["id"])) == (title, owner, german), name + ": title, owner or German title")
    return p["id"]


def old_id(name):
    return re.search(r"^id: (.*)$", git("show", base + ":" + name), re.M)[1]


WINDOW = {1: ("Lindqvist", "7.III.31", "31C07"), 2: ("Teige", "12.III.31", "31C12"), 3: ("Moberg", "30.IV.31", "31D30"),
          4: ("Lindqvist", "19.XII.31", "31L19"), 5: ("Teige", "1.VI.31", "31F01"), 6: ("Moberg", "15.VIII.31", "31H15")}
TOUCHED = {1: ["sensors/ice", "sensors/overview"], 2: ["buoys/overview", "buoys/tide-gauge"], 3: ["gateway/keys", "gateway/radio", "gateway/settings", "start/first-hour"],
           4: ["gateway/storage", "gateway/updates", "recipes/overview"], 5: ["recipes/alarm", "recipes/tide-tables"], 6: ["buoys/mooring", "buoys/overview", "buoys/recovery"]}
GONE = {2: "sensors/tide", 4: "recipes/backup", 6: "buoys/rope"}
need(git("symbolic-ref", "--short", "HEAD").strip() == "main", "not on main")
need(not git("status", "--porcelain").strip(), "the work tree is not clean")
base = git("log", "--format=%H", "--grep=^Edition 7$").strip().split("\n")[-1]
need(git("rev-parse", "HEAD").strip() != base, "nothing is committed")
try:
    pages = quill.check(quiet=True)
except quill.No as e:
    need(False, str(e))
de, new = quill.load("i18n/de.json"), quill.load("published/2031-07.json")["until"] == "31B21"
need([n for n in quill.editions()] == ["published/2031-07.json", "published/2031-08.json"], "edition 8 is not the newest")
old, rec = quill.load("published/2031-07.json"), quill.load("published/2031-08.json")
by, plain, changed = WINDOW[task]
need((rec["edition"], rec["by"], rec["until"]) == ("8/2031", by, changed if new else plain), "edition, holder or day of the window")
need(rec["pages"] == {n: p["sha"] for n, p in pages.items()}, "the pages are not as published")
need(quill.load("index/search.json") == quill.index_of(pages), "the index is behind")
need(not (ws / ".quill/window").exists(), "the window is open")
touched = sorted(n for n in pages if old["pages"].get(n) != pages[n]["sha"])
need(touched == ["pages/%s.md" % n for n in TOUCHED[task]], "pages changed: " + ", ".join(touched))
need(all(pages[n]["fields"].get("issue" if new else "edition") == "8/2031" for n in touched), "a page lacks the edition")
gone = ["pages/%s.md" % GONE[task]] if task in GONE else []
need(sorted(set(old["pages"]) - set(pages)) == gone, "pages that went away")
arrive = {r[0]: r[1] for r in quill.redirects()[0]}
kinds = {r[0]: r[2] for r in quill.redirects()[0]}
if task == 1:
    i = fields("pages/sensors/ice.md", "Ice eye", "sky", "Eisauge")
    need(flat("pages/sensors/ice.md") == "![The mast](img:ice-mast@960) The eye sees ice from two millimetres on. Wipe it with fresh water only.", "text of the ice page")
    need(re.search(r"\[quay camera\]\(page:[\w-]+\),? (and )?\[ice eye\]\(page:%s\)" % i, flat("pages/sensors/overview.md")), "link on the overview")
    need(quill.read("images/ice-mast.svg") == git("show", base + ":inbox/ice-mast.svg") and not (ws / "inbox/ice-mast.svg").exists(), "the picture")
    need(all((ws / ("images/derived/ice-mast@%d.svg" % w)).exists() for w in quill.WIDTHS), "sizes of the picture")
if task == 2:
    i = fields("pages/buoys/tide-gauge.md", "Tide gauge on a buoy", "sea", "Pegel an einer Boje")
    need(i == old_id("pages/sensors/tide.md"), "the id")
    need(flat("pages/buoys/tide-gauge.md") == "The gauge measures the way down to the water by sound, four times a minute. Fit it under the hull.", "text")
    need(re.search(r"How they measure: \[tide gauge\]\(page:%s\)\.?$" % i, flat("pages/buoys/overview.md")), "link on the buoys' page")
    need((arrive.get("/sensors/tide/"), kinds.get("/sensors/tide/")) == (i, "moved"), "the old address")
if task == 3:
    text = "".join(p.read_text() for d in ("pages", "registry", "images") for p in (ws / d).rglob("*") if p.is_file())
    need("gateway key" not in text.lower(), "gateway key is left")
    need(text.count("[[station key]]") == 3 and ["station key", "the secret that a station shows to its gateway"] in quill.rows("registry/glossary.tsv"), "term or glossary")
    need(all("station key" in quill.read("images/derived/station@%d.svg" % w) and quill.read("images/derived/station@%d.svg" % w) == quill.derived("station", str(w)) for w in quill.WIDTHS), "sizes of the picture")
    need(flat("pages/gateway/settings.md") == "Height, name, place and station key of the station. Restart after a change.", "settings")
if task == 4:
    o, i = old_id("pages/recipes/backup.md"), pages["pages/gateway/storage.md"]["id"]
    need(o not in de and not any(o in p["body"] for p in pages.values()), "the old id is in use")
    need(flat("pages/gateway/storage.md") == "Figures are kept for 90 days, pictures for 14. Put a stick into the left slot and hold the button for three seconds.", "storage")
    need("[storage](page:%s)" % i in flat("pages/gateway/updates.md"), "updates")
    need(flat("pages/recipes/overview.md").startswith("[an alarm for high water]"), "overview")
    need((arrive.get("/recipes/backup/"), kinds.get("/recipes/backup/")) == (i, "merged"), "the old address")
if task == 5:
    i = fields("pages/recipes/tide-tables.md", "Reading tide tables", "hydro", "Gezeitentafeln lesen")
    need(flat("pages/recipes/tide-tables.md") == "Look up your harbour in the [tables](link:tide-tables). Heights are above the [[datum]].", "text")
    need(["tide-tables", "https://tides.example/tables"] in quill.rows("registry/links.tsv"), "link")
    need(["datum", "the level that heights are counted from"] in quill.rows("registry/glossary.tsv"), "glossary")
    need(re.search(r"See also:? \[tide tables\]\(page:%s\)\.?$" % i, flat("pages/recipes/alarm.md")), "link on the alarm page")
if task == 6:
    o, i = old_id("pages/buoys/rope.md"), pages["pages/buoys/mooring.md"]["id"]
    need(quill.read("images/mooring.svg") == git("show", base + ":inbox/mooring-2031.svg") and not (ws / "inbox/mooring-2031.svg").exists(), "the picture")
    need(all(quill.read("images/derived/mooring@%d.svg" % w) == quill.derived("mooring", str(w)) for w in quill.WIDTHS), "sizes of the picture")
    need(flat("pages/buoys/mooring.md").endswith("45 metres. Put a swivel in the middle of the chain."), "mooring")
    need(re.search(r"How they hold: \[mooring\]\(page:%s\)\.$" % i, flat("pages/buoys/overview.md")), "the buoys' page")
    need(flat("pages/buoys/recovery.md").startswith("Never cut the chain. Call"), "getting a buoy back")
    need(o not in de and arrive.get("/buoys/rope/") == arrive.get("/buoys/hemp/") == i, "old addresses")
print("task %d: right" % task)
