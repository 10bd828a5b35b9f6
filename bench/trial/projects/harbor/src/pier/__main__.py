import argparse, csv, hashlib, json, os, re, subprocess, sys, tomllib
from pathlib import Path

HELP = """pier - task runner of the harbor tree

usage: pier COMMAND [ARGS]

  services          list the services
  show SERVICE      card of a service
  test SERVICE...   run the tests of services
  lint              cards, configs, bindings
  frag ...          change fragments
  explain CODE      more about a refusal
  help all          all commands
"""
MORE = """
  berths            berths and the classes they take
  crews             the roster
  gate HOOK         commit gate, called by git
  seal SERVICE...   write the seal of a service
  timetable         sailings
  waybill ...       waybills
  weigh SERVICE...  draught of a service
"""
EXPLAIN = {
    "P310": "Tests run in a berth. `pier berths` shows them and how one is bound.",
    "P311": "A berth takes certain classes of service; the class stands on the service card.",
    "P76": "A seal is for a tree whose tests were green: `pier test`, after the last change.",
    "P77": "The draught is what weighing gives, and it is of one tree only.",
    "F10": "Fragments are written by `pier frag add`.",
    "F21": "Kinds of fragments: registry/kinds.toml.",
    "F30": "The roster is not in the OWNERS files (these are from before the reorganisation): `pier crews`.",
    "F31": "See the roster, `pier crews`.",
    "G3": "See `pier waybill --help`; the trailer line is printed when a waybill is issued.",
    "G4": "Waybills are issued, not made up.",
    "G5": "`pier frag add --help`",
    "G7": "Contracts are given back before the commit: `stencil --help`.",
    "G9": "Bindings and contract are committed together.",
    "G12": "A seal is of one tree. Any change below the service breaks it; it is written anew before the commit.",
    "S409": "One person at a time works on a contract. `stencil help hold`",
    "S410": "Render first.",
    "W11": "Tickets are HB- and four digits.",
    "W12": "Sailings go by their code: `pier timetable`.",
    "W13": "Take one that is still open.",
}
SAILINGS = [("25W47-1", "Mon 17 Nov 2025", "left"), ("25W47-4", "Thu 20 Nov 2025", "left"), ("25W48-1", "Mon 24 Nov 2025", "open"),
            ("25W48-4", "Thu 27 Nov 2025", "open"), ("25W49-1", "Mon 1 Dec 2025", "open"), ("25W49-4", "Thu 4 Dec 2025", "open"),
            ("25W50-1", "Mon 8 Dec 2025", "open")]


class Refusal(Exception):
    pass


def find_root(start=None):
    p = Path(start or os.getcwd()).resolve()
    for d in (p, *p.parents):
        if (d / "harbor.toml").exists():
            return d
    raise Refusal("P1 not inside a harbor tree")


def git(root, *a):
    return subprocess.run(["git", "-c", "core.quotepath=off", *a], cwd=root, capture_output=True, text=True, check=True).stdout


def fold(pairs):
    return hashlib.sha1("".join(f"{p} {s}\n" for p, s in sorted(pairs)).encode()).hexdigest()[:16]


def blob(data):
    return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()


def work_files(root, svc):
    out = git(root, "ls-files", "-co", "--exclude-standard", f"services/{svc}").splitlines()
    return [p for p in dict.fromkeys(out) if (root / p).is_file()]


def work_tree(root, svc):
    return fold((p, blob((root / p).read_bytes())) for p in work_files(root, svc))


def index_tree(root, svc):
    rows = [r.split("\t", 1) for r in git(root, "ls-files", "-s", f"services/{svc}").splitlines()]
    return fold((p, m.split()[1]) for m, p in rows)


def draught(root, svc):
    return sum(len((root / p).read_text(errors="replace").splitlines()) for p in work_files(root, svc))


