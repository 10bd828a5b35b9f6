"""Rooms, their doors, probes and strips."""
import configparser
import hashlib
import json
import os

from figures import Stop, human, read

FIELDS = (("offset", "c"), ("low", "c"), ("high", "c"))


def last(b, room):
    return b.t["readings"][max(k for k in b.t["readings"] if k.startswith(room + "@"))]


def ini(b, room):
    return os.path.join(b.root, "sensors", room + ".ini")


def strip_path(b, room):
    return os.path.join(b.root, "strips", room + ".txt")


def content(b, room):
    return [b.t["batches"][k] for k in sorted(b.t["batches"]) if b.t["batches"][k]["room"] == room]


def strip_sum(b, room):
    with open(ini(b, room), "rb") as f:
        return hashlib.sha256(json.dumps(content(b, room)).encode() + f.read()).hexdigest()[:10]


def is_old(b, room):
    p = strip_path(b, room)
    return not os.path.exists(p) or open(p).readline().split()[-1:] != [strip_sum(b, room)]


def probes(b, room):
    conf = configparser.ConfigParser()
    try:
        conf.read(ini(b, room))
        found = {p: dict(conf[p]) for p in conf.sections()}
        for p, v in found.items():
            for field, letter in FIELDS:
                v[field] = read(v[field], letter)
            booked = b.t["probes"].get(v["serial"])
            if not booked or booked["probe"] != p or booked["state"] != "in":
                raise Stop("%s: serial %s not booked" % (p, v["serial"]))
            if not v["low"] < v["high"]:
                raise Stop("%s: low above high" % p)
    except (configparser.Error, KeyError) as e:
        raise Stop("%s.ini: %s" % (room, str(e).split("\n")[0]))
    return found


def room_ls(b):
    for r in b.t["rooms"].values():
        print("%s  %-22s %2d batches" % (r["room"], r["for"], len(content(b, r["room"]))))


def room_show(b, room):
    r, now = b.get("rooms", room), last(b, room)
    print("%s  %s" % (room, r["for"]))
    print("air    o2 %s, %s, read %s" % (human(now["o2"], "p"), human(now["c"], "c"), now["reading"].split("@")[1]))
    for x in content(b, room):
        print("batch  %s  %-7s %10s  class %s" % (x["batch"], x["variety"], human(x["kg"], "k"), x["class"] or "-"))


def room_open(b, room, o2=None):
    b.get("rooms", room)
    if b.is_open(room):
        raise Stop("is open")
    if o2 is None:
        raise Stop("o2 not told")
    if read(o2, "p") != last(b, room)["o2"]:
        raise Stop("o2 %s not the last" % o2)
    b.put("doors", {"room": room, "state": "open", "o2": read(o2, "p")})
    print("%s open" % room)


def room_shut(b, room):
    b.get("rooms", room)
    if not b.is_open(room):
        raise Stop("is shut")
    if is_old(b, room):
        raise Stop("strip is old")
    b.put("doors", dict(b.get("doors", room), state="shut"))
    print("%s shut" % room)


def room_walk(b, room):
    b.get("rooms", room)
    b.inside(room)
    for x in content(b, room):
        k = x["batch"]
        if k not in b.t["walks"] or b.t["walks"][k]["of"] != x["bins"]:
            bins, i = [], 0
            while len(bins) < 3:
                h = hashlib.sha256(("%s/%d/%d" % (k, x["bins"], i)).encode()).digest()
                mark = "%03d%s" % (h[0] % x["bins"] + 1, "CDHKLMPTX"[h[1] % 9])
                bins += [mark] if mark[:3] not in [m[:3] for m in bins] else []
                i += 1
            b.put("walks", {"batch": k, "of": x["bins"], "bins": sorted(bins)})
        print("%s  %s" % (k, " ".join(b.t["walks"][k]["bins"])))


def sensor_ls(b, room):
    b.get("rooms", room)
    for p, v in probes(b, room).items():
        print("%s  %s  offset %s  band %s to %s  %s" % (p, v["serial"], human(v["offset"], "c"), human(v["low"], "c"), human(v["high"], "c"), v["place"]))


def sensor_book(b, serial, probe):
    room = b.get("rooms", probe.split("-")[0])["room"]
    b.inside(room)
    if serial in b.t["probes"]:
        raise Stop("is booked")
    if any(p["probe"] == probe and p["state"] == "in" for p in b.t["probes"].values()):
        raise Stop("%s still has a probe" % probe)
    b.put("probes", {"serial": serial, "probe": probe, "state": "in"})
    print("%s is %s" % (serial, probe))


def sensor_retire(b, serial):
    p = b.get("probes", serial)
    b.inside(p["probe"].split("-")[0])
    b.put("probes", dict(p, state="out"))
    print("%s is out" % serial)


def sensor_strip(b, room):
    b.get("rooms", room)
    b.inside(room)
    text = ["strip %s %s" % (room, strip_sum(b, room))]
    text += ["%s %s %s %s..%s" % (p, v["serial"], human(v["offset"], "c"), human(v["low"], "c"), human(v["high"], "c")) for p, v in probes(b, room).items()]
    text += ["%s %s %s" % (x["batch"], human(x["kg"], "k"), x["class"] or "-") for x in content(b, room)]
    os.makedirs(os.path.dirname(strip_path(b, room)), exist_ok=True)
    with open(strip_path(b, room), "w") as f:
        f.write("\n".join(text) + "\n")
    print("strips/%s.txt" % room)


VERBS = {"room.ls": (room_ls, (0, 0), ()), "room.show": (room_show, (1, 1), ()), "room.open": (room_open, (1, 1), ("o2",)), "room.shut": (room_shut, (1, 1), ()),
         "room.walk": (room_walk, (1, 1), ()), "sensor.ls": (sensor_ls, (1, 1), ()), "sensor.book": (sensor_book, (2, 2), ()),
         "sensor.retire": (sensor_retire, (1, 1), ()), "sensor.strip": (sensor_strip, (1, 1), ())}
