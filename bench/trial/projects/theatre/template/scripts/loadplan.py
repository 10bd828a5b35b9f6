"""The load of a tour in cubic metres. loadplan.py LOAD.csv"""
import csv, sys


def volume(row):
    one = float(row["length_cm"]) * float(row["width_cm"]) * float(row["height_cm"]) / 1e6
    return int(row["qty"]) * one


def load(path):
    with open(path, newline="") as f:
        return round(sum(volume(r) for r in csv.DictReader(f)), 2)


if __name__ == "__main__":
    print("%.2f" % load(sys.argv[1]))
