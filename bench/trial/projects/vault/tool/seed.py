"""The archive's first cards and ledger entries."""
import core
START = {"loan": 12, "return": 9, "order": 6, "accession": 31, "care": 4, "correction": 17}
# number, title, year, gauge, base, origin, [(place, length, shrink, season, kg)]
CARDS = [
    ("0209", "Harbour Drill", "1962", "16", "acetate", "gift of the pilots' union", [("A1.02.2", "402ft 12fr", "0.3%", "26a", 4.1), ("A1.02.3", "388ft 30fr", "0.3%", "26a", 4.0)]),
    ("0212", "Notes on a Viaduct", "1958", "35", "acetate", "railway museum", [("A2.02.3", "951ft 2fr", "0.4%", "25b", 6.6)]),
    ("0218", "The Glass Ferry", "1924", "35", "nitrate", "found in the Aalund mill", [("N1.01.1", "866ft 3fr", "0.7%", "25b", 5.9), ("N1.01.2", "871ft 10fr", "0.8%", "25b", 6.0), ("N1.01.3", "840ft 0fr", "0.7%", "25b", 5.8), ("N1.02.1", "655ft 14fr", "0.9%", "25b", 4.9)]),
    ("0221", "Fire at the Ropeworks", "1919", "35", "nitrate", "newsreel pool", [("N2.01.1", "212ft 6fr", "1.1%", "26a", 2.4)]),
    ("0225", "Two Sisters of Vig", "1927", "35", "nitrate", "deposit of the Holm family", [("N1.02.2", "902ft 1fr", "0.6%", "26a", 6.1), ("N1.02.3", "897ft 8fr", "0.6%", "26a", 6.1)]),
    ("0231", "The Salt Road", "1951", "35", "acetate", "Lindqvist estate", [("A1.01.1", "812ft 9fr", "0.5%", "26a", 6.2), ("A1.01.2", "798ft 0fr", "0.5%", "26a", 6.1), ("A1.01.3", "640ft 15fr", "0.5%", "26a", 5.2)]),
    ("0240", "Winter Timetable", "1955", "35", "acetate", "railway museum", [("A1.02.1", "724ft 6fr", "0.4%", "26a", 5.7)]),
    ("0244", "Apple Year", "1949", "35", "acetate", "growers' league", [("loan L-012", "905ft 4fr", "0.5%", "26a", 6.5), ("loan L-012", "880ft 11fr", "0.5%", "26a", 6.3), ("loan L-012", "412ft 7fr", "0.4%", "26a", 3.6)]),
    ("0247", "Lock Keepers", "1953", "35", "acetate", "canal board", [("A1.03.1", "770ft 3fr", "0.7%", "25b", 5.9), ("A1.03.2", "768ft 12fr", "0.7%", "25b", 5.9)]),
    ("0249", "A Town Counts Its Bicycles", "1960", "35", "acetate", "city council", [("A1.03.3", "690ft 5fr", "0.6%", "25b", 5.5), ("A1.04.1", "702ft 9fr", "0.6%", "25b", 5.6), ("A1.04.2", "315ft 1fr", "0.5%", "25b", 2.9)]),
    ("0252", "Peat", "1947", "35", "acetate", "moor society", [("A2.02.1", "400ft 0fr", "0.4%", "25a", 5.3), ("A2.02.2", "400ft 0fr", "0.4%", "25a", 5.4), ("A2.04.1", "400ft 0fr", "0.4%", "25a", 5.2)]),
    ("0255", "Night Mail to Brevik", "1939", "35", "acetate", "postal museum", [("lab R-006", "930ft 0fr", "0.9%", "26a", 6.6)]),
    ("0258", "Kites over Mols", "1957", "16", "acetate", "school film office", [("C2.01.1", "380ft 22fr", "1.0%", "26a", 3.9)]),
    ("0261", "Bread Queue, Two Takes", "1944", "35", "acetate", "newsreel pool", [("A2.01.2", "188ft 3fr", "0.5%", "26b", 2.2)]),
]
LEDGER = [
    ("loan", {"day": "2026-09-30", "party": "Cinema Bryggen", "cans": "0244/1 0244/2 0244/3", "due": "2026-11-13", "enclosed": "letters/2026-09-21-bryggen.txt"}, ["from: A2.01.1 A2.01.2 A2.01.3"]),
    ("order", {"day": "2026-08-11", "party": "Lab Nordlys", "cans": "0255/1", "work": "wet-gate duplicate", "ceiling": "18500", "enclosed": "letters/2026-08-02-nordlys.txt"}, ["from: A2.03.1"]),
    ("accession", {"day": "2026-10-20", "title": "Bread Queue, Two Takes", "year": "1944", "gauge": "35", "base": "acetate", "origin": "newsreel pool", "weights": "2.2", "enclosed": "letters/2026-10-14-pool.txt"}, ["card: 0261"]),
]


def write():
    (core.ROOT / "catalogue").mkdir()
    (core.ROOT / "ledger").mkdir()
    for number, title, year, gauge, base, origin, cans in CARDS:
        fields = {"title": title, "year": year, "gauge": gauge, "base": base, "origin": origin}
        rows = {i: dict(zip(("place", "length", "shrink", "season", "kg"), c)) for i, c in enumerate(cans, 1)}
        core.Card(number, fields, rows).save()
    for kind, slip, extra in LEDGER:
        name, letter = core.NUMBER[kind]
        (core.ROOT / "ledger" / (name + ".txt")).write_text(core.entry("%s-%03d" % (letter, START[kind]), slip, extra) + "\n")
