"""Checks route.csv of a tour against the drives, the touring rules and the stop sheets. route_check.py TOUR_FOLDER..."""
import csv, datetime, os, sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def read(path):
    with open(path, newline="") as f:
        return list(csv.DictReader(f))


def drives():
    d = {}
    for r in read(os.path.join(ROOT, "data", "drives.csv")):
        d[r["from"], r["to"]] = d[r["to"], r["from"]] = int(r["minutes"])
    return d


def sheet(folder, house):
    town = house.split(", ")[-1]
    path = os.path.join(folder, "stops", town.lower().replace(" ", "-") + ".md")
    if not os.path.exists(path):
        return None
    with open(path) as f:
        return dict(x.rstrip("\n").split(": ", 1) for x in f if ": " in x)


def problems(folder):
    out, before, town, last = [], "V-000", "the yard", None
    d = drives()
    for n, r in enumerate(read(os.path.join(folder, "route.csv")), 1):
        first = datetime.date.fromisoformat(r["first"])
        if int(r["no"]) != n:
            out.append("%s: number %s should be %d" % (r["house"], r["no"], n))
        if d.get((before, r["venue"])) != int(r["drive_min"]):
            out.append("%s: drive from %s is not %s" % (r["house"], town, r["drive_min"]))
        if last and first <= last:
            out.append("%s: first night is not after the stop before" % r["house"])
        last = first + datetime.timedelta(days=int(r["nights"]) - 1)
        if any((first + datetime.timedelta(days=i)).weekday() == 6 for i in range(int(r["nights"]))):
            out.append("%s: plays on a Sunday" % r["house"])
        s = sheet(folder, r["house"])
        if s is None:
            out.append("%s: no stop sheet" % r["house"])
        else:
            want = {"First night": r["first"], "Nights": r["nights"], "Get-in": r["get_in"], "Drive": "%s min from %s" % (r["drive_min"], town)}
            out += ["%s: stop sheet says %s %r, not %r" % (r["house"], k, s.get(k), v) for k, v in want.items() if s.get(k) != v]
        before, town = r["venue"], r["house"].split(", ")[-1]
    return out


if __name__ == "__main__":
    bad = [p for folder in sys.argv[1:] for p in problems(folder)]
    print("\n".join(bad) or "routes are right")
    sys.exit(bool(bad))
