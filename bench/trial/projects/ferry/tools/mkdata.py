"""Wrote template/data once; kept for the record."""
import hashlib, math, pathlib, random
out = pathlib.Path(__file__).resolve().parent.parent / "template" / "data"
rnd = random.Random(1988)
def write(name, head, rows, marks=True):
    with open(out / f"{name}.tsv", "w", encoding="utf-8") as f:
        f.write("# " + "\t".join(head + (["mark"] if marks else [])) + "\n")
        for r in rows:
            r = [str(c) for c in r]
            m = [hashlib.sha256("\t".join(["sundline-till-1988", name, *r]).encode()).hexdigest()[:5]] if marks else []
            f.write("\t".join(r + m) + "\n")
ports = [("NOR", "Norrhamn", 1), ("VID", "Vidö", 2), ("SKA", "Skäret", 2), ("LIN", "Lindholm", 3), ("TRA", "Tranvik", 1), ("GRU", "Grundsund", 3), ("HAL", "Hällö", 4), ("OST", "Östernäs", 2), ("BJO", "Björkö", 4), ("KAL", "Kalvskär", 5), ("MYR", "Myrbacka", 1), ("UTO", "Utholmen", 5)]
write("ports", ["port", "name", "zone"], ports)
routes = [("R1", "NOR", "VID", 25), ("R2", "NOR", "SKA", 30), ("R3", "NOR", "LIN", 45), ("R4", "TRA", "OST", 20), ("R5", "TRA", "GRU", 50), ("R6", "TRA", "HAL", 65), ("R7", "MYR", "OST", 25), ("R8", "MYR", "BJO", 70), ("R9", "VID", "LIN", 53), ("R10", "SKA", "GRU", 40), ("R11", "OST", "HAL", 35), ("R12", "BJO", "UTO", 55)]
write("routes", ["route", "from", "to", "minutes"], routes)
sail, n = [], 0
for r, a, b, mins in routes:
    for lo, hi, summer in (("26/088", "26/270", 1), ("26/271", "27/087", 0)):
        for d in "or":
            t = 330 + rnd.randrange(0, 16) * 5 + (15 if d == "r" else 0)
            k = 0
            while t < (1260 if summer else 1200):
                n += 1
                pat = ["1111100", "1111111", "1111100", "1111110"][k % 4]
                if k % 5 == 4: pat = "0000011"
                sail.append([f"L{n:04d}", r, d, f"{t // 60:02d}:{t % 60:02d}", pat, lo, hi])
                t += rnd.choice([95, 110, 125, 140]) + (0 if summer else 20); k += 1
for i in (70, 150, 230):
    n += 1
    sail.append([f"L{n:04d}"] + sail[i][1:])
write("sailings", ["sailing", "route", "dir", "dep", "days", "from", "to"], sail)
cats = dict(adult=1, child=.5, youth=.7, senior=.7, dog=.3, bike=.4, moped=.9, car=3.2, van=5.4)
tar, n = [], 0
base = dict(zip([r[0] for r in routes], [62, 70.5, 91, 68.5, 104, 128.5, 74, 133, 88, 82.5, 77, 149]))
def show(v):
    full = f"{int(v):,}".replace(",", " ")
    if v == int(v) and rnd.random() < .25: return full
    dec = f"{v - int(v):.2f}"[2:]
    if dec.endswith("0") and rnd.random() < .15: dec = dec[0]
    return f"{full},{dec}"
for r in base:
    for c, f in cats.items():
        for b, g in (("low", 1), ("high", 1.25)):
            n += 1
            v = math.floor(base[r] * f * g * 2 + .25) / 2
            tar.append([f"T{n:03d}", r, c, b, show(v)])
write("tariffs", ["tariff", "route", "category", "band", "amount"], tar)
def doy(y, n): return f"{y:02d}/{n:03d}"
sea = []
for y in range(14, 27):
    sea.append([f"S{y}", "passenger", doy(y, 88), doy(y, 270)])
    if y == 21: sea.append(["R00", "reference", "26/140", "26/140"])
    sea.append([f"W{y}", "passenger", doy(y, 271), doy(y + 1, 87)])
write("seasons", ["season", "kind", "from", "to"], sea)
write("desks", ["desk", "name", "sheets"], [("K1", "office", "-"), ("K2", "fares desk", "tariffs"), ("K5", "timetable desk", "sailings,routes,seasons"), ("K7", "harbour desk", "ports"), ("K8", "quay", "-")], False)
first = "Anna Bengt Cilla David Elsa Folke Greta Hugo Ida Jonas Karin Lars Maja Nils Olga Per Rut Sven Tyra Ulf".split()
last = "Alm Berg Dahl Ek Falk Gran Holm Lind Nord Sjö".split()
crew, used = [], set()
for i in range(58):
    f, l = first[i * 7 % 20], last[(i * 3 + i // 20) % 10]
    ini = (f[0] + l[0] + l[-1]).lower().replace("ö", "o")
    while ini in used: ini = ini[:2] + chr(97 + (ord(ini[2]) - 96) % 26)
    used.add(ini)
    crew.append((ini, f"{f} {l}", ["at sea", "at sea", "ashore", "on leave", "at sea", "at sea", "on leave"][i % 7]))
write("crew", ["initials", "name", "watch"], crew, False)
