def collect(top, only):
    found = []
    for p in sorted((top / "checks").glob("ck_*.py")):
        if only and p.stem not in only and p.stem[3:] not in only:
            continue
        spec = importlib.util.spec_from_file_location(p.stem, p)
        m = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(m)
        found += [(f"{p.stem}.{k}", f) for k, f in vars(m).items() if k.startswith("ck_") and callable(f) and getattr(f, "__module__", p.stem) == p.stem]
    return found


def run(args):
    top = root()
    for s in sheets():
        t = top / "sundline" / "tables" / f"{s}.json"
        if not t.exists():
            raise Refused(f"table {s} is not plotted", "Tables are made from the sheets, see README.")
        if json.loads(t.read_text())["sheet"] != digest(top / "data" / f"{s}.tsv"):
            raise Refused(f"table {s} is older than its sheet", "Tables are made from the sheets, see README.")
    told = "The checks set the clock to the first day of a season. The auditor does not let them near a season that carries passengers; the season sheet has one that does not."
    if not args.season:
        raise Refused("no season", told)
    season = {s["season"]: s for s in listed("seasons")}.get(args.season)
    if not season:
        raise Refused(f"season '{args.season}' is not in the sheet", told)
    if season["kind"] != "reference":
        raise Refused(f"season {args.season} carries passengers", told)
    if args.witness:
        who = {c["initials"]: c for c in listed("crew")}.get(args.witness)
        if not who:
            raise Refused(f"'{args.witness}' is not of the crew", "Initials are those of the crew list.")
        if who["watch"] != "ashore":
            raise Refused(f"{args.witness} cannot sign: {who['watch']}", "Only who is ashore signs, see the crew list.")
    os.environ["SUND_TODAY"] = season["from"]
    sys.path.insert(0, str(top))
    os.chdir(top)
    leaks, told, n = 0, [], 0
    try:
        found = collect(top, args.check)
    except Exception:
        print(traceback.format_exc().strip().split("\n")[-1])
        found, leaks = [], 1
    for name, f in found:
        n += 1
        try:
            f()
        except Exception as e:
            leaks += 1
            at = traceback.extract_tb(e.__traceback__)[-1]
            print(f"LEAK {name}: {type(e).__name__} {e} ({os.path.basename(at.filename)}:{at.lineno} {at.line})")
    log = state("runs") or []
    voyage = state("voyage") or {}
    log.append({"run": len(log) + 1, "checks": n, "leaks": leaks, "all": not args.check, "cargo": cargo(), "voyage": voyage.get("voyage"), "witness": args.witness})
    state("runs", log)
    print(f"run {len(log)}: {n} checks, {leaks} leaks")
    return 1 if leaks or not n else 0


def main(argv):
    p, sub = parser("fathom", "Run the checks of the repository.")
    c = sub.add_parser("run", help="run all checks, or some files")
    c.add_argument("check", nargs="*")
    c.add_argument("--season", help="season whose first day the clock shows")
    c.add_argument("--witness", help=argparse.SUPPRESS)
    sub.add_parser("runs", help="list the runs")
    sub.add_parser("why", help="explain the last refusal")
    args = p.parse_args(argv)
    if args.cmd == "run":
        return guard("fathom", lambda: run(args))
    if args.cmd == "runs":
        return guard("fathom", lambda: [print(f"run {r['run']}: {r['checks']} checks, {r['leaks']} leaks") for r in state("runs") or []] and 0)
    return guard("fathom", lambda: why("fathom"))


sys.exit(main(sys.argv[1:]))
