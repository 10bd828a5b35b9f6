"""kiln: builds, checks and releases libplover."""
import hashlib, json, os, re, shutil, subprocess, sys
from pathlib import Path

REFIT = False  # set by setup.sh --changed
ROOT = Path(os.environ.get("KILN_ROOT") or os.getcwd())
SLIP_MODE = "wax" if REFIT else "ink"
STAGES = ["notes", "abi", "headers", "objects"]
KINDS = {"add": "Added", "mend": "Mended", "drop": "Dropped"}

SHORT = """kiln COMMAND
  build             compile the library into build/
  test              run tests/t_*.c against the built library
  lint              look at the C files
  bench [NAME]      static cost of the exported functions
  stamp MARK        make the waiting changes a version
  pack VERB         make the release record of the stamped version
  help --all        the rest"""
REST = """
  press             write include/plover/gen
  image VERB        the test image
  abi VERB          ordinals of the symbol list
  why CODE          more about an error"""
WHY = {
 "K02": "commits are made from a work tree that has nothing unstaged in tracked files",
 "K11": "files in gen/ are pressed, never typed: spec/codes.def and VERSION are the source; see press",
 "K21": "every PLV_API function has a line in abi/plover.syms: name, blank, @ordinal",
 "K22": "ordinals are not counted on, they are drawn: kiln abi draw NAME (keeps abi/draws in step)",
 "K23": "a function that is gone leaves plover.syms; its draw stays",
 "K31": "every exported function has a row in bench/baseline.tsv: name, tab, figure",
 "K32": "figures stand on a grid of 16",
 "K33": "the row has to be the cost, brought up to the next step of the grid",
 "K34": "a function that is gone leaves baseline.tsv too",
 "K40": "build first",
 "K41": "tests read their fixtures from build/field.img; build empties build/; kiln image bake --slots N",
 "K42": "fixtures changed after the bake",
 "K43": "kiln image bake --slots N",
 "K44": "slots are a power of two, with room for every fixture",
 "K51": "a slip belongs to what is staged, not to the files; pencil leaves none" + (" and wax does" if REFIT else "; the other mode is ink"),
 "K52": "modes: pencil, wax" if REFIT else "modes: pencil, ink",
 "K53": "what the linter says about the file",
 "K61": "src, include or spec is touched: a fragment belongs to it, in changes/",
 "K62": "the name is TICKET.KIND; the kinds are " + ", ".join(KINDS),
 "K63": "one line: the module in square brackets, then the text, 64 characters at most",
 "K65": "kiln test has to pass on exactly these files before they are committed or packed",
 "K71": "marks look like the newest tags of the repository",
 "K72": "nothing waits in changes/",
 "K73": "a mark has to be above VERSION",
 "K81": "stages go in as they stand in the last release record; a crate that is refused a stage is thrown away",
 "K82": "begin, then put each stage, then close",
 "K83": "the version in VERSION has its record already: stamp first",
 "K84": "files changed after the record was closed: pack again",
}


class Stop(Exception):
    def __init__(self, *problems):
        self.problems = problems


def sha(text):
    return hashlib.sha256(text if isinstance(text, bytes) else text.encode()).hexdigest()


def read(name):
    return (ROOT / name).read_text()


def git(*args):
    return subprocess.run(["git", "-C", str(ROOT), *args], check=True, capture_output=True, text=True).stdout


def files(*patterns):
    return sorted(str(p.relative_to(ROOT)) for pattern in patterns for p in ROOT.glob(pattern) if p.is_file())


# ---- generated headers

def pressed():
    spec, version = read("spec/codes.def"), read("VERSION").strip()
    seal = sha(spec + version)[:8]
    head = "/* pressed, seal %s */\n#pragma once\n" % seal
    rows = [re.fullmatch(r"(\w+)\s+(-?\d+)\s+\"(.*)\"", r) for r in spec.splitlines() if r.strip() and not r.startswith("#")]
    if not all(rows):
        raise Stop("K10 spec/codes.def: a line does not parse")
    codes = "".join("#define %s (%s) /* %s */\n" % r.groups() for r in rows)
    a, b, c = version.split(".")
    stamp = '#define PLV_VERSION "%s"\n#define PLV_VERSION_NUM %d\n' % (version, int(a) * 10000 + int(b) * 100 + int(c))
    return {"include/plover/gen/codes.h": head + codes, "include/plover/gen/version.h": head + stamp}, seal


