"""The first content of the data service."""


def data():
    b = {"lease": None, "last": 308, "sheets": {}, "samples": {}}
    b["benches"] = {"B0": {"name": "Records office", "page": 41}, "B1": {"name": "Reception", "page": 230}, "B2": {"name": "Preparation", "page": 88},
                    "B3": {"name": "Ion room", "page": 118}, "B4": {"name": "Metals room", "page": 64}}
    b["methods"] = {"M-NO3": {"name": "Nitrate", "carrier": "ug.L-1"}, "M-PO4": {"name": "Phosphate", "carrier": "ug.L-1"}, "M-CL": {"name": "Chloride", "carrier": "ug.L-1"},
                    "M-PB": {"name": "Lead, dissolved", "carrier": "ng.L-1"}, "M-CU": {"name": "Copper, dissolved", "carrier": "ng.L-1"}}
    b["instruments"] = {"IC-2": {"name": "Ion chromatograph", "bench": "B3", "methods": ["M-NO3", "M-PO4", "M-CL"]},
                        "ICP-1": {"name": "Plasma mass spectrometer", "bench": "B4", "methods": ["M-PB", "M-CU"]}}
    names = ["Quay North", "Quay South", "Lock Basin", "Mill Race", "Eel Weir", "Ferry Slip", "Upper Sluice", "Outfall 4", "Saltings"]
    b["sites"] = {"L-%02d" % (i + 1): {"name": n} for i, n in enumerate(names)}
    b["people"] = {"P-01": {"name": "M Oduya"}, "P-02": {"name": "J Lindqvist"}, "P-03": {"name": "Duty analyst"}, "P-04": {"name": "T Brandt"}}
    b["clients"] = {"C-11": {"name": "Harbour Board"}, "C-14": {"name": "Vale Mill"}, "C-17": {"name": "Town Council"}, "C-21": {"name": "Norrland Isotope Centre"}, "C-22": {"name": "Estuary Institute"}}
    for i in range(26):
        b["samples"]["W-%04d" % (401 + i)] = {"site": "L-%02d" % (i * 4 % 9 + 1), "volume": 1000 if i % 3 else 2000, "taken": ["2029-10-%02d" % (1 + i // 7), 485 + i * 7], "state": "in store"}

    def sheet(n, kind, header, page, rows):
        b["sheets"]["S-%04d" % n] = {"kind": kind, "header": header, "page": page, "bench": page.split("/")[0], "rows": rows, "state": "released", "checked": False}
    sheet(305, "run", {"method": "M-NO3", "instrument": "IC-2", "started": ["2029-10-02", 545]}, "B3/116",
          [{"sample": "W-%04d" % (401 + i), "value": v, "read": ["2029-10-02", 560 + 12 * i]} for i, v in enumerate([2140, 2310, 870, 4420, 15600, 990])])
    sheet(306, "cal", {"method": "M-PB", "instrument": "ICP-1", "performed": ["2029-10-02", 500]}, "B4/62",
          [{"level": i, "expected": e, "observed": o} for i, (e, o) in enumerate([(0, 2), (500, 497), (1000, 1008), (5000, 4986)])])
    sheet(307, "run", {"method": "M-PB", "instrument": "ICP-1", "started": ["2029-10-02", 640]}, "B4/63",
          [{"sample": "W-%04d" % (402 + i), "value": v, "read": ["2029-10-02", 655 + 9 * i]} for i, v in enumerate([310, 1250, 420, 6100, 77, 1900, 505])])
    sheet(308, "limit", {"method": "M-PB", "from": ["2029-10-03", 0]}, "B0/40", [{"site": "L-08", "action": 5000, "alarm": 9000}])
    return b