def seal_text(svc, tree, n):
    return f'# written by pier, do not edit\nservice = "{svc}"\ntree = "{tree}"\ndraught = {n}\n'


class State:
    def __init__(self, root):
        self.path = root / ".pier" / "state.json"
        self.d = {"green": {}, "draught": {}, "waybills": [], "holds": {}}
        if self.path.exists():
            self.d.update(json.loads(self.path.read_text()))

    def save(self):
        self.path.parent.mkdir(exist_ok=True)
        self.path.write_text(json.dumps(self.d, indent=1))


def card(root, svc):
    p = root / "services" / svc / "service.toml"
    if not re.fullmatch(r"[a-z]+", svc) or not p.exists():
        raise Refusal(f"P2 no such service: {svc}")
    return tomllib.loads(p.read_text())


def all_services(root):
    return sorted(p.parent.name for p in (root / "services").glob("*/service.toml"))


def roster(root):
    return list(csv.DictReader((root / "registry" / "crews.csv").open()))


def check_frag(root, f):
    for k in ("service", "kind", "crew", "ticket", "text"):
        if not str(f.get(k, "")).strip():
            raise Refusal(f"F10 fragment without {k}")
    card(root, f["service"])
    if not re.fullmatch(r"HB-\d{4}", f["ticket"]):
        raise Refusal(f"W11 '{f['ticket']}' is not a ticket")
    if f["kind"] not in tomllib.loads((root / "registry" / "kinds.toml").read_text()):
        raise Refusal(f"F21 kind '{f['kind']}' unknown")
    rows = {r["crew"]: r["services"].split() for r in roster(root)}
    if f["crew"] not in rows:
        raise Refusal(f"F30 crew '{f['crew']}' not on the roster")
    if f["service"] not in rows[f["crew"]]:
        raise Refusal(f"F31 {f['service']} is not sailed by {f['crew']}")


def waybill(ticket, sailing):
    return f"{ticket}/{sailing}/{hashlib.sha1(f'quay {ticket} {sailing}'.encode()).hexdigest()[:3]}"


def bindings_stale(root):
    p = subprocess.run([sys.executable, str(root / ".bin" / "stencil"), "list", "--stale"], cwd=root, capture_output=True, text=True)
    return p.stdout.split()


def do_test(root, names, berth):
    st, bad = State(root), 0
    for s in names:
        c = card(root, s)
        if not berth:
            raise Refusal(f"P310 {s}: no berth bound")
        b = root / "registry" / "berths" / f"{berth}.toml"
        if not b.exists() or c["class"] not in tomllib.loads(b.read_text())["takes"]:
            raise Refusal(f"P311 {s}: does not lie in '{berth}'")
        env = dict(os.environ, PIER_BERTH=berth, PYTHONPATH=f"{root}/libs/py:{root}/services/{s}", PYTHONDONTWRITEBYTECODE="1")
        p = subprocess.run([sys.executable, "-m", "unittest", "discover", "-s", f"services/{s}/tests", "-t", f"services/{s}/tests"], cwd=root, env=env)
        if p.returncode:
            bad = 1
            print(f"pier: {s}: red", file=sys.stderr)
        else:
            st.d["green"][s] = work_tree(root, s)
            print(f"pier: {s}: green in {berth}")
    st.save()
    return bad


def do_weigh(root, names):
    st = State(root)
    for s in names:
        card(root, s)
        n = draught(root, s)
        st.d["draught"][s] = [work_tree(root, s), n]
        print(f"{s}: draught {n}, allowed 2000")
    st.save()


def do_seal(root, names):
    st = State(root)
    for s in names:
        card(root, s)
        t = work_tree(root, s)
        if st.d["green"].get(s) != t:
            raise Refusal(f"P76 {s}: no green run of this tree")
        if st.d["draught"].get(s, [0])[0] != t:
            raise Refusal(f"P77 {s}: draught of this tree not known")
        (root / "seals" / f"{s}.seal").write_text(seal_text(s, t, st.d["draught"][s][1]))
        print(f"seals/{s}.seal written")


