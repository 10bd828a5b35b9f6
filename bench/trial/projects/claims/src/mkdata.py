"""Opening state of the desk's store (deterministic)."""
import random
import sqlite3
import sys

LETTERS = "ABCDEFGHJKLMNPRSTUVWXYZ"
DAY = "2027-03-18"

SCHEMA = """
create table meta(key text primary key, value text);
create table museums(id text primary key, name text, city text, country text);
create table policies(id text primary key, museum text, currency text, excess integer, since text, until text);
create table lenders(id text primary key, name text, policy text);
create table objects(id text primary key, policy text, title text, class text, insured integer, owner text);
create table claims(ref text primary key, policy text, object text, peril text, lossdate text, opened text,
  status text, adjuster text, reserve integer, assessed integer, appraiser text, flag text, summary text);
create table events(n integer primary key autoincrement, day text, ref text, act text, article text, text text);
create table payments(id text primary key, ref text, payee text, amount integer, day text, status text);
create table slips(id text primary key, day text, ref text, kind text, amount integer, posted integer);
create table articles(code text primary key, acts text, title text);
create table seats(name text primary key, house text);
create table flags(name text primary key, meaning text);
"""

ARTICLES = [
    ("R-104", "claim.reserve", "first reserve on notice of loss"),
    ("R-109", "claim.reserve", "reserve after first inspection"),
    ("R-117", "claim.reserve", "adverse development"),
    ("R-118", "claim.reserve", "favourable development"),
    ("R-123", "claim.reserve", "salvage expected"),
    ("R-131", "claim.reserve", "clerical error in a reserve"),
    ("R-140", "claim.reserve", "reserve ordered by the board"),
    ("R-146", "claim.reserve", "conservation estimate received"),
    ("V-202", "claim.assess", "desk valuation without appraisal"),
    ("V-206", "claim.assess", "appraisal received"),
    ("V-211", "claim.assess", "second appraisal after objection"),
    ("V-219", "claim.assess", "total loss by agreement"),
    ("V-224", "claim.assess", "auction record"),
    ("V-230", "claim.assess", "clerical error in an assessment"),
    ("S-301", "claim.settle", "payment on account"),
    ("S-307", "claim.settle", "final payment, single owner"),
    ("S-312", "claim.settle", "final payment, shared among owners"),
    ("S-318", "claim.settle", "payment under reservation"),
    ("S-325", "claim.settle", "payment ordered by a court"),
    ("S-333", "claim.settle", "ex gratia"),
    ("A-402", "claim.assign", "first assignment"),
    ("A-405", "claim.assign", "conflict of interest"),
    ("A-413", "claim.assign", "adjuster on leave"),
    ("A-416", "claim.assign", "adjuster left the house"),
    ("A-421", "claim.assign", "language of the museum"),
    ("A-428", "claim.assign", "caseload"),
    ("A-437", "claim.assign", "wish of the museum"),
    ("K-503", "claim.correct", "slip of the pen"),
    ("K-508", "claim.correct", "misread notice"),
    ("K-515", "claim.correct", "later statement of the museum"),
    ("K-522", "claim.correct", "finding of the auditor"),
    ("K-526", "claim.correct", "object identified anew"),
    ("F-601", "claim.flag", "facultative reinsurance"),
    ("F-604", "claim.flag", "above the cession threshold"),
    ("F-609", "claim.flag", "recourse against a third party"),
    ("F-615", "claim.flag", "interest of the press"),
    ("F-620", "claim.flag", "flag set in error"),
    ("W-701", "claim.withdraw", "notice withdrawn by the museum"),
    ("W-704", "claim.withdraw", "opened in error"),
    ("W-709", "claim.withdraw", "duplicate of another file"),
    ("P-802", "payment.void", "wrong payee"),
    ("P-805", "payment.void", "paid twice"),
    ("P-811", "payment.void", "returned by the bank"),
    ("P-817", "payment.void", "settled in error"),
]
SEATS = [("cellar", "archive"), ("gate", "front office"), ("loft", "claims"), ("vault", "treasury")]
FLAGS = [("ceded", "reported to the reinsurer"), ("press", "interest of the press"), ("recourse", "third party pursued")]

