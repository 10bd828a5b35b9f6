"""gate: takes slips in, checks the papers enclosed, writes the ledger."""
import re, sys
from pathlib import Path
import core
from core import No

HELP = """usage: gate [-n] [-v] SLIP

Takes a slip in: checks it, writes the ledger and the cards, takes the slip away.
  -n   look at the content only, write nothing
  -v   say more
"""
KINDS = {
    "loan": "day party cans due enclosed", "return": "day loan enclosed", "order": "day party cans work ceiling enclosed",
    "accession": "day title year gauge base origin weights enclosed", "care": "day cans reason enclosed", "correction": "day card field old new enclosed",
}


def read(path):
    slip = {}
    for i, line in enumerate(Path(path).read_text().splitlines(), 1):
        if not line.strip():
            continue
        k, sep, v = line.partition(":")
        if not sep or k.strip() in slip:
            raise No("line %d: not a field" % i)
        slip[k.strip()] = " ".join(v.split())
    kind = slip.get("kind")
    if kind not in KINDS:
        raise No("kind: one of " + " ".join(KINDS))
    for f in KINDS[kind].split():
        if not slip.get(f):
            raise No("%s: missing" % f)
    for f in slip:
        if f != "kind" and f not in KINDS[kind].split():
            raise No("%s: not a field of a %s slip" % (f, kind))
    for f in ("day", "due"):
        if f in slip and not re.fullmatch(r"2\d{3}-[01]\d-[0-3]\d", slip[f]):
            raise No("%s: YYYY-MM-DD" % f)
    return {"kind": kind, **{f: slip[f] for f in KINDS[kind].split()}}


def loan_cans(number):
    return ["%s/%d" % (c.number, n) for c in core.cards() for n, k in c.cans.items() if k["place"] == "loan " + number]


def cans_of(slip):
    if slip["kind"] == "return":
        return loan_cans(slip["loan"])
    return sorted(re.split(r"[ ,]+", slip["cans"])) if "cans" in slip else []


def check(slip):
    kind, names = slip["kind"], cans_of(slip)
    if kind == "return" and not names:
        raise No("%s: nothing out on this loan" % slip["loan"])
    for name in names:
        k = core.can(name)[1]
        if kind in ("loan", "order", "care"):
            if "." not in k["place"]:
                raise No("%s: not on a shelf (%s)" % (name, k["place"]))
            if k["season"] != core.SEASON:
                raise No("%s: no reading in %s" % (name, core.SEASON))
    if kind == "accession":
        if slip["gauge"] not in core.FRAMES or slip["base"] not in ("acetate", "nitrate"):
            raise No("gauge is 35 or 16, base is acetate or nitrate")
        if not re.fullmatch(r"\d+\.\d( \d+\.\d)*", slip["weights"]):
            raise No("weights: kg of each can, like 4.0 3.5")
    if kind == "correction":
        c = core.card(slip["card"])
        if slip["field"] not in ("title", "year", "gauge", "base", "origin") or c.fields.get(slip["field"]) != slip["old"]:
            raise No("old: not what the card says")
    if kind == "order" and not re.fullmatch(r"\d+", slip["ceiling"]):
        raise No("ceiling: whole crowns")
    paper, _, given = slip["enclosed"].rpartition(" ")
    if not paper or not (core.ROOT / paper).is_file():
        raise No("enclosed: a file of the repository and its sum")
    if given != core.file_sum(core.ROOT / paper):
        raise No("%s: sum does not match" % paper, "a house sum is wanted, as `gate --sum FILE` prints it")


def new_card():
    return "%04d" % (int(core.cards()[-1].number) + 1)


def name_of(slip):
    names = cans_of(slip)
    number = slip.get("card") or (names[0][:4] if names else new_card())
    return "%s%s.%s.slip" % (core.NUMBER[slip["kind"]][1].lower(), number, core.SEASON)


def write(slip):
    kind, names = slip["kind"], cans_of(slip)
    number, extra = core.next_number(kind), []
    slip["enclosed"] = slip["enclosed"].rpartition(" ")[0]
    if "cans" in slip:
        slip["cans"] = " ".join(names)
    if kind == "accession":
        c = core.Card(new_card(), {k: slip[k] for k in ("title", "year", "gauge", "base", "origin")}, {})
        for i, kg in enumerate(slip["weights"].split(), 1):
            c.cans[i] = {"place": "hatch", "length": "-", "shrink": "-", "season": "-", "kg": float(kg)}
        c.save()
        extra = ["card: " + c.number]
    if kind == "correction":
        c = core.card(slip["card"])
        c.fields[slip["field"]] = slip["new"]
        c.save()
    if kind in ("loan", "order"):
        extra = ["from: " + " ".join(core.can(n)[1]["place"] for n in names)]
    if kind == "return":
        extra = ["cans: " + " ".join(names)]
    for name in names:
        c, k = core.can(name)
        if kind == "care":
            c.fields["care"] = "%s, %s" % (number, slip["reason"])
        else:
            k["place"] = {"loan": "loan " + number, "order": "lab " + number, "return": "hatch"}[kind]
        c.save()
    core.add_entry(kind, slip, extra)
    return number, extra


def main(argv):
    if not argv or argv[0] in ("-h", "--help"):
        print(HELP, end="")
        return 0 if argv else 2
    if argv[0] == "--sum" and len(argv) == 2:
        print(core.file_sum(argv[1]))
    elif argv[0] == "--name" and len(argv) == 2:
        print(name_of(read(argv[1])))
    else:
        look, files = "-n" in argv, [a for a in argv if a not in ("-n", "-v")]
        if len(files) != 1 or files[0].startswith("-"):
            raise No("usage: gate [-n] [-v] SLIP")
        path = Path(files[0])
        slip = read(path)
        check(slip)
        if look:
            print("%s: content in order" % path.name)
            return 0
        if path.name != name_of(slip):
            raise No("%s: no pigeonhole" % path.name, "the pigeonholes go by kind, first card and season; `gate --name SLIP` prints the name")
        number, extra = write(slip)
        path.unlink()
        print("%s taken in as %s" % (path.name, number), *extra)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except No as e:
        print("gate: %s" % e.args[0], *(e.args[1:] if "-v" in sys.argv else ()), sep="\n  ", file=sys.stderr)
        sys.exit(1)
    except OSError as e:
        print("gate: %s: %s" % (e.filename, e.strerror), file=sys.stderr)
        sys.exit(1)
