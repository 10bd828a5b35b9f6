import hashlib, json, os, re, sys, tomllib
from pathlib import Path

HELP = """stencil - bindings from contracts

usage: stencil COMMAND

  list [--stale]          contracts
  show NAME               fields of a contract
  render NAME... | --stale
  hold | release          see stencil help COMMAND
"""
SUB = {
    "hold": "stencil hold NAME --ticket HB-nnnn\n  Take a contract before it is worked on; render is for the holder.",
    "release": "stencil release NAME\n  Give a contract back when its bindings are rendered.",
    "render": "stencil render NAME...\nstencil render --stale\n  Write libs/py/wire, libs/ts/wire, libs/go/wire.",
    "list": "stencil list [--stale]", "show": "stencil show NAME",
}
PY = {"text": "str", "id": "str", "date": "str", "time": "str", "dec": "str", "enum": "str", "int": "int", "bool": "bool"}
TS = {"int": "number", "bool": "boolean"}
GO = {"int": "int64", "bool": "bool"}


class Refusal(Exception):
    pass


def root():
    p = Path(os.getcwd()).resolve()
    for d in (p, *p.parents):
        if (d / "harbor.toml").exists():
            return d
    raise Refusal("S1 not inside a harbor tree")


def camel(s):
    return "".join(w.capitalize() for w in s.split("_"))


def load(r, name):
    p = r / "contracts" / f"{name}.toml"
    if not p.exists():
        raise Refusal(f"S404 no such contract: {name}")
    try:
        c = tomllib.loads(p.read_text())
    except tomllib.TOMLDecodeError as e:
        raise Refusal(f"S20 {name}: {e}")
    if c.get("name") != name:
        raise Refusal(f"S21 {name}: name does not match the file")
    seen = {}
    for f in c.get("field", []):
        if not re.fullmatch(r"[a-z][a-z0-9_]*", f.get("name", "")) or f.get("type") not in PY or not isinstance(f.get("tag"), int):
            raise Refusal(f"S23 {name}: field {f.get('name')!r} needs name, type ({', '.join(PY)}) and tag")
        if f["type"] == "enum" and not f.get("values"):
            raise Refusal(f"S24 {name}: {f['name']} is an enum without values")
        if f["tag"] in seen:
            raise Refusal(f"S22 {name}: tag {f['tag']} is taken by {seen[f['tag']]}")
        seen[f["tag"]] = f["name"]
    return c


def render(c):
    fs = sorted((f for f in c["field"] if not f.get("retired")), key=lambda f: f["tag"])
    dead = sorted(f["tag"] for f in c["field"] if f.get("retired"))
    name, cls = c["name"], camel(c["name"])
    d = hashlib.sha1(json.dumps(c, sort_keys=True, default=str).encode()).hexdigest()[:10]
    head = f"rendered by stencil from contracts/{name}.toml ({d}), do not edit"
    enums = {f["name"]: list(f["values"]) for f in fs if f["type"] == "enum"}
    py = [f"# {head}", "from dataclasses import dataclass", "", f"TAGS = {json.dumps({f['name']: f['tag'] for f in fs})}",
          f"RETIRED = {dead}", f"ENUMS = {json.dumps(enums)}", "", "", "@dataclass(kw_only=True)", f"class {cls}:"]
    py += [f"    {f['name']}: {PY[f['type']]}" + (" | None = None" if f.get("optional") else "") for f in fs]
    py += ["", "    def __post_init__(self):", "        for name, values in ENUMS.items():", "            v = getattr(self, name)",
           "            if v is not None and v not in values:", "                raise ValueError(f\"{name}: {v!r} is not in the contract\")",
           "", "    def encode(self):", "        return {t: getattr(self, n) for n, t in TAGS.items() if getattr(self, n) is not None}",
           "", "    @classmethod", "    def decode(cls, raw):", "        return cls(**{n: raw[t] for n, t in TAGS.items() if t in raw})"]
    ts = [f"// {head}", f"export interface {cls} {{"]
    ts += [f"  {f['name']}{'?' if f.get('optional') else ''}: " + (" | ".join(f'"{v}"' for v in f["values"]) if f["type"] == "enum" else TS.get(f["type"], "string")) + ";" for f in fs]
    ts += ["}", f"export const tags = {json.dumps({f['name']: f['tag'] for f in fs})} as const;"]
    go = [f"// {head}", "package wire", "", f"type {cls} struct {{"]
    go += [f"\t{camel(f['name'])} {'*' if f.get('optional') else ''}{GO.get(f['type'], 'string')} `wire:\"{f['tag']}\"`" for f in fs] + ["}"]
    return {f"libs/py/wire/{name}.py": "\n".join(py) + "\n", f"libs/ts/wire/{name}.ts": "\n".join(ts) + "\n", f"libs/go/wire/{name}.go": "\n".join(go) + "\n"}