MUSEUMS = [
    ("M004", "Stadtmuseum Lindenau", "Lindenau", "DE"), ("M007", "Musee des Tissus de Corvaine", "Corvaine", "CH"),
    ("M011", "Tidewater Gallery", "Port Ellery", "GB"), ("M013", "Museum Het Raam", "Oudekerk", "NL"),
    ("M016", "Glashaus Sarnau", "Sarnau", "CH"), ("M019", "Museo della Carta Bellori", "Bellori", "IT"),
    ("M022", "Hollin Park House", "Hollin", "GB"), ("M025", "Schiffahrtsmuseum Norden", "Norden", "DE"),
]
CITIES = [("Aldra", "NO"), ("Brenn", "AT"), ("Castell", "ES"), ("Dunmore", "IE"), ("Eskil", "SE"), ("Fontaine", "FR"),
          ("Grauthal", "DE"), ("Hazel", "GB"), ("Ilvar", "FI"), ("Jonten", "CH"), ("Kerst", "NL"), ("Lovran", "IT")]
SORTS = ["Town Museum", "Gallery", "Historical House"]
CLASSES = ["paintings", "textiles", "paper", "glass", "metal", "sculpture", "instruments"]
WORDS = {
    "paintings": ["View of the Quay", "Still Life with Quinces", "Winter Road", "Portrait of a Notary"],
    "textiles": ["Altar Cloth", "Court Mantle", "Verdure Tapestry", "Guild Banner"],
    "paper": ["Town Plan", "Herbal, second volume", "Letter Book", "Etching of the Gate"],
    "glass": ["Roemer", "Covered Goblet", "Window Panel", "Enamelled Beaker"],
    "metal": ["Processional Cross", "Astrolabe", "Nautilus Mount", "Burgonet"],
    "sculpture": ["Head of a Boy", "Saint with Book", "Marble Fragment", "Lindenwood Angel"],
    "instruments": ["Viola da Gamba", "Spinet", "Serpent", "Regal Organ"],
}
STAFF = ["abt", "bro", "cde", "fal", "gri", "hna", "ivs", "mdv", "nyk", "prt", "sol", "tbw"]
PERILS = ["B01", "B04", "F01", "F03", "T02", "T05", "W02", "W03", "W05", "W07", "H01", "H06"]


def check(ref):
    return LETTERS[int(ref.replace("-", "")) % 23]


