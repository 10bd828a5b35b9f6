"""quill: builds and publishes the Skerry documentation."""
import hashlib, json, os, re, subprocess, sys
from pathlib import Path

NEWFORM = False  # set by setup.sh --changed
ROOT = Path(os.environ.get("QUILL_ROOT") or os.getcwd())
LATE = "issue" if NEWFORM else "edition"
ROMAN = "I II III IV V VI VII VIII IX X XI XII".split()
WIDTHS = (480, 960)
SECTIONS = {"start": "ST", "sensors": "SN", "buoys": "BU", "gateway": "GW", "recipes": "RC"}
KINDS = ("moved", "merged", "gone")
HELP = """quill COMMAND ...
  check       look at the pages
  page PATH   front matter and links of a page
  index       the search index
  image       pictures
  id          page ids
  redirect    old addresses
  window      the publishing window
  publish     write the next edition
  review      a reader for what is staged
  explain     the last refusal, in more words"""
DAY = "year in two digits, letter of the month (A is January), day in two digits" if NEWFORM else "day, point, month in Roman capitals, point, year in two digits"
MORE = [  # what a refusal says, and what explain says to it
 (r"\(check\) .* id '", "ids are issued, never made up: id new SECTION (" + ", ".join(SECTIONS.values()) + ")"),
 (r"\(check\) .* target", "targets: page:ID, link:NAME, img:NAME@WIDTH"),
 (r"\(check\) .* title or owner", "title: at most 48 characters; owner: a desk of registry/people.json"),
 (r"late field", "a page that differs from the last edition says in its front matter in which one it comes out: %s: N/YYYY" % LATE),
 (r"index is behind", "index takes in pages it does not know; index --full takes in all of them anew"),
 (r"\(publish\) no window|\(window\) (by|open)", "window open --by SURNAME --until DAY; readers are in registry/people.json"),
 (r"\(window\) until", "DAY: " + DAY),
 (r"the window is open", "window close"),
 (r"\(image\)", "source: images/NAME.svg; derived: image derive NAME --widths W,W; our widths are %d and %d" % WIDTHS),
 (r"\(redirect\)", "redirect add FROM TO --kind KIND; FROM: site address /section/name/; TO: page id; KIND: " + ", ".join(KINDS)),
 (r"as published", "pages changed after publish: publish again"),
 (r"\(commit\) no review|\(review\)", "last line of the message: Review: TOKEN; TOKEN: review --reader SURNAME, of what is staged; not the one who has the window"),
]


class No(Exception):
    pass


def no(area, text):
    raise No("quill: (%s) %s" % (area, text))


def sha(text):
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def read(name):
    return (ROOT / name).read_text()


def load(name):
    return json.loads(read(name))


def save(name, value):
    (ROOT / name).parent.mkdir(parents=True, exist_ok=True)
    (ROOT / name).write_text(json.dumps(value, indent=1, sort_keys=True, ensure_ascii=False) + "\n")


def git(*args):
    return subprocess.run(["git", "-C", str(ROOT), *args], capture_output=True, text=True).stdout


def option(args, name):
    return args[args.index(name) + 1] if name in args and args.index(name) + 1 < len(args) else None


# ---- pages

def pages():
    out = {}
    for p in sorted((ROOT / "pages").glob("*/*.md")):
        name, text = str(p.relative_to(ROOT)), p.read_text()
        m = re.match(r"---\n(.*?)\n---\n(.*)", text, re.S)
        if not m:
            no("check", name + ": no front matter")
        fields = dict(l.split(": ", 1) for l in m[1].split("\n") if ": " in l)
        out[name] = {"fields": fields, "id": fields.get("id", ""), "title": fields.get("title", ""), "body": m[2], "sha": sha(text)}
    return out


def address(name):
    return "/" + name[len("pages/"):-len(".md")] + "/"


def rows(name):
    return [l.split("\t") for l in read(name).splitlines() if l and not l.startswith("#")]


