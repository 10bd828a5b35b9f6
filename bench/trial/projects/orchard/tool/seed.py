"""The books as they stand on the morning of 18 October 2033 (amounts in tenths)."""


def batch(k, grower, variety, room, bins, kg, letter, day):
    return {"batch": k, "grower": grower, "variety": variety, "room": room, "bins": bins, "kg": kg, "class": letter, "in": day}


BATCHES = [
    batch("B-3090", "G03", "elstar", "R5", 14, 38200, "C", "2033-09-05"), batch("B-3098", "G12", "gala", "R3", 52, 90500, "B", "2033-09-08"),
    batch("B-3101", "G07", "gala", "R1", 48, 78400, "A", "2033-09-12"), batch("B-3103", "G03", "elstar", "R2", 60, 81600, "B", "2033-09-13"),
    batch("B-3107", "G12", "gala", "R1", 15, 41000, "A", "2033-09-15"), batch("B-3110", "G19", "gala", "R1", 22, 61300, "A", "2033-09-16"),
    batch("B-3112", "G07", "gala", "R3", 31, 86700, "A", "2033-09-19"), batch("B-3115", "G03", "elstar", "R2", 26, 72800, "A", "2033-09-21"),
    batch("B-3117", "G19", "gala", "R3", 18, 49900, "B", "2033-09-22"), batch("B-3118", "G21", "conference", "R4", 24, 66000, "A", "2033-09-23"),
    batch("B-3120", "G03", "elstar", "R4", 33, 91200, None, "2033-10-11"), batch("B-3124", "G21", "conference", "R4", 12, 32600, None, "2033-10-12")]
SAMPLES = {"B-3090": [(44, 112), (47, 109), (49, 113)], "B-3098": [(58, 117), (61, 115), (63, 118)], "B-3101": [(70, 126), (68, 123), (71, 129)],
           "B-3103": [(55, 119), (57, 121), (54, 118)], "B-3107": [(69, 122), (66, 125), (72, 121)], "B-3110": [(74, 124), (61, 127), (69, 123)],
           "B-3112": [(67, 121), (66, 126), (69, 124)], "B-3115": [(62, 128), (65, 126), (63, 130)], "B-3117": [(63, 119), (52, 116), (60, 121)],
           "B-3118": [(57, 120), (60, 122), (56, 119)]}
LOTS = [(34, 4401, "hb4.4401.3", "sealed", [["B-3101", 24000], ["B-3101", 24000], ["B-3101", 13000]]),
        (35, 4406, "vc2.4406.4", "sealed", [["B-3103", 24000], ["B-3103", 24000], ["B-3103", 22000], ["B-3103", 20000]]),
        (36, 4412, "hb4.4412.3", "sealed", [["B-3098", 24000], ["B-3098", 24000], ["B-3098", 16000]])]
ORDERS = [(4401, "Harbeck & Sons", "gala", "A", 61000, "2033-10-10", "packed"), (4406, "Vauclair", "elstar", "B", 90000, "2033-10-13", "packed"),
          (4412, "Harbeck & Sons", "gala", "B", 64000, "2033-10-20", "packed"), (4417, "Polder Fresh", "gala", "A", 68000, "2033-10-20", "open"),
          (4421, "Obst Tolle", "gala", "B", 53000, "2033-10-21", "open"), (4425, "Vauclair", "conference", "B", 30000, "2033-10-25", "open")]
AIR = {"R1": (21, 19, 8), "R2": (17, 16, 11), "R3": (22, 23, 7), "R4": (14, 18, -4), "R5": (206, 205, 34)}
FOR = {"R1": "apples, long keeping", "R2": "apples", "R3": "apples, long keeping", "R4": "apples and pears", "R5": "juice, no gas"}
PLACES = ["door side", "middle, low", "rear wall"]
OFFSETS = [2, -1, 0, 3, -2]


def serial(room, p):
    return "KX-%d" % (20380 + 37 * int(room[1]) + 11 * p)


def sensors(write):
    """The text of each sensors/ROOM.ini."""
    out = {}
    for i, room in enumerate(sorted(AIR)):
        mid = AIR[room][2]
        out[room] = "; probes of %s\n" % room + "".join(
            "\n[%s-p%d]\nserial = %s\noffset = %s\nlow = %s\nhigh = %s\nplace = %s\n" % (room, p, serial(room, p), write(OFFSETS[(i + p) % 5], "c"),
                                                                                 write(mid - 9, "c"), write(mid + 8, "c"), PLACES[p - 1]) for p in (1, 2, 3))
    return out


def tables():
    t = {"batches": BATCHES, "walks": [], "samples": [], "doors": []}
    for k, s in SAMPLES.items():
        of = next(x["bins"] for x in BATCHES if x["batch"] == k)
        n = int(k[2:])
        bins = sorted("%03d%s" % ((n * 7 + i * (of // 3)) % of + 1, "CDHKLMPTX"[(n + 4 * i) % 9]) for i in range(3))
        t["walks"].append({"batch": k, "of": of, "bins": bins})
        t["samples"] += [{"sample": "%s/%s" % (k, m), "batch": k, "bin": m, "firm": f, "brix": x} for m, (f, x) in zip(bins, s)]
    t["lots"] = [dict(zip(("lot", "order", "plate", "state", "loads"), l)) for l in LOTS]
    t["orders"] = [dict(zip(("order", "customer", "variety", "class", "kg", "ships", "state"), o)) for o in ORDERS]
    t["customers"] = [{"customer": c, "mark": m, "town": w} for c, m, w in (("Harbeck & Sons", "hb4", "Leeds"), ("Vauclair", "vc2", "Lille"),
                                                                           ("Polder Fresh", "pf6", "Goes"), ("Obst Tolle", "tf9", "Kassel"))]
    t["growers"] = [{"grower": g, "name": n} for g, n in (("G03", "Hof Amelung"), ("G07", "Ridge Farm"), ("G12", "Sisters Dekker"), ("G19", "Hof Rehm"), ("G21", "Pear Hill"))]
    t["rooms"] = [{"room": r, "for": f} for r, f in FOR.items()]
    t["readings"] = [{"reading": "%s@%s" % (r, at), "o2": v[j], "c": v[2] + j} for r, v in AIR.items() for j, at in enumerate(("2033-10-17T18:00", "2033-10-18T06:00"))]
    t["probes"] = [{"serial": serial(r, p), "probe": "%s-p%d" % (r, p), "state": "in"} for r in AIR for p in (1, 2, 3)]
    t["plant"] = [{"key": "fork", "kg": 24000, "made": "Lowther 2029"}, {"key": "gate", "tonnes": 24}, {"key": "scale", "kg": 600000}]
    t["doors"] = [{"room": r, "state": "shut", "o2": v[0]} for r, v in AIR.items()]
    return t