def tables():
    rnd = random.Random(1871)
    pick = lambda seq: seq[int(rnd.random() * len(seq))]
    num = lambda lo, hi: lo + int(rnd.random() * (hi - lo))
    museums = list(MUSEUMS)
    for i, (c, k) in enumerate((c, k) for s in range(3) for c, k in CITIES):
        museums.append((f"M{30 + 2 * i:03d}", f"{c} {SORTS[i // 12]}", c, k))
    cur = lambda k: {"CH": "CHF", "GB": "GBP", "IE": "EUR"}.get(k, "EUR")
    policies, objects = [], []
    for i, (m, name, city, k) in enumerate(museums):
        policies.append((f"P-{2200 + 7 * i}", m, cur(k), [50000, 100000, 150000, 250000][i % 4], "2027-01-01", "2027-12-31"))
    pol = {p[1]: p[0] for p in policies}
    lenders = [("L-07", "Stiftung Anna Rüti", pol["M016"]), ("L-12", "Heirs of Col. Pryce", pol["M011"]), ("L-15", "Parish of St Odo", pol["M013"])]
    n = 10400
    for p in policies:
        if int(p[1][1:]) < 30:
            continue
        for j in range(9):
            c = pick(CLASSES)
            objects.append((f"O-{n}", p[0], f"{pick(WORDS[c])} ({'I II III IV V VI VII VIII IX'.split()[j]})", c, num(20, 900) * 10000, "museum"))
            n += 3
    own = [
        ("O-10010", "M004", "Harbour at Dusk", "paintings", 4200000, "museum"), ("O-10013", "M004", "Harbour at Dawn", "paintings", 3900000, "museum"),
        ("O-10016", "M004", "Portrait of a Chandler", "paintings", 1500000, "museum"), ("O-10019", "M004", "Ship's Bell", "metal", 800000, "museum"),
        ("O-10031", "M007", "Lampas with Cranes", "textiles", 2600000, "museum"), ("O-10034", "M007", "Mantle of a Canon", "textiles", 5400000, "museum"),
        ("O-10037", "M007", "Pattern Book 1782", "paper", 900000, "museum"), ("O-10040", "M007", "Embroidered Frontal", "textiles", 3100000, "museum"),
        ("O-10043", "M007", "Velvet of Genoa", "textiles", 1900000, "museum"),
        ("O-10051", "M011", "The Ferry", "paintings", 6800000, "museum"), ("O-10054", "M011", "Pilot's Chart", "paper", 7200000, "L-12"),
        ("O-10057", "M011", "Sea Chest", "metal", 500000, "museum"), ("O-10060", "M011", "The Wreckers", "paintings", 9900000, "museum"),
        ("O-10071", "M013", "Delft Garniture", "glass", 1250000, "museum"), ("O-10074", "M013", "Reliquary of St Odo", "metal", 8800000, "L-15"),
        ("O-10077", "M013", "Girl at a Window", "paintings", 12500000, "museum"),
        ("O-10091", "M016", "Lustre of the Diet", "glass", 9500000, "L-07"), ("O-10094", "M016", "Set of Six Roemers", "glass", 1400000, "museum"),
        ("O-10097", "M016", "Mirror Cabinet", "glass", 14500000, "museum"),
        ("O-10111", "M019", "Watermark Album", "paper", 2200000, "museum"), ("O-10114", "M019", "Atlas, coloured", "paper", 7900000, "museum"),
        ("O-10117", "M019", "Codex Bellori", "paper", 9600000, "museum"),
        ("O-10131", "M022", "Saloon Carpet", "textiles", 7000000, "museum"), ("O-10134", "M022", "State Bed", "textiles", 6400000, "museum"),
        ("O-10151", "M025", "Model of a Cog", "sculpture", 1100000, "museum"), ("O-10154", "M025", "Figurehead", "sculpture", 8100000, "museum"),
        ("O-10157", "M025", "Chronometer", "instruments", 7600000, "museum"),
    ]
    objects = [(o, pol[m], t, c, v, w) for o, m, t, c, v, w in own] + objects
    obj = {o[0]: o for o in objects}
    claims = []

    def claim(ref, o, peril, loss, opened, status, adj, reserve, assessed=None, appraiser=None, flag=None, summary=""):
        claims.append((ref, obj[o][1], o, peril, loss, opened, status, adj, reserve, assessed, appraiser, flag, summary))

    # files of interest
    claim("27-0281", "O-10071", "B01", "2027-01-20", "2027-01-22", "open", "sol", 900000, summary="vase of the garniture broken in the move")
    claim("27-0284", "O-10111", "W03", "2027-01-28", "2027-02-01", "open", "nyk", 2000000, summary="album swollen")
    claim("27-0287", "O-10094", "B04", "2027-02-03", "2027-02-04", "open", "hna", 300000, summary="one roemer chipped")
    claim("27-0290", "O-10151", "H01", "2027-02-05", "2027-02-09", "open", "tbw", 700000, summary="rigging torn")
    claim("27-0296", "O-10091", "B04", "2027-02-07", "2027-02-09", "assessed", "hna", 6000000, 8460000, "AP-17", summary="lustre fell from its hook")
    claim("27-0299", "O-10057", "H06", "2027-02-10", "2027-02-12", "assessed", "fal", 400000, 318050, "AP-08", summary="lid split")
    for ref, o, st, r in [("27-0301", "O-10131", "open", 1200000), ("27-0304", "O-10400", "open", 250000), ("27-0307", "O-10019", "open", 310000),
                          ("27-0311", "O-10134", "assessed", 1850000), ("27-0314", "O-10403", "settled", 90000), ("27-0318", "O-10406", "open", 480000),
                          ("27-0322", "O-10037", "withdrawn", 0), ("27-0325", "O-10409", "assessed", 620000), ("27-0329", "O-10412", "open", 155000),
                          ("27-0333", "O-10415", "settled", 210000), ("27-0336", "O-10418", "open", 530000)]:
        a = 500000 if st in ("assessed", "settled") else None
        claim(ref, o, "H01", "2027-02-14", "2027-02-17", st, "okl", r, a, "AP-08" if a else None, summary="handling")
    for ref, o, r in [("27-0341", "O-10031", 1150000), ("27-0342", "O-10034", 4520000), ("27-0343", "O-10040", 900000), ("27-0344", "O-10043", 640000)]:
        claim(ref, o, "W02", "2027-07-03", "2027-03-09", "open", "abt", r, summary="wet in the depot, notice of 8 March")
    claim("27-0346", "O-10037", "H06", "2027-02-20", "2027-02-22", "settled", "nyk", 320000, 275000, "AP-21", summary="leaves torn by a visitor")
    claim("27-0351", "O-10077", "F03", "2027-01-30", "2027-02-02", "open", "mdv", 11800000, flag="ceded", summary="smoke")
    claim("27-0352", "O-10097", "B01", "2027-02-01", "2027-02-03", "open", "hna", 8000000, summary="mirror cracked")
    claim("27-0353", "O-10074", "T02", "2027-02-08", "2027-02-08", "open", "gri", 8800000, summary="stolen from the treasury room")
    claim("27-0354", "O-10114", "W05", "2027-02-11", "2027-02-15", "assessed", "nyk", 7500000, 7100000, "AP-21", summary="flood in the cellar")
    claim("27-0355", "O-10060", "F01", "2027-02-16", "2027-02-16", "open", "mdv", 9200000, flag="ceded", summary="fire in the annexe")
    claim("27-0356", "O-10051", "F01", "2027-02-16", "2027-02-16", "open", "mdv", 6500000, summary="fire in the annexe")
    claim("27-0357", "O-10054", "F01", "2027-02-16", "2027-02-16", "open", "nyk", 6490000, summary="fire in the annexe")
    claim("27-0358", "O-10154", "H01", "2027-02-21", "2027-02-24", "open", "tbw", 5900000, summary="fell from the hoist")
    claim("27-0359", "O-10157", "T05", "2027-02-23", "2027-02-24", "settled", "gri", 7600000, 7600000, "AP-17", summary="stolen on loan")
    claim("27-0360", "O-10117", "W05", "2027-02-11", "2027-02-15", "open", "nyk", 9400000, summary="flood in the cellar")
    claim("27-0361", "O-10131", "F03", "2027-02-27", "2027-03-01", "open", "cde", 6900000, summary="smoke from the kitchen")
    used = {c[2] for c in claims}
    rest = [o for o in objects if int(o[0][2:]) > 10430]
    ref = 101
    while ref < 281:
        o = pick(rest)
        st = ["open", "open", "settled", "assessed", "withdrawn", "settled"][num(0, 6)]
        r = num(10, 400) * 10000
        a = num(5, 300) * 10000 if st in ("assessed", "settled") else None
        day = f"2027-{num(1, 3):02d}-{num(1, 28):02d}"
        claim(f"27-{ref:04d}", o[0], pick(PERILS), day, day, st, pick(STAFF), 0 if st == "withdrawn" else r, a, pick(["AP-08", "AP-17", "AP-21"]) if a else None,
              "press" if num(0, 30) == 7 else None, pick(["handling", "found on inspection", "reported by the guard", "after a loan", "store room", "opening night"]))
        ref += 1
    claims.sort()
    pc = {p[0]: p for p in policies}
    payments = []
    k = 5100
    for c in claims:
        if c[6] == "settled" and c[0] != "27-0346":
            payments.append((f"Y-{k}", c[0], pc[c[1]][1], c[9], "2027-03-05", "live"))
            k += 1
    payments += [("Y-5301", "27-0346", "M007", 275000, "2027-03-11", "live"), ("Y-5302", "27-0346", "M007", 275000, "2027-03-12", "live")]
    slips = [("S-8841", DAY, "27-0104", "reserve", 180000, 0), ("S-8842", DAY, "27-0131", "reserve", 2500000, 0),
             ("S-8843", DAY, "27-0188", "reserve", 95000, 0), ("S-8844", DAY, "27-0202", "reserve", 410000, 0)]
    events = [(DAY if s else c[5], c[0], "claim.open", None, "opened") for c in claims for s in [0]]
    return {"meta": [("day", DAY), ("slip", "8845"), ("payment", "5303"), ("claim", "0362")], "museums": museums, "policies": policies,
            "lenders": lenders, "objects": objects, "claims": claims, "payments": payments, "slips": slips,
            "articles": ARTICLES, "seats": SEATS, "flags": FLAGS, "events": events}


def write(path):
    db = sqlite3.connect(path)
    db.executescript(SCHEMA)
    for name, rows in tables().items():
        cols = "(day,ref,act,article,text)" if name == "events" else ""
        db.executemany(f"insert into {name}{cols} values ({','.join('?' * len(rows[0]))})", rows)
    db.commit()
    db.close()


if __name__ == "__main__":
    write(sys.argv[1])