def do_lint(root):
    bad = []
    for s in all_services(root):
        c = card(root, s)
        for k in ("name", "class", "language", "tier"):
            if k not in c:
                bad.append(f"L2 {s}: card without {k}")
        if not (root / "services" / s / "OWNERS").exists():
            bad.append(f"L3 {s}: no OWNERS")
    for p in sorted(root.glob("*/**/*.toml")):
        try:
            tomllib.loads(p.read_text())
        except tomllib.TOMLDecodeError as e:
            bad.append(f"L4 {p.relative_to(root)}: {e}")
    bad += [f"L9 {n}: bindings do not match the contract" for n in bindings_stale(root)]
    for b in bad:
        print(b, file=sys.stderr)
    print(f"pier: lint, {len(all_services(root))} services, {len(bad)} complaints")
    return bool(bad)


def do_frag(root, args):
    p = argparse.ArgumentParser(prog="pier frag")
    sub = p.add_subparsers(dest="cmd", required=True)
    a = sub.add_parser("add", help="write a fragment to changes/")
    for k, h in (("service", "service that changed"), ("kind", "kind of the change"), ("crew", "crew that owns the service"),
                 ("ticket", "ticket"), ("text", "one sentence for the release notes")):
        a.add_argument(f"--{k}", required=True, help=h)
    sub.add_parser("list", help="fragments since the last release")
    a = p.parse_args(args)
    if a.cmd == "list":
        for f in sorted((root / "changes").glob("*.toml")):
            print(f.name)
        return
    f = {k: getattr(a, k) for k in ("service", "kind", "crew", "ticket", "text")}
    check_frag(root, f)
    n, out = 1, root / "changes" / f"{a.service}-{a.ticket}.toml"
    while out.exists():
        n += 1
        out = root / "changes" / f"{a.service}-{a.ticket}-{n}.toml"
    out.write_text("".join(f"{k} = {json.dumps(v, ensure_ascii=False)}\n" for k, v in f.items()))
    print(f"{out.relative_to(root)} written")


def do_waybill(root, args):
    p = argparse.ArgumentParser(prog="pier waybill", description="Every commit travels with a waybill.")
    sub = p.add_subparsers(dest="cmd", required=True)
    i = sub.add_parser("issue", help="issue a waybill; prints the line for the commit message")
    i.add_argument("--ticket", required=True, help="ticket")
    i.add_argument("--sailing", required=True, help="release it goes out with")
    sub.add_parser("list", help="waybills issued here")
    a = p.parse_args(args)
    st = State(root)
    if a.cmd == "list":
        print("\n".join(st.d["waybills"]))
        return
    if not re.fullmatch(r"HB-\d{4}", a.ticket):
        raise Refusal(f"W11 '{a.ticket}' is not a ticket")
    hit = [s for s in SAILINGS if s[0] == a.sailing]
    if not hit:
        raise Refusal(f"W12 '{a.sailing}' is not a sailing")
    if hit[0][2] != "open":
        raise Refusal(f"W13 {a.sailing} has left")
    w = waybill(a.ticket, a.sailing)
    st.d["waybills"] = sorted({*st.d["waybills"], w})
    st.save()
    print(f"Waybill: {w}")


