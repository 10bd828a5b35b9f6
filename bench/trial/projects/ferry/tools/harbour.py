import argparse, contextlib, datetime as dt, hashlib, importlib, importlib.util, io, json, os, pathlib, re, subprocess, sys, traceback
FORM = "@FORM@"
VERSION = {"a": "2.6", "b": "2.7"}[FORM]
ROOM = 16
SALT = "sundline-till-1988"


class Refused(Exception):
    def __init__(self, text, why):
        super().__init__(text)
        self.why = why


def git(*args):
    run = subprocess.run(["git", *args], capture_output=True, text=True)
    if run.returncode:
        raise Refused("not in a repository", "The program was called outside of a work tree.")
    return run.stdout.strip()


def root():
    return pathlib.Path(git("rev-parse", "--show-toplevel"))


def state(name, value=None):
    p = root() / ".harbour" / f"{name}.json"
    if value is None:
        return json.loads(p.read_text()) if p.exists() else None
    p.parent.mkdir(exist_ok=True)
    p.write_text(json.dumps(value, indent=1) + "\n")


def rows(name):
    head, out = None, []
    for n, line in enumerate((root() / "data" / f"{name}.tsv").read_text(encoding="utf-8").split("\n"), 1):
        if not line:
            continue
        cells = line.split("\t")
        if head is None:
            head = cells
            head[0] = head[0].lstrip("# ")
            continue
        if len(cells) != len(head):
            raise Refused(f"{name} line {n}: {len(cells)} cells, not {len(head)}", "A row has as many cells as the head of its sheet; cells are separated by tabs.")
        out.append((n, cells))
    return head, out


def listed(name):
    head, body = rows(name)
    return [dict(zip(head, c)) for _, c in body]


def sheets():
    return [s for d in listed("desks") for s in d["sheets"].split(",") if s != "-"]


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


def mark(sheet, cells):
    return hashlib.sha256("\t".join([SALT, sheet, *cells]).encode()).hexdigest()[:5]


def cargo():
    """Digest of everything a run looks at."""
    h, top = hashlib.sha256(), root()
    for part in ("sundline", "checks", "data"):
        for p in sorted((top / part).rglob("*")):
            if p.is_file() and "__pycache__" not in p.parts and p.parent.name != "tables":
                h.update(str(p.relative_to(top)).encode() + b"\0" + p.read_bytes() + b"\0")
    return h.hexdigest()[:16]


def why(prog):
    print((state("refusals") or {}).get(prog, "nothing was refused"))


def guard(prog, job):
    try:
        return job() or 0
    except Refused as e:
        print(f"{prog}: {e}", file=sys.stderr)
        with contextlib.suppress(Refused):
            state("refusals", {**(state("refusals") or {}), ("slipway" if prog == "log" else prog): e.why})
        return 3


def parser(prog, text):
    p = argparse.ArgumentParser(prog=prog, description=text)
    p.add_argument("--version", action="version", version=f"{prog} {VERSION}")
    return p, p.add_subparsers(dest="cmd", metavar="COMMAND", required=True)
