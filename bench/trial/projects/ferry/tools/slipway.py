CONSIGNEES = {"tills": "tills on board", "kiosk": "kiosks on the quays", "web": "web shop and boards"}


def day(text):
    m = re.fullmatch(r"(\d\d)/(\d{3})", text)
    try:
        d = dt.date(2000 + int(m[1]), 1, 1) + dt.timedelta(int(m[2]) - 1)
        if d.year != 2000 + int(m[1]):
            raise ValueError
        return d
    except (TypeError, ValueError):
        raise Refused(f"{text} is no traffic day", "A date is given as a traffic day, the way the sheets have it.") from None


def open_(args):
    if not re.fullmatch(r"FER-\d{3}", args.ticket):
        raise Refused(f"no ticket '{args.ticket}'", "Tickets are FER and three digits.")
    if args.to not in CONSIGNEES:
        raise Refused(f"no consignee '{args.to}'", "slipway consignees lists them.")
    d, old = day(args.day), state("voyage") or {}
    if old.get("ticket"):
        raise Refused(f"voyage {old['voyage']} is open", "One voyage at a time. It ends by staging it, or with slipway drop.")
    n = (state("count") or 117) + 1
    state("count", n)
    state("voyage", {"voyage": n, "ticket": args.ticket, "to": args.to, "day": args.day, "date": d.isoformat()})
    print(f"voyage {n} open: {args.ticket} to {args.to}, {d:%a %d %b %Y}")


def drop():
    v = state("voyage") or {}
    if not v.get("ticket"):
        raise Refused("no voyage is open", "There is nothing to drop.")
    state("voyage", {"voyage": None})
    print(f"voyage {v['voyage']} dropped")


def stage(args):
    v = state("voyage") or {}
    if not v.get("ticket"):
        raise Refused("no voyage is open", "What is staged goes with a voyage, see slipway --help.")
    if git("status", "--porcelain"):
        raise Refused("work tree is not clean", "What is staged is a commit.")
    log = state("runs") or []
    if not log:
        raise Refused("no run", "The checks were never run.")
    r = log[-1]
    if r["leaks"] or not r["all"] or not r["checks"]:
        raise Refused(f"run {r['run']} is not whole", "The last run has leaks, or is a run of some files only.")
    if r["voyage"] != v["voyage"]:
        raise Refused(f"run {r['run']} is not of voyage {v['voyage']}", "A run counts for the voyage that is open while it is made: first open the voyage, then run the checks.")
    if r["cargo"] != cargo():
        raise Refused(f"run {r['run']} saw other cargo", "Code, checks or sheets have changed since the last run.")
    if not r["witness"]:
        raise Refused(f"run {r['run']} bears one signature", "A run that goes to sea is signed by a witness as well: fathom run --witness INITIALS, somebody of the crew list who is ashore.")
    done = [s for s in state("staged") or [] if s["ticket"] != v["ticket"]]
    head = git("rev-parse", "HEAD")
    done.append({**v, "rev": head, "run": r["run"], "witness": r["witness"], "note": args.note})
    state("staged", done)
    state("voyage", {"voyage": None})
    print(f"staged {v['ticket']} {head[:8]} to {v['to']}, {v['date']}")


def entry(path):
    lines = [l for l in pathlib.Path(path).read_text(encoding="utf-8").rstrip().split("\n") if not l.startswith("#")]
    while lines and not lines[-1].strip():
        lines.pop()
    line = lines[0] if lines else ""
    if FORM == "a":
        good = re.fullmatch(r"FER-\d{3} (fares|times|ports|house) // [a-zåäö0-9].{5,}", line)
        told = "An entry of the log reads TICKET AREA // SUBJECT. Areas are fares, times, ports and house; the subject is lower-case; the line has 72 characters at most."
    else:
        codes = "|".join(d["desk"] for d in listed("desks"))
        good = re.fullmatch(r"FER-\d{3}: [a-zåäö0-9].{5,}", line) and any(re.fullmatch(f"Desk: ({codes})", l.strip()) for l in lines[1:])
        told = "An entry of the log reads TICKET: SUBJECT, lower-case, 72 characters at most; below it stands a line Desk: with the code of a desk (desk list)."
    if not good or len(line) > 72:
        raise Refused("entry does not read", told)


def main(argv):
    if argv[:1] == ["entry"] and len(argv) == 2:
        return guard("log", lambda: entry(argv[1]))
    p, sub = parser("slipway", "Stage a change for its consignee.")
    c = sub.add_parser("open", help="open a voyage")
    c.add_argument("ticket")
    c.add_argument("--to", required=True, metavar="CONSIGNEE")
    c.add_argument("--day", required=True, help="traffic day it goes out")
    sub.add_parser("drop", help="drop the open voyage")
    s = sub.add_parser("stage", help="stage the commit at HEAD with the open voyage")
    s.add_argument("--note", default="", help="a word for the quay")
    sub.add_parser("list", help="list what is staged")
    sub.add_parser("consignees", help="list the consignees")
    sub.add_parser("why", help="explain the last refusal")
    args = p.parse_args(argv)
    jobs = {
        "open": lambda: open_(args), "drop": drop, "stage": lambda: stage(args), "why": lambda: why("slipway"),
        "list": lambda: [print(f"{s['date']}  {s['ticket']}  {s['to']:<6} {s['rev'][:8]}  {s['note']}".rstrip()) for s in state("staged") or []] and 0,
        "consignees": lambda: [print(f"{k:<6} {t}") for k, t in CONSIGNEES.items()] and 0,
    }
    return guard("slipway", jobs[args.cmd])


sys.exit(main(sys.argv[1:]))
