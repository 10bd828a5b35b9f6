"""Print a quote for a shipment (JSON on standard input)."""
import argparse
import json
import sys

from .rating import band_of, chargeable_kg, freight
from .tariff import Tariff


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--tariff", required=True)
    p.add_argument("--day", required=True, help="ISO day")
    a = p.parse_args()
    t = Tariff.read(a.tariff)
    s = json.load(sys.stdin)
    w = chargeable_kg(s["kg"], s["cbm"], t.ratio)
    n = freight(s, t, a.day)
    print("%s: %d kg, %s, %d.%02d %s" % (s.get("id", "?"), w, band_of(w), n // 100, n % 100, t.currency))


if __name__ == "__main__":
    main()
