"""The books as they stand on 2031-03-04 (used by setup.sh only)."""
import random

LANES = {
    "BLT": {"name": "Baltic", "ports": "Rotterdam - Gdynia", "currency": "EUR", "ratio": 333},
    "IBR": {"name": "Iberia", "ports": "Rotterdam - Leixoes", "currency": "EUR", "ratio": 300},
    "NRS": {"name": "North Sea", "ports": "Rotterdam - Immingham", "currency": "GBP", "ratio": 333},
}
DESKS = {
    "kiel-2": {"works": ["BLT"], "head": "A. Brodersen"},
    "porto-1": {"works": ["IBR"], "head": "M. Teixeira"},
    "humber-3": {"works": ["NRS"], "head": "J. Oldroyd"},
    "books-0": {"works": [], "head": "P. Teague"},
}
RATES = {
    "BLT": {"light": 4120, "middle": 3650, "heavy": 2980, "floor": 9500},
    "IBR": {"light": 5240, "middle": 4710, "heavy": 3890, "floor": 11000},
    "NRS": {"light": 2890, "middle": 2540, "heavy": 2110, "floor": 7000},
}
OLD = {"BLT": 40, "IBR": 60, "NRS": 30}
WHO = {
    "BLT": ["Stolarnia Wrona", "Gdynia Bearings", "Papiernia Orzel", "Klaipeda Tiles", "Hanse Lighting", "Okno-Plus"],
    "IBR": ["Casa Vilarinho", "Ceramica Louro", "Textil Aveiro", "Moinhos do Lima", "Porto Pumps"],
    "NRS": ["Humber Joinery", "Grimsby Cold Store", "Selby Castings", "Fenland Glass", "Ouse Papers"],
}
GOODS = ["tiles", "bearings", "window frames", "paper reels", "pump parts", "lamps", "glass jars", "oak boards", "castings"]
SHIPPERS = ["Van Houtte Trading", "Delft Works", "Maas Export", "Kade 9 BV"]


def floor10(x):  # how freight was charged until now (nearest ten)
    return int(round(x / 10.0) * 10)


def charge(lane, s, up=False):
    w = max(s["kg"], s["cbm"] * LANES[lane]["ratio"])
    w = -int(-w // 10) * 10 if up else floor10(w)
    r = RATES[lane]
    rate = r["light"] if w < 500 else r["middle"] if w < 2000 else r["heavy"]
    return max(r["floor"], w * rate // 100)


def books():
    rnd = random.Random(1107)
    b = dict(lanes=LANES, desks=DESKS, shipments={}, sailings={}, holds={}, manifests={}, customs={}, tariffs={},
             charges=[], dockets={}, journal=[], next=dict(shipment=2048, hold=40, manifest=17, docket=1041), posted=0)
    for k, lane, day, room, state in [
            ("BLT-1106", "BLT", "2031-02-28", 160, "sailed"), ("BLT-1107", "BLT", "2031-03-07", 220, "open"),
            ("BLT-1108", "BLT", "2031-03-14", 180, "open"), ("IBR-0630", "IBR", "2031-02-26", 120, "sailed"),
            ("IBR-0631", "IBR", "2031-03-06", 90, "open"), ("IBR-0632", "IBR", "2031-03-13", 140, "open"),
            ("NRS-0412", "NRS", "2031-03-05", 150, "cancelled"), ("NRS-0414", "NRS", "2031-03-07", 36, "open"),
            ("NRS-0415", "NRS", "2031-03-08", 150, "open")]:
        b["sailings"][k] = dict(lane=lane, departs=day, room=room, state=state)
    lanes = ["BLT", "IBR", "NRS"]
    for i in range(2001, 2049):
        lane = lanes[i % 3]
        st = ["ready", "booked", "sailed", "ready"][(i // 3) % 4]
        s = dict(shipper=rnd.choice(SHIPPERS), consignee=rnd.choice(WHO[lane]), lane=lane, goods=rnd.choice(GOODS),
                 pieces=rnd.randint(3, 26), kg=rnd.randint(180, 3400), cbm=round(rnd.uniform(0.6, 7.5), 2),
                 ready="2031-03-%02d" % rnd.randint(1, 9) if st != "sailed" else "2031-02-%02d" % rnd.randint(17, 25),
                 status=st, manifest=None)
        b["shipments"]["S-%d" % i] = s
    b["shipments"]["S-2025"].update(status="held")
    b["shipments"]["S-2010"].update(pieces=4, kg=452, cbm=0.8, goods="lamps")
    b["shipments"]["S-2006"].update(kg=820, cbm=2.1, goods="glass jars", consignee="Fenland Glass")
    b["shipments"]["S-2041"].update(lane="IBR", consignee="Porto Pumps", goods="pump parts", status="ready",
                                    pieces=14, kg=1460, cbm=3.9, ready="2031-03-05")
    # the manifest on the cancelled sailing
    on = [k for k, s in b["shipments"].items() if s["lane"] == "NRS" and s["status"] == "ready"][:4]
    b["manifests"]["M-017"] = dict(sailing="NRS-0412", lane="NRS", day="2031-03-04", state="open", shipments=on)
    for k in on:
        b["shipments"][k].update(status="manifested", manifest="M-017")
    b["holds"]["H-040"] = dict(sailing="NRS-0412", pieces=150, state="held", desk="humber-3")
    b["customs"][on[1]] = [
        dict(hs=hs, goods=g, kg=kg, value=dict(cur="GBP", minor=v), entry="2031-03-04") for hs, g, kg, v in [
            ("70109043", "jars, clear", 310, 128840), ("70109045", "jars, green", 255, 97015),
            ("70133799", "tumblers", 120, 154060), ("70134999", "dishes", 95, 88005), ("83099090", "lids", 40, 21990)]]
    # charges, at the old rounding
    for k, s in sorted(b["shipments"].items()):
        if s["status"] == "sailed":
            b["charges"].append(dict(shipment=k, kind="freight", on="2031-02-27",
                                     amount=dict(cur=LANES[s["lane"]]["currency"], minor=charge(s["lane"], s))))
    b["posted"] = len(b["charges"])
    for lane, r in RATES.items():
        cur = LANES[lane]["currency"]
        b["tariffs"][lane] = {band: [{"rate": dict(cur=cur, minor=v - OLD[lane] * (3 if band == "floor" else 1)), "from": "2030-01-07"},
                                     {"rate": dict(cur=cur, minor=v), "from": "2031-01-06"}] for band, v in r.items()}
    return b


if __name__ == "__main__":
    b = books()
    for k, s in sorted(b["shipments"].items()):
        w = (s["kg"], round(s["cbm"] * LANES[s["lane"]]["ratio"], 1))
        print(k, s["lane"], s["status"], s["ready"], s["pieces"], w, charge(s["lane"], s), charge(s["lane"], s, True))
