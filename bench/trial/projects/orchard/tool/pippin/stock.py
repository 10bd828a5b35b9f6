"""Batches and their grades."""
import json
import os
import re

from figures import Stop, human, read


def fork(b, kg):
    if kg > b.get("plant", "fork")["kg"]:
        raise Stop("over the fork")
    if kg <= 0:
        raise Stop("nothing to carry")
    return kg


def need(**opts):
    for k, v in opts.items():
        if v is None:
            raise Stop("--%s?" % k)


def batch_ls(b, room=None):
    for k, x in sorted(b.t["batches"].items()):
        if room in (None, x["room"]):
            print("%s  %s  %-8s %3d bins %10s  class %s  grower %s" % (k, x["room"], x["variety"], x["bins"], human(x["kg"], "k"), x["class"] or "-", x["grower"]))


def batch_show(b, batch):
    x = b.get("batches", batch)
    batch_ls_row = "%s  %s, %s of %s, in %s" % (batch, x["variety"], human(x["kg"], "k"), b.get("growers", x["grower"])["name"], x["in"])
    print(batch_ls_row + "\nroom %s, %d bins, class %s" % (x["room"], x["bins"], x["class"] or "-"))
    for s in samples(b, batch):
        print("bin %s  firm %s  brix %s" % (s["bin"], human(s["firm"], "n"), human(s["brix"], "x")))


def batch_new(b, grower=None, variety=None, room=None, bins=None, day=None):
    need(grower=grower, variety=variety, room=room, bins=bins, day=day)
    b.get("growers", grower), b.get("rooms", room), sheet(b, variety)
    if not bins.isdigit() or int(bins) < 4:
        raise Stop("bins '%s'" % bins)
    if not re.fullmatch(r"\d{4}-\d\d-\d\d", day):
        raise Stop("day '%s'" % day)
    b.inside(room)
    k = "B-%d" % (max(int(x[2:]) for x in b.t["batches"]) + 1)
    b.put("batches", {"batch": k, "grower": grower, "variety": variety, "room": room, "bins": int(bins), "kg": 0, "class": None, "in": day})
    print(k)


def batch_fill(b, batch, kg):
    x = b.get("batches", batch)
    b.inside(x["room"])
    x["kg"] += fork(b, read(kg, "k"))
    b.put("batches", x)
    print("%s  %s" % (batch, human(x["kg"], "k")))


def batch_move(b, batch, room):
    x = b.get("batches", batch)
    b.get("rooms", room)
    b.inside(x["room"])
    b.inside(room)
    b.put("batches", dict(x, room=room))
    print("%s in %s" % (batch, room))


def sheet(b, variety):
    path = os.path.join(b.root, "specs", variety + ".json")
    if not os.path.exists(path):
        raise Stop("no sheet for %s" % variety)
    return json.load(open(path))


def samples(b, batch):
    walk = b.t["walks"].get(batch, {"bins": []})["bins"]
    return [b.t["samples"][k] for k in sorted(b.t["samples"]) if k.split("/")[0] == batch and k.split("/")[1] in walk]


def grade_sample(b, batch, bin=None, firm=None, brix=None):
    need(bin=bin, firm=firm, brix=brix)
    x = b.get("batches", batch)
    b.inside(x["room"])
    firm, brix = read(firm, "n"), read(brix, "x")
    if bin not in b.t["walks"].get(batch, {"bins": []})["bins"]:
        raise Stop("no such bin '%s'" % bin)
    b.put("samples", {"sample": "%s/%s" % (batch, bin), "batch": batch, "bin": bin, "firm": firm, "brix": brix})
    print("%s  bin %s" % (batch, bin))


def grade_set(b, batch, letter):
    x = b.get("batches", batch)
    b.inside(x["room"])
    walk, s = b.t["walks"].get(batch, {"bins": []})["bins"], samples(b, batch)
    if not s or len(s) < len(walk):
        raise Stop("%d of 3 samples" % len(s))
    from fruit.grading import class_of
    says = class_of(sheet(b, x["variety"]), [{"firm": r["firm"], "brix": r["brix"]} for r in s])
    if says != letter:
        raise Stop("class %s, samples say %s" % (letter, says))
    b.put("batches", dict(x, **{"class": letter}))
    print("%s  class %s" % (batch, letter))


VERBS = {"batch.ls": (batch_ls, (0, 1), ()), "batch.show": (batch_show, (1, 1), ()), "batch.new": (batch_new, (0, 0), ("grower", "variety", "room", "bins", "day")),
         "batch.fill": (batch_fill, (2, 2), ()), "batch.move": (batch_move, (2, 2), ()), "grade.sample": (grade_sample, (1, 1), ("bin", "firm", "brix")),
         "grade.set": (grade_set, (2, 2), ())}
