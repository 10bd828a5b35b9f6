"""Customers, from data/parties.csv."""
import csv


def read(path):
    with open(path, newline="") as f:
        return {row["name"]: row for row in csv.DictReader(f)}


def of_lane(parties, lane):
    return sorted(n for n, row in parties.items() if row["lane"] == lane)