def do_gate(root, args):
    bad = []
    if args[:1] == ["commit-msg"]:
        lines = [x for x in Path(args[1]).read_text().splitlines() if not x.startswith("#")]
        got = [m[1] for m in (re.fullmatch(r"Waybill: (\S+)\s*", x) for x in lines) if m]
        if not got:
            bad.append("G3 commit message: no waybill")
        elif got[-1] != waybill(*(got[-1].split("/") + ["", ""])[:2]) or got[-1] not in State(root).d["waybills"]:
            bad.append("G4 commit message: unknown number")
    else:
        changed = git(root, "diff", "--cached", "--name-only").splitlines()
        frags = {}
        for p in git(root, "ls-files", "changes").splitlines():
            if p.endswith(".toml"):
                try:
                    f = tomllib.loads(git(root, "show", f":{p}"))
                    check_frag(root, f)
                    frags[f["service"]] = p
                except (Refusal, tomllib.TOMLDecodeError) as e:
                    bad.append(f"{e} ({p})")
        for s in sorted({p.split("/")[1] for p in changed if p.startswith("services/")} & set(all_services(root))):
            if s not in frags:
                bad.append(f"G5 services/{s}: no change fragment")
            try:
                seal = tomllib.loads(git(root, "show", f":seals/{s}.seal"))
            except (subprocess.CalledProcessError, tomllib.TOMLDecodeError):
                seal = {}
            if seal.get("tree") != index_tree(root, s):
                bad.append(f"G12 services/{s}: seal broken")
        bad += [f"G7 contract {n}: not given back" for n in State(root).d["holds"]]
        if any(p.startswith(("contracts/", "libs/")) for p in changed):
            bad += [f"G9 contract {n}: bindings do not match" for n in bindings_stale(root)]
    for b in bad:
        print(f"gate: {b}", file=sys.stderr)
    if bad:
        print("gate: commit refused", file=sys.stderr)
    return bool(bad)


def main(argv):
    berth = os.environ.get("PIER_BERTH")
    for i, a in enumerate(argv):
        if a == "--berth" and i + 1 < len(argv):
            berth, argv = argv[i + 1], argv[:i] + argv[i + 2:]
            break
        if a.startswith("--berth="):
            berth, argv = a[8:], argv[:i] + argv[i + 1:]
            break
    cmd, args = (argv[0] if argv else "help"), argv[1:]
    if cmd in ("help", "-h", "--help"):
        print(HELP + (MORE if args[:1] == ["all"] else ""), end="")
        return 0
    root = find_root()
    if cmd in ("test", "weigh", "seal", "show") and (not args or args[0] in ("-h", "--help")):
        print(f"usage: pier {cmd} SERVICE" + ("..." if cmd != "show" else ""))
        return 0 if args else 2
    if cmd == "services":
        for s in all_services(root):
            c = card(root, s)
            print(f"{s:12} {c['language']:8} {c['blurb']}")
    elif cmd == "show":
        c = card(root, args[0])
        print("\n".join(f"{k:10} {v}" for k, v in c.items()))
        print(f"{'owners':10} {(root / 'services' / args[0] / 'OWNERS').read_text().split()[-1]}")
    elif cmd == "test":
        return do_test(root, args, berth)
    elif cmd == "weigh":
        do_weigh(root, args)
    elif cmd == "seal":
        do_seal(root, args)
    elif cmd == "lint":
        return do_lint(root)
    elif cmd == "frag":
        do_frag(root, args)
    elif cmd == "waybill":
        do_waybill(root, args)
    elif cmd == "gate":
        return do_gate(root, args)
    elif cmd == "crews":
        for r in roster(root):
            print(f"{r['crew']:8} lead {r['lead']:8} {r['services']}")
    elif cmd == "berths":
        for p in sorted((root / "registry" / "berths").glob("*.toml")):
            print(f"{p.stem:8} takes {', '.join(tomllib.loads(p.read_text())['takes'])}")
        print("Bind one with PIER_BERTH or `pier --berth NAME ...`.")
    elif cmd == "timetable":
        print("\n".join(f"{a}  {b:16} {c}" for a, b, c in SAILINGS))
    elif cmd == "explain":
        print(EXPLAIN.get(args[0] if args else "", "Nothing more is known about this."))
    else:
        raise Refusal(f"P3 no such command: {cmd}")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except Refusal as e:
        print(f"pier: {e}", file=sys.stderr)
        sys.exit(1)