def stale(r, name):
    return any(not (r / p).exists() or (r / p).read_text() != t for p, t in render(load(r, name)).items())


def names(r):
    return sorted(p.stem for p in (r / "contracts").glob("*.toml"))


def write(r, name):
    for p, t in render(load(r, name)).items():
        (r / p).parent.mkdir(parents=True, exist_ok=True)
        (r / p).write_text(t)


def main(a):
    cmd, a = (a[0] if a else "help"), a[1:]
    if cmd in ("help", "-h", "--help"):
        print(SUB.get(a[0], "no such command") if a else HELP, end="\n" if a else "")
        return 0
    if cmd not in SUB:
        raise Refusal(f"S3 no such command: {cmd}")
    if any(x in ("-h", "--help") for x in a) or (cmd not in ("list",) and not a):
        print(SUB[cmd])
        return 0 if a else 2
    r = root()
    sp = r / ".pier" / "state.json"
    st = json.loads(sp.read_text()) if sp.exists() else {}
    holds = st.setdefault("holds", {})
    if cmd == "list":
        for n in names(r):
            try:
                s = stale(r, n)
            except Refusal:
                s = True
            if "--stale" in a:
                print(n, end="\n") if s else None
            else:
                print(f"{n:18} {'stale' if s else 'fresh'}")
    elif cmd == "show":
        for f in load(r, a[0])["field"]:
            print(f"{f['tag']:3} {f['name']:16} {f['type']}{' optional' if f.get('optional') else ''}{' retired' if f.get('retired') else ''}")
    elif cmd == "render" and "--stale" in a:
        n = {"fresh": 0, "rendered": 0, "left": 0}
        for c in names(r):
            if not stale(r, c):
                n["fresh"] += 1
            elif c not in holds:
                n["left"] += 1
                print(f"stencil: S409 {c}: not held")
            else:
                write(r, c)
                n["rendered"] += 1
        print("stencil: " + ", ".join(f"{v} {k}" for k, v in n.items()))
    elif cmd == "render":
        for c in a:
            load(r, c)
            if c not in holds:
                raise Refusal(f"S409 {c}: not held")
            write(r, c)
            print(f"{c}: py, ts, go written")
    else:
        if cmd == "hold":
            m = re.fullmatch(r"(\S+) --ticket[ =](HB-\d{4})", " ".join(a)) or re.fullmatch(r"()--ticket[ =](HB-\d{4}) \S+", " ".join(a))
            if not m:
                print(SUB["hold"], file=sys.stderr)
                return 2
            c = m[1] or a[-1]
            load(r, c) if (r / "contracts" / f"{c}.toml").exists() else None
            holds[c] = m[2]
        else:
            for c in a:
                if c not in holds:
                    raise Refusal(f"S411 {c}: you do not have it")
                if (r / "contracts" / f"{c}.toml").exists() and stale(r, c):
                    raise Refusal(f"S410 {c}: bindings do not match the contract")
                del holds[c]
        sp.parent.mkdir(exist_ok=True)
        sp.write_text(json.dumps(st, indent=1))
        print(f"{cmd}: {c if cmd == 'hold' else ', '.join(a)}")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except Refusal as e:
        print(f"stencil: {e}", file=sys.stderr)
        sys.exit(1)