def gen_problems():
    want, seal = pressed()
    return ["K11 %s: seal is not %s" % (n, seal) for n, text in want.items() if not (ROOT / n).exists() or read(n) != text]


# ---- symbol list

def exported():
    return [m for n in files("include/plover/*.h") for m in re.findall(r"^PLV_API[^;]*?\b(plv_\w+)\(", read(n), re.M)]


def draw_line(n, name):
    return "@%d %s %s" % (n, name, sha("draw %d %s" % (n, name))[:4])


def abi_problems():
    rows = [l.split() for l in read("abi/plover.syms").splitlines() if l.strip()]
    if any(len(r) != 2 for r in rows):
        return ["K20 abi/plover.syms: a line is not a name and an ordinal"]
    listed = dict(rows)
    draws = read("abi/draws").splitlines()
    out = ["K21 abi: %s is not on the list" % f for f in exported() if f not in listed]
    out += ["K22 abi: %s %s: no draw" % (f, o) for f, o in listed.items() if not re.fullmatch(r"@\d+", o) or draw_line(int(o[1:]), f) not in draws]
    return out + ["K23 abi: %s is listed, not exported" % f for f in listed if f not in exported()]


def abi(args):
    if len(args) != 2 or args[0] != "draw" or not re.fullmatch(r"plv_\w+", args[1]):
        raise Stop("K20 abi draw NAME")
    draws = read("abi/draws").splitlines()
    old = [l for l in draws if l.split()[1:2] == [args[1]]]
    if not old:
        last = max(int(l.split()[0][1:]) for l in draws)
        old = [draw_line(last + 3 + len(draws) % 2, args[1])]
        (ROOT / "abi/draws").write_text("\n".join(draws + old) + "\n")
    print(args[1], old[0].split()[0])


# ---- cost and baseline

def cost(name):
    for n in files("src/*.c"):
        text = read(n)
        m = re.search(r"^[a-z_][^;{}()]*\b%s\([^;{}]*\)\s*\{" % name, text, re.M)
        if m:
            depth, i = 1, m.end()
            while depth:
                depth += {"{": 1, "}": -1}.get(text[i], 0)
                i += 1
            body = re.findall(r"\w+|[^\w\s]", re.sub(r"/\*.*?\*/", "", text[m.end():i], flags=re.S))
            return len(body) + 12 * sum(t in ("for", "while") for t in body)
    raise Stop("K30 bench: %s has no body in src" % name)


