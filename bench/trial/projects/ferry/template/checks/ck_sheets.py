from sundline import sheets


def ck_routes_lead_to_ports():
    ports = {p["port"] for p in sheets.load("ports")}
    for r in sheets.load("routes"):
        assert {r["from"], r["to"]} <= ports, r


def ck_every_route_has_fares():
    fares = {(t["route"], t["category"], t["band"]) for t in sheets.load("tariffs")}
    categories = {t["category"] for t in sheets.load("tariffs")}
    for r in sheets.load("routes"):
        for c in categories:
            for b in ("low", "high"):
                assert (r["route"], c, b) in fares, (r["route"], c, b)
