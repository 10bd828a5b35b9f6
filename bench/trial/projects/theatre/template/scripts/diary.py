"""The diary of a tour, for the notice board. diary.py ROUTE.csv"""
import csv, datetime, sys


def day(iso):
    d = datetime.date.fromisoformat(iso)
    return "%s %d %s %d" % (d.strftime("%a"), d.day, d.strftime("%b"), d.year)


def line(row):
    n = int(row["nights"])
    return "%s  %s (%d night%s)" % (day(row["first"]), row["house"], n, "" if n == 1 else "s")


def diary(path):
    with open(path, newline="") as f:
        return [line(r) for r in csv.DictReader(f)]


if __name__ == "__main__":
    print("\n".join(diary(sys.argv[1])))
