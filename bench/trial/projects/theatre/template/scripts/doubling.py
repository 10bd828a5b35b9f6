"""Who would play two parts in one scene on a day? doubling.py TOUR_FOLDER YEAR-MONTH-DAY"""
import csv, os, sys


def read(path):
    with open(path, newline="") as f:
        return list(csv.DictReader(f))


def cast_on(folder, day):
    return {r["part"]: r["player"] for r in read(os.path.join(folder, "cast.csv")) if r["from"] <= day and (not r["until"] or day <= r["until"])}


def clashes(folder, day):
    scenes = {r["part"]: set(r["scenes"].split()) for r in read(os.path.join(folder, "scenes.csv"))}
    cast, out = cast_on(folder, day), []
    for a in cast:
        for b in cast:
            if a < b and cast[a] == cast[b] and scenes[a] & scenes[b]:
                out.append("%s: %s and %s, scene %s" % (cast[a], a, b, " ".join(sorted(scenes[a] & scenes[b]))))
    return out


if __name__ == "__main__":
    bad = clashes(sys.argv[1], sys.argv[2])
    print("\n".join(bad) or "no clash")
    sys.exit(bool(bad))