def check(args=(), quiet=False):
    all_pages, issued, people = pages(), load("registry/ids.json"), load("registry/people.json")
    ids, links = {}, {r[0] for r in rows("registry/links.tsv")}
    german, terms = load("i18n/de.json"), rows("registry/glossary.tsv")
    if terms != sorted(terms, key=lambda r: r[0].lower()) or any(len(r) != 2 for r in terms):
        no("check", "registry/glossary.tsv: order or form")
    for name, p in all_pages.items():
        section, n = (re.findall(r"^([A-Z]+)-(\d+)-", p["id"]) or [("", "0")])[0]
        if p["id"] not in issued or not p["id"].endswith("-" + letter(section, int(n))) or issued[p["id"]] == "new" and section != SECTIONS.get(name.split("/")[1]):
            no("check", "%s: id '%s' was not issued here" % (name, p["id"]))
        if p["id"] in ids:
            no("check", "%s: id of %s" % (name, ids[p["id"]]))
        if not 0 < len(p["title"]) <= 48 or p["fields"].get("owner") not in people["desks"]:
            no("check", name + ": title or owner")
        if p["id"] not in german:
            no("check", "i18n/de.json: nothing for " + p["id"])
        ids[p["id"]] = name
    known = {r[0] for r in terms}
    for name, p in all_pages.items():
        if re.search(r"https?://", p["body"]):
            no("check", name + ": bare address, see registry/links.tsv")
        for term in re.findall(r"\[\[(.*?)\]\]", p["body"]):
            if term not in known:
                no("check", "%s: term '%s' is not in the glossary" % (name, term))
        for target in re.findall(r"\]\((.*?)\)", p["body"]):
            kind, _, value = target.partition(":")
            if kind == "img":
                source, _, width = value.partition("@")
                made, wanted = ROOT / ("images/derived/%s.svg" % value), ROOT / ("images/%s.svg" % source)
                if not wanted.exists() or not made.exists() or made.read_text() != derived(source, width):
                    no("image", "%s: %s has no derivative of its source" % (name, value))
            elif not (kind == "page" and value in ids or kind == "link" and value in links):
                no("check", "%s: target %s" % (name, target))
    stray = [i for i in german if i not in ids]
    if stray:
        no("check", "i18n/de.json: no page " + stray[0])
    table, total = redirects()
    if total != redirect_sum(table):
        no("redirect", "registry/redirects.tsv: sum")
    for old, new, _ in table:
        if new not in ids:
            no("redirect", "%s leads to %s, which is gone" % (old, new))
    if not quiet:
        print("%d pages, in order" % len(all_pages))
    return all_pages


def page(args):
    p = pages().get(args[0] if args else "") or no("page", "no such page")
    print(json.dumps({**p["fields"], "address": address(args[0]), "targets": re.findall(r"\]\((.*?)\)", p["body"])}, indent=1))


def id(args):
    if len(args) != 2 or args[0] != "new" or args[1] not in SECTIONS.values():
        no("id", "id new " + "|".join(SECTIONS.values()))
    issued = load("registry/ids.json")
    n = max(int(i.split("-")[1]) for i in issued if i.startswith(args[1])) + 7
    new = "%s-%04d-%s" % (args[1], n, letter(args[1], n))
    issued[new] = "new"
    save("registry/ids.json", issued)
    print(new)


def letter(section, n):
    return "ABCDEFGHKLMNPRSTUVWX"[int(sha("%s%d" % (section, n)), 16) % 20]


# ---- images, redirects, index

def derived(name, width):
    text = read("images/%s.svg" % name)
    return "<!-- %s of %s -->\n" % (width, sha(text)) + re.sub(r'<svg width="\d+"', '<svg width="%s"' % width, text, count=1)


def image(args):
    if len(args) < 2 or args[0] != "derive" or not (ROOT / ("images/%s.svg" % args[1])).exists():
        no("image", "derive what?")
    widths = option(args, "--widths") or ""
    if widths != ",".join(map(str, WIDTHS)):
        no("image", "widths '%s'" % widths)
    for w in WIDTHS:
        out = ROOT / ("images/derived/%s@%d.svg" % (args[1], w))
        out.parent.mkdir(exist_ok=True)
        out.write_text(derived(args[1], str(w)))
        print(out.relative_to(ROOT))


def redirects():
    lines = read("registry/redirects.tsv").splitlines()
    total = lines[-1][len("# sum "):] if lines and lines[-1].startswith("# sum ") else ""
    return rows("registry/redirects.tsv"), total


def redirect_sum(table):
    return sha("redirects" + repr(table))[:6]


def redirect(args):
    table, _ = redirects()
    if len(args) < 3 or args[0] != "add":
        no("redirect", "add what?")
    old, new, kind = args[1], args[2], option(args, "--kind")
    if not re.fullmatch(r"/[a-z]+/[a-z-]+/", old):
        no("redirect", "from '%s'" % old)
    ids = {p["id"] for p in pages().values()}
    if new not in ids:
        no("redirect", "to '%s'" % new)
    if kind not in KINDS:
        no("redirect", "kind '%s'" % (kind or ""))
    table = [[o, new if o == old else n, k] for o, n, k in table if o != old] + [[old, new, kind]]
    gone = {i for i in load("registry/ids.json") if i not in ids}
    table = [[o, new if n in gone else n, k] for o, n, k in table]
    (ROOT / "registry/redirects.tsv").write_text("".join("\t".join(r) + "\n" for r in table) + "# sum %s\n" % redirect_sum(table))
    print(old, "->", new)


def index_of(all_pages):
    return {p["id"]: {"title": p["title"], "at": address(n), "sha": p["sha"]} for n, p in all_pages.items()}