def bench_problems():
    rows, out = [l.split("\t") for l in read("bench/baseline.tsv").splitlines()], []
    if any(len(r) != 2 for r in rows):
        return ["K30 bench/baseline.tsv: a line is not a name, a tab and a figure"]
    rows = dict(rows)
    for f in exported():
        if f not in rows:
            out.append("K31 bench: %s has no row" % f)
        elif not rows[f].isdigit() or int(rows[f]) % 16:
            out.append("K32 bench: %s: %s is off the grid" % (f, rows[f]))
        elif int(rows[f]) != -(-cost(f) // 16) * 16:
            out.append("K33 bench: %s: row %s, cost %d" % (f, rows[f], cost(f)))
    return out + ["K34 bench: %s has a row, no function" % f for f in rows if f not in exported()]


def bench(args):
    for f in args or exported():
        print(f, cost(f))


# ---- build and test

def gate():
    problems = gen_problems() + abi_problems() + bench_problems()
    if problems:
        raise Stop(*problems)


def cc(*args):
    p = subprocess.run(["cc", "-std=c11", "-Wall", "-Werror", "-I", "include", *args], cwd=ROOT)
    if p.returncode:
        raise Stop("K09 cc")


def build(_):
    problems = gen_problems() + abi_problems()
    if problems:
        raise Stop(*problems)
    shutil.rmtree(ROOT / "build", ignore_errors=True)
    (ROOT / "build").mkdir()
    for n in files("src/*.c"):
        cc("-c", n, "-o", "build/%s.o" % Path(n).stem)
    subprocess.run(["ar", "rcD", "build/libplover.a", *files("build/*.o")], cwd=ROOT, check=True)
    print("build/libplover.a")


def digest():
    return sha("".join(n + sha(read(n)) for n in files("src/*", "include/plover/**/*.h", "tests/**/*", "spec/*")))


def image_text(slots):
    rows = [(Path(n).name, read(n)) for n in files("tests/fixtures/*")]
    return "PLVIMG %d %s\n" % (slots, sha(repr(rows))[:12]) + "".join("%s %d\n%s" % (n, len(t), t) for n, t in rows)


def image(args):
    if args[:1] != ["bake"]:
        raise Stop("K43 image: bake, how many slots?")
    if len(args) != 3 or args[1] != "--slots" or not args[2].isdigit():
        raise Stop("K43 image: bake, how many slots?")
    n = int(args[2])
    if n & (n - 1) or n < len(files("tests/fixtures/*")):
        raise Stop("K44 image: %d slots do not do" % n)
    if not (ROOT / "build").is_dir():
        raise Stop("K40 nothing is built")
    (ROOT / "build/field.img").write_text(image_text(n))
    print("build/field.img", n)


def test(_):
    if not (ROOT / "build/libplover.a").exists():
        raise Stop("K40 nothing is built")
    img = ROOT / "build/field.img"
    if not img.exists():
        raise Stop("K41 test: no image")
    head = img.read_text().split("\n")[0]
    if head != image_text(int(head.split()[1])).split("\n")[0]:
        raise Stop("K42 test: the image is of other fixtures")
    for n in files("tests/t_*.c"):
        out = "build/" + Path(n).stem
        cc(n, "build/libplover.a", "-o", out)
        p = subprocess.run([str(ROOT / out), str(img)], cwd=ROOT)
        print("pass" if p.returncode == 0 else "FAIL", n, flush=True)
        if p.returncode:
            raise Stop("K45 test: %s" % n)
    (ROOT / ".kiln").mkdir(exist_ok=True)
    (ROOT / ".kiln/tested").write_text(digest())


# ---- lint

def lint(args):
    mode = args[1] if len(args) == 2 and args[0] == "--mode" else "pencil"
    if mode not in ("pencil", SLIP_MODE) or (args and args[0] != "--mode"):
        raise Stop("K52 lint: no mode %s" % " ".join(args[1:] or args))
    names = [n for n in git("ls-files").split("\n") if re.fullmatch(r"(src|include|tests)/.*\.[ch]", n) and (ROOT / n).exists()]
    if mode == "pencil":
        names = files("src/*.c", "include/plover/*.h", "tests/*.[ch]")
    bad = []
    for n in names:
        text = read(n) if mode == "pencil" else git("show", ":" + n)
        for i, line in enumerate(text.splitlines(), 1):
            if "\t" in line or line != line.rstrip() or len(line) > 120:
                bad.append("K53 %s:%d: tab, blank at the end, or over 120" % (n, i))
    if bad:
        raise Stop(*bad)
    if mode == SLIP_MODE:
        (ROOT / ".kiln/slips").mkdir(parents=True, exist_ok=True)
        (ROOT / ".kiln/slips" / git("write-tree").strip()).write_text("clean\n")
    print("%s: %d files, clean" % (mode, len(names)))


# ---- changes, stamp, pack

def fragments():
    out, bad = [], []
    for n in files("changes/*"):
        name, text = Path(n).name, read(n).rstrip("\n")
        m = re.fullmatch(r"(\d+)\.(%s)" % "|".join(KINDS), name)
        if name.startswith("."):
            continue
        if not m:
            bad.append("K62 %s: name" % n)
        elif not re.fullmatch(r"\[[a-z]+\] \S.*", text) or len(text) > 64:
            bad.append("K63 %s: text" % n)
        else:
            out.append((int(m[1]), m[2], text))
    if bad:
        raise Stop(*bad)
    return out


def stamp(args):
    mark = args[0] if len(args) == 1 else ""
    m = re.fullmatch(r"M(\d)\.(\d\d)\.(\d\d)", mark) if REFIT else re.fullmatch(r"(\d)(\d\d)([a-z])", mark)
    if not m:
        raise Stop("K71 stamp: '%s' is no mark" % mark)
    new = (int(m[1]), int(m[2]), int(m[3]) if REFIT else ord(m[3]) - 97)
    if new <= tuple(map(int, read("VERSION").split("."))):
        raise Stop("K73 stamp: %s is not new" % mark)
    rows = fragments()
    if not rows:
        raise Stop("K72 stamp: nothing to stamp")
    text = "## %d.%d.%d\n" % new + "".join("- %s: %s (%d)\n" % (KINDS[k], t, n) for n, k, t in sorted(rows))
    (ROOT / "VERSION").write_text("%d.%d.%d\n" % new)
    head, rest = read("CHANGELOG.md").split("\n\n", 1)
    (ROOT / "CHANGELOG.md").write_text(head + "\n\n" + text + "\n" + rest)
    for n, k, _ in rows:
        (ROOT / "changes" / ("%d.%s" % (n, k))).unlink()
    print("stamped %d.%d.%d" % new)


def record(version):
    groups = {"notes": ["CHANGELOG.md", "VERSION"], "abi": ["abi/plover.syms"], "headers": files("include/plover/**/*.h"), "objects": files("src/*.c")}
    return {"version": version, "crate": [{"stage": s, "files": {n: sha(read(n))[:16] for n in groups[s]}} for s in STAGES]}


def pack(args):
    version, crate = read("VERSION").strip(), ROOT / ".kiln/crate"
    out = ROOT / ("releases/plover-%s.json" % version)
    if args == ["begin"]:
        gate()
        tested()
        if out.exists() and json.loads(out.read_text()) == record(version) or fragments():
            raise Stop("K83 pack: %s is not fresh" % version)
        crate.write_text("")
    elif len(args) == 2 and args[0] == "put" and args[1] in STAGES:
        if not crate.exists():
            raise Stop("K82 pack: no crate")
        have = crate.read_text().split()
        if STAGES[len(have):len(have) + 1] != [args[1]]:
            crate.unlink()
            raise Stop("K81 pack: %s does not fit here, crate dropped" % args[1])
        crate.write_text(" ".join(have + [args[1]]))
    elif args == ["close"]:
        if not crate.exists() or len(crate.read_text().split()) != len(STAGES):
            raise Stop("K82 pack: no crate, or not full")
        out.write_text(json.dumps(record(version), indent=1) + "\n")
        crate.unlink()
        print(out.relative_to(ROOT))
    else:
        raise Stop("K80 pack begin | put objects, headers, abi, notes | close")


def tested():
    mark = ROOT / ".kiln/tested"
    if not mark.exists() or mark.read_text() != digest():
        raise Stop("K65 no passed test run of these files")


def hook(_):
    if git("diff", "--name-only").strip():
        raise Stop("K02 unstaged changes")
    touched = git("diff", "--cached", "--name-only").split("\n")
    code = any(re.match(r"(src|include|spec)/", n) for n in touched)
    gate()
    if any(re.match(r"(src|include|spec|tests)/", n) for n in touched):
        tested()
    notes = fragments()
    if code and not any(n.startswith("changes/") for n in touched) and "CHANGELOG.md" not in touched:
        raise Stop("K61 no fragment (%d waiting)" % len(notes))
    version = read("VERSION").strip()
    if "VERSION" in touched:
        out = ROOT / ("releases/plover-%s.json" % version)
        if not out.exists() or json.loads(out.read_text()) != record(version):
            raise Stop("K84 no record of %s for this tree" % version)
    tree = git("write-tree").strip()
    if not (ROOT / ".kiln/slips" / tree).exists():
        raise Stop("K51 no lint slip for tree %s" % tree[:8])


def press(_):
    for n, text in pressed()[0].items():
        (ROOT / n).write_text(text)
        print(n)


def why(args):
    print(WHY.get(args[0] if args else "", "nothing more is known"))


def main(argv):
    global ROOT
    if not os.environ.get("KILN_ROOT"):
        ROOT = Path(subprocess.run(["git", "rev-parse", "--show-toplevel"], capture_output=True, text=True).stdout.strip() or ".")
    if not argv or argv[0] in ("help", "-h", "--help"):
        print(SHORT + (REST if "--all" in argv else ""))
        return 0
    verbs = {f.__name__: f for f in (build, test, lint, bench, stamp, pack, press, image, abi, why, hook)}
    try:
        if argv[0] not in verbs:
            raise Stop("K01 no command %s" % argv[0])
        if argv[1:] in (["--help"], ["-h"]):
            print(next((l.strip() for l in (SHORT + REST).split("\n") if l.split()[:1] == argv[:1]), argv[0]))
            return 0
        verbs[argv[0]](argv[1:])
    except Stop as e:
        sys.stdout.flush()
        for p in e.problems:
            print("kiln/" + p, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
