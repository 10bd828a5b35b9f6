"""Orders and shipping lots."""
from figures import Stop, human, read
from stock import fork, need


def order_ls(b):
    for k, o in sorted(b.t["orders"].items()):
        print("%s  %-20s %-10s class %s %10s  ships %s  %s" % (k, o["customer"], o["variety"], o["class"], human(o["kg"], "k"), o["ships"], o["state"]))


def order_cancel(b, order):
    o = b.get("orders", order)
    for l in b.t["lots"].values():
        if l["order"] == o["order"] and l["state"] != "broken":
            raise Stop("lot %d stands" % l["lot"])
    b.put("orders", dict(o, state="cancelled"))
    print("%s cancelled" % order)


def lot_ls(b):
    for k, l in sorted(b.t["lots"].items()):
        print("%s  order %d  %10s  %s" % (k, l["order"], human(sum(kg for _, kg in l["loads"]), "k"), l["state"]))


def lot_show(b, lot):
    l = b.get("lots", lot)
    print("lot %s  order %d  plate %s  %s" % (lot, l["order"], l["plate"], l["state"]))
    for batch, kg in l["loads"]:
        print("  %s  %s" % (batch, human(kg, "k")))


def being_made(b, lot):
    l = b.get("lots", lot)
    if l["state"] != "open":
        raise Stop("is %s" % l["state"])
    return l


def lot_new(b, order, plate=None):
    need(plate=plate)
    o = b.get("orders", order)
    if o["state"] != "open":
        raise Stop("is %s" % o["state"])
    k = max(int(x) for x in b.t["lots"]) + 1
    b.put("lots", {"lot": k, "order": o["order"], "plate": plate, "state": "open", "loads": []})
    print("lot %d" % k)


def lot_plate(b, lot, plate):
    b.put("lots", dict(being_made(b, lot), plate=plate))
    print("lot %s  plate %s" % (lot, plate))


def lot_load(b, lot, batch, kg):
    l, x = being_made(b, lot), b.get("batches", batch)
    o = b.get("orders", l["order"])
    b.inside(x["room"])
    kg = fork(b, read(kg, "k"))
    if kg > x["kg"]:
        raise Stop("%s has %s" % (batch, human(x["kg"], "k")))
    if x["variety"] != o["variety"] or not x["class"] or x["class"] > o["class"]:
        raise Stop("%s is %s class %s" % (batch, x["variety"], x["class"] or "-"))
    b.put("batches", dict(x, kg=x["kg"] - kg))
    b.put("lots", dict(l, loads=l["loads"] + [[batch, kg]]))
    print("lot %s  %d loads  %s" % (lot, len(l["loads"]) + 1, human(sum(k for _, k in l["loads"]) + kg, "k")))


def right_plate(b, l):
    o = b.get("orders", l["order"])
    return "%s.%d.%d" % (b.get("customers", o["customer"])["mark"], o["order"], len(l["loads"]))


def lot_seal(b, lot):
    l = being_made(b, lot)
    o = b.get("orders", l["order"])
    kg = sum(k for _, k in l["loads"])
    if kg != o["kg"]:
        raise Stop("%s of %s" % (human(kg, "k"), human(o["kg"], "k")))
    if l["plate"] != right_plate(b, l):
        raise Stop("plate")
    b.put("lots", dict(l, state="sealed"))
    b.put("orders", dict(o, state="packed"))
    print("lot %s sealed" % lot)


def lot_break(b, lot):
    l = b.get("lots", lot)
    if l["state"] not in ("open", "sealed"):
        raise Stop("is %s" % l["state"])
    for batch, _ in l["loads"]:
        b.inside(b.get("batches", batch)["room"])
    for batch, kg in l["loads"]:
        x = b.get("batches", batch)
        b.put("batches", dict(x, kg=x["kg"] + kg))
    b.put("lots", dict(l, state="broken", loads=[]))
    o = b.get("orders", l["order"])
    if o["state"] == "packed":
        b.put("orders", dict(o, state="open"))
    print("lot %s broken" % lot)


VERBS = {"order.ls": (order_ls, (0, 0), ()), "order.cancel": (order_cancel, (1, 1), ()), "lot.ls": (lot_ls, (0, 0), ()), "lot.show": (lot_show, (1, 1), ()),
         "lot.new": (lot_new, (1, 1), ("plate",)), "lot.plate": (lot_plate, (2, 2), ()), "lot.load": (lot_load, (3, 3), ()), "lot.seal": (lot_seal, (1, 1), ()),
         "lot.break": (lot_break, (1, 1), ())}
