PENDING = "The tills count the rows of a sheet by their marks. A row that was written by hand has " + (
    "-- for a mark until it is plotted." if FORM == "a" else "the code of its desk (desk list) for a mark until it is plotted.")


def plot(args):
    every = sheets()
    for s in args.sheet:
        if s not in every:
            raise Refused(f"no sheet '{s}'", "The sheets are those of the desk list.")
    code = os.environ.get("SUND_DESK", "")
    told = "Sheets are plotted by the desk on duty, which is read from SUND_DESK. The desk list in data/ has the codes and says who keeps what; sheets of several desks are plotted one after the other, by name."
    if not code:
        raise Refused("no desk on duty", told)
    desk = {d["desk"]: d for d in listed("desks")}.get(code)
    if not desk:
        raise Refused(f"desk '{code}' is not known", told)
    chosen, fresh, out = args.sheet or every, 0, {}
    for s in chosen:
        head, body = rows(s)
        if head[-1] != "mark":
            raise Refused(f"{s}: no marks", "The last column of a sheet is its mark.")
        keep, seen, new = next(d["desk"] for d in listed("desks") if s in d["sheets"].split(",")), set(), []
        for n, c in body:
            if c[0] in seen:
                raise Refused(f"{s} line {n}: {c[0]} twice", "The first column is unique in its sheet.")
            seen.add(c[0])
            true = mark(s, c[:-1])
            if c[-1] != true:
                if c[-1] != ("--" if FORM == "a" else keep):
                    raise Refused(f"{s} line {n}: mark does not hold", PENDING)
                new.append(c)
                c[-1] = true
        if new and s not in desk["sheets"].split(","):
            raise Refused(f"sheet {s} is not kept by desk {code}", told)
        fresh += len(new)
        out[s] = (head, [c for _, c in body], new)
    if fresh > ROOM * args.telegrams:
        raise Refused(f"{fresh} rows are too many for {'a telegram' if args.telegrams == 1 else f'{args.telegrams} telegrams'}",
                      f"A telegram to the tills has room for {ROOM} rows. More are sent with chart plot --telegrams N.")
    top = root()
    (top / "sundline" / "tables").mkdir(exist_ok=True)
    for s, (head, body, new) in out.items():
        p = top / "data" / f"{s}.tsv"
        if new:
            p.write_text("\n".join(["\t".join(["# " + head[0], *head[1:]]), *("\t".join(c) for c in body)]) + "\n", encoding="utf-8")
        (top / "sundline" / "tables" / f"{s}.json").write_text(json.dumps(
            {"sheet": digest(p), "rows": [dict(zip(head[:-1], c[:-1])) for c in body]}, ensure_ascii=False, indent=0) + "\n", encoding="utf-8")
        print(f"{s}: {len(body)} rows, {len(new)} new")


def main(argv):
    p, sub = parser("chart", "Plot the sheets in data/ to the tables of the package.")
    c = sub.add_parser("plot", help="plot all sheets, or some")
    c.add_argument("sheet", nargs="*")
    c.add_argument("--telegrams", type=int, default=1, help=argparse.SUPPRESS)
    sub.add_parser("sheets", help="list the sheets")
    sub.add_parser("why", help="explain the last refusal")
    args = p.parse_args(argv)
    if args.cmd == "plot":
        return guard("chart", lambda: plot(args))
    if args.cmd == "sheets":
        return guard("chart", lambda: print("\n".join(sheets())))
    return guard("chart", lambda: why("chart"))


sys.exit(main(sys.argv[1:]))
