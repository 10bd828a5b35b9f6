"""Sheets are rectangular CSV files with a heading row."""
import csv
import pathlib
import sys


def ragged(rows):
    return not rows or any(len(r) != len(rows[0]) for r in rows)


def main():
    bad = [str(p) for p in sorted(pathlib.Path("data").rglob("*.csv")) if ragged(list(csv.reader(p.open())))]
    print("data: ragged " + ", ".join(bad) if bad else "data: ok")
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