def index(args):
    new = index_of(pages())
    if args not in ([], ["--full"]):
        no("index", "%s?" % " ".join(args))
    have = {} if args else load("index/search.json")
    for i, row in new.items():
        have.setdefault(i, row)
    save("index/search.json", have)
    print("index: %d entries" % len(have))


# ---- publishing

def editions():
    return sorted(str(p.relative_to(ROOT)) for p in (ROOT / "published").glob("*.json"))


def last_edition():
    """The newest committed edition."""
    return sorted(n for n in git("ls-tree", "--name-only", "HEAD", "published/").split("\n") if n)[-1]


def day_ok(text):
    if NEWFORM:
        m = re.fullmatch(r"(\d\d)([A-L])(\d\d)", text)
        return bool(m) and 1 <= int(m[3]) <= 31
    m = re.fullmatch(r"([1-9]|[12]\d|3[01])\.([IVX]+)\.(\d\d)", text)
    return bool(m) and m[2] in ROMAN


def window(args):
    state = ROOT / ".quill/window"
    if args[:1] == ["open"]:
        by, until = option(args, "--by"), option(args, "--until") or ""
        if by not in load("registry/people.json")["readers"]:
            no("window", "by '%s'" % (by or ""))
        if not day_ok(until):
            no("window", "until '%s'" % until)
        state.parent.mkdir(exist_ok=True)
        state.write_text(json.dumps({"by": by, "until": until}))
        print("open until", until)
    elif args == ["close"]:
        state.unlink(missing_ok=True)
        print("closed")
    else:
        no("window", "open or close?")


def publish(args):
    state = ROOT / ".quill/window"
    if not state.exists():
        no("publish", "no window")
    all_pages = check(quiet=True)
    before = last_edition()
    old = json.loads(git("show", "HEAD:" + before))
    n, year = map(int, old["edition"].split("/"))
    edition = "%d/%d" % (n + 1, year)
    if load("index/search.json") != index_of(all_pages):
        behind = sum(load("index/search.json").get(i) != r for i, r in index_of(all_pages).items())
        no("publish", "index is behind (%d)" % behind)
    for name, p in all_pages.items():
        if old["pages"].get(name) != p["sha"] and p["fields"].get(LATE) != edition:
            no("publish", "%s: late field" % name)
    table = {r[0] for r in redirects()[0]}
    for name in old["pages"]:
        if name not in all_pages and address(name) not in table:
            no("redirect", "%s leads nowhere" % address(name))
    out = "published/%d-%02d.json" % (year, n + 1)
    save(out, {"edition": edition, **json.loads(state.read_text()), "pages": {k: p["sha"] for k, p in all_pages.items()}})
    print(out)


def token(reader):
    return "rv-%s-%s" % (reader[:2].lower(), sha(reader + git("write-tree").strip())[:6])


def review(args):
    reader, people = option(args, "--reader"), load("registry/people.json")["readers"]
    if reader not in people:
        no("review", "who reads?")
    if reader == load(editions()[-1])["by"]:
        no("review", "%s has the window" % reader)
    print(token(reader))


def hook(args):
    if git("diff", "--name-only").strip():
        no("commit", "something is not staged")
    if (ROOT / ".quill/window").exists():
        no("commit", "the window is open")
    if load(editions()[-1])["pages"] != {n: p["sha"] for n, p in check(quiet=True).items()}:
        no("commit", "pages are not as published")
    lines = [l for l in Path(args[0]).read_text().split("\n") if l.strip() and not l.startswith("#")]
    by = load(editions()[-1])["by"]
    good = {"Review: " + token(r) for r in load("registry/people.json")["readers"] if r != by}
    if not lines or lines[-1].strip() not in good:
        no("commit", "no review of this tree")


def explain(_):
    last = ROOT / ".quill/last"
    text = last.read_text() if last.exists() else ""
    print(next((more for pattern, more in MORE if re.search(pattern, text)), "nothing more is known"))


def main(argv):
    global ROOT
    if not os.environ.get("QUILL_ROOT"):
        ROOT = Path(subprocess.run(["git", "rev-parse", "--show-toplevel"], capture_output=True, text=True).stdout.strip() or ".")
    if not argv or argv[0] in ("help", "-h", "--help"):
        print(HELP)
        return 0
    verbs = {f.__name__: f for f in (check, page, id, image, redirect, index, window, publish, review, explain, hook)}
    try:
        if argv[0] not in verbs:
            no(argv[0], "no such command")
        if argv[-1] in ("--help", "-h"):
            print(next((l.strip() for l in HELP.split("\n") if l.split()[:1] == argv[:1]), argv[0]))
            return 0
        verbs[argv[0]](argv[1:])
    except No as e:
        (ROOT / ".quill").mkdir(exist_ok=True)
        (ROOT / ".quill/last").write_text(str(e))
        print(e, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
