"""Deliveries and codebooks, the same each time."""
import random

CODEBOOKS = {  # name: (old edition, codes) and what the new edition changes
    "region": (3, {"R01": "Northmark", "R02": "Aldermoor", "R03": "Hallow Coast", "R04": "Southcape", "R05": "Midvale", "R06": "Isles", "R07": "Greyfen"},
               {"R02": "Aldermoor and Fens", "R07": None, "R09": "Capeland"}),
    "sector": (2, {"B": "Mining", "C": "Manufacturing", "F": "Construction", "G": "Trade", "H": "Transport", "I": "Hospitality",
                   "J": "Information", "K": "Finance", "M": "Professional services", "P": "Education", "Q": "Health"},
               {"J": None, "JA": "Publishing and media", "JB": "Telecoms and software", "Q": "Health and social work"}),
    "branch": (1, {"F": "Food", "C": "Clothing", "H": "Household goods", "O": "Online", "P": "Pharmacies"},
               {"O": "Online and mail order", "V": "Vehicle fuel"}),
    "lodging": (2, {"H": "Hotel", "G": "Guest house", "C": "Campsite", "Y": "Hostel"}, None),
    "use": (1, {"R": "Residential", "N": "Non-residential"}, None),
    "status": (1, {"E": "Employed", "U": "Unemployed", "N": "Not in the labour force"}, None),
}
SOURCES = {  # name: (product, raw table, measure, codebooks, sender)
    "tourism": ("TOU-Q", "raw_tourism", "nights", "region, lodging", "Hotel register"),
    "permits": ("BLD-Q", "raw_permits", "floor_m2", "region, use", "Building registry"),
    "retail": ("RTI-Q", "raw_retail", "turnover", "branch", "Retail survey"),
    "business": ("BIZ-Q", "raw_business", "employees", "sector", "Business register"),
    "lfs": ("LFS-Q", "raw_lfs", "weight", "region, status", "Field office"),
    "vacancies": ("JVS-Q", "raw_vacancies", "vacancies", "sector", "Enterprise survey"),
}
HISTORY = ["tourism 2025Q1", "tourism 2025Q2", "permits 2025Q2", "retail 2024Q3", "retail 2025Q2", "business 2025Q1", "lfs 2025Q2", "vacancies 2025Q1", "vacancies 2025Q2"]
NEW = ["tourism 2025Q3", "permits 2025Q3", "retail 2025Q3", "business 2025Q2", "lfs 2025Q3", "vacancies 2025Q2_corrected"]


def codes(name, new):
    _, old, change = CODEBOOKS[name]
    d = {**old, **(change or {} if new else {})}
    return {k: v for k, v in sorted(d.items()) if v is not None}


def spread(counts, rng):
    out = [k for k, n in counts.items() for _ in range(n)]
    rng.shuffle(out)
    return out


def delivery(name, when):
    rng = random.Random(f"{name} {when}")
    new = f"{name} {when}" in NEW
    r = rng.randint
    if name == "tourism":
        counts = dict(R01=9, R02=8, R03=8, R04=6, R05=11, R06=3, R09=5) if new else dict(R01=9, R02=7, R03=8, R04=6, R05=10, R06=4, R07=5)
        rows = []
        for i, g in enumerate(spread(counts, rng)):
            guests = r(60, 900)
            rows.append((f"E{1000 + i * 7}", g, rng.choice("HHHGGCY"), r(8, 140), guests, guests * r(14, 48) // 10))
        return "est_id region lodging beds guests nights".split(), rows
    if name == "permits":
        counts = dict(R01=8, R02=6, R03=7, R04=5, R05=11, R06=4, R09=3) if new else dict(R01=7, R02=6, R03=7, R04=6, R05=9, R06=3, R07=5)
        regions = spread(counts, rng)
        energy = spread({"A": 9, "B": 14, "C": 11, "D": 4, "": 6}, rng)
        rows = []
        for i, g in enumerate(regions):
            use = rng.choice("RRRN")
            rows.append((f"P{i + 211}", g, use, r(1, 14) if use == "R" else 0, r(70, 2400)) + ((energy[i],) if new else ()))
        return "permit_id region use dwellings floor_m2".split() + (["energy_class"] if new else []), rows
    if name == "retail":
        counts = dict(F=14, C=8, H=9, O=6, P=4, V=7) if new else dict(F=14, C=9, H=9, O=6, P=5)
        size = dict(F=520, C=180, H=240, O=410, P=150, V=330)
        rows = [(f"S{i + 40}", b, size[b] * r(60, 140)) for i, b in enumerate(spread(counts, rng))]
        return "shop_id branch turnover".split(), rows
    if name == "business":
        counts = dict(B=4, C=9, F=8, G=12, H=8, I=9, JA=7, JB=8, K=8, M=9) if new else dict(B=5, C=9, F=8, G=12, H=6, I=9, J=12, K=6, M=9)
        rows = [(f"N{i * 3 + 500}", s, rng.choice(["active"] * 6 + ["born"] * 2 + ["died"]), r(1, 90)) for i, s in enumerate(spread(counts, rng))]
        if new:
            rows += [next(x for x in rows if x[1] == "B")] + rng.sample([x for x in rows if x[1] != "B"], 5)
            rng.shuffle(rows)
        return "ent_id sector status employees".split(), rows
    if name == "lfs":
        ages = [r(15, 24) for _ in range(18)] + [r(25, 54) for _ in range(42)] + [r(55, 64) for _ in range(16)] + [r(65, 74) for _ in range(4)] + [9, 12, 14, 75, 78, 83]
        ages[0], ages[18], ages[60], ages[76] = 24, 25, 55, 74
        rng.shuffle(ages)
        regions = list(codes("region", new))
        rows = [(f"I{i + 9001}", rng.choice(regions), a, "N" if not 15 <= a <= 74 else rng.choice("EEEEEUN"), r(310, 1190)) for i, a in enumerate(ages)]
        return "person_id region age status weight".split(), rows
    counts = dict(B=4, C=9, F=7, G=10, H=6, I=8, JA=5, JB=6, K=3, M=7, P=6, Q=8) if new else dict(B=5, C=9, F=7, G=10, H=6, I=8, J=11, K=3, M=7, P=6, Q=8)
    rows = [(f"U{i + 300}", s, r(0, 9), r(6, 160)) for i, s in enumerate(spread(counts, rng))]
    return "unit_id sector vacancies occupied".split(), rows
