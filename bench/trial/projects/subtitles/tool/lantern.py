"""lantern: the desk service of Halfmoon Titling.

usage: lantern call NAME '{json}'    call the desk
       lantern names                 the calls there are
       lantern help NAME             what a call does
       lantern schema NAME           for programs
"""
import hashlib
import json
import os
import re
import sys

MOVED = False  # set by setup.sh --changed
ROOM = os.environ.get("LANTERN_ROOM") or os.path.dirname(os.path.dirname(os.path.abspath(sys.argv[0])))
STORE = os.path.join(ROOM, ".lantern", "desk.json")
LANGS = {"DEU": "de", "FIN": "fi", "FRA": "fr", "NLD": "nl", "POR": "pt"}
NAMES = {"DEU": "German", "FIN": "Finnish", "FRA": "French", "NLD": "Dutch", "POR": "Portuguese"}
WAYS = {"f": "formal", "i": "informal", "n": "plain"}
WHYS = {"CONF": "the picture was cut again", "RIGHTS": "rights", "TERM": "a term changed", "TEXT": "the wording changed",
        "TOOL": "a tool was mended"}
PRINT = "release" if MOVED else "fair"


class Fault(Exception):
    pass


def sha(data):
    return hashlib.sha256(data).hexdigest()


def seal(desk):
    return sha(("halfmoon-desk" + json.dumps(desk, sort_keys=True)).encode())


def load():
    with open(STORE, encoding="utf-8") as f:
        doc = json.load(f)
    if seal(doc["desk"]) != doc["seal"]:
        raise Fault("500 desk was written by another hand")
    return doc["desk"]


def save(desk):
    os.makedirs(os.path.dirname(STORE), exist_ok=True)
    with open(STORE + ".new", "w", encoding="utf-8") as f:
        json.dump({"seal": seal(desk), "desk": desk}, f, ensure_ascii=False, indent=1, sort_keys=True)
    os.replace(STORE + ".new", STORE)


# ---- values

def shown(code):
    lang, way = code.split(".")
    return "%s+%s" % (LANGS[lang], WAYS[way]) if MOVED else code


def code_of(given):
    for lang in LANGS:
        for way in WAYS:
            if shown(lang + "." + way) == given:
                return lang + "." + way
    raise Fault("404 no such track")


def turn(key, title):
    return sha(("%s/%d" % (key, title["writes"])).encode())[:5]


def title_of(desk, a):
    if a["title"] not in desk["titles"]:
        raise Fault("404 no such title")
    return desk["titles"][a["title"]]


def track_of(desk, a):
    title, code = title_of(desk, a), code_of(a["track"])
    if code not in title["tracks"]:
        raise Fault("404 no such track")
    return title, title["tracks"][code]


def drop_row(d):
    return dict(d, track=shown(d["track"]), src=d["src"][:12], out=d["out"][:12])


# ---- calls

CALLS = {}


def call(name, line, fields="", hidden="", optional=""):
    def keep(fn):
        CALLS[name] = (fn, line, fields.split(), hidden.split(), optional.split())
        return fn
    return keep


@call("title.list", "the titles on the desk")
def _(desk, a):
    return [{"title": k, "name": t["name"], "client": t["client"], "kind": t["kind"]} for k, t in sorted(desk["titles"].items())]


@call("title.get", "one title", "title")
def _(desk, a):
    t = title_of(desk, a)
    tracks = [{"language": NAMES[c[:3]], "address": WAYS[c[4:]], "source": x["source"], "by": x["by"],
               "state": "in work" if x["state"] == "open" else "done"} for c, x in sorted(t["tracks"].items())]
    return {"title": a["title"], "name": t["name"], "client": t["client"], "kind": t["kind"], "turn": turn(a["title"], t), "tracks": tracks}


@call("lang.list", "languages and ways of address")
def _(desk, a):
    return {"languages": sorted(LANGS.values() if MOVED else LANGS), "address": sorted(WAYS.values()) if MOVED else WAYS}


@call("why.list", "reasons")
def _(desk, a):
    return WHYS


@call("term.list", "terms of a title", "title")
def _(desk, a):
    return {k: {shown(c): x for c, x in v.items()} for k, v in title_of(desk, a)["terms"].items()}


@call("term.set", "set the wording of a term in a track", "title track term text", "turn")
def _(desk, a):
    title, _track = track_of(desk, a)
    if a["term"] not in title["terms"]:
        raise Fault("404 no such term")
    title["terms"][a["term"]][code_of(a["track"])] = a["text"]


@call("track.open", "begin a track; source is its file, by the translator", "title track source by", "turn")
def _(desk, a):
    title, code = title_of(desk, a), code_of(a["track"])
    if code in title["tracks"]:
        raise Fault("409 track is there")
    if not os.path.exists(os.path.join(ROOM, a["source"])):
        raise Fault("400 source is not a file")
    title["tracks"][code] = {"source": a["source"], "by": a["by"], "state": "open", "put": None}


@call("track.thaw", "make a track workable; why is a reason", "title track why", "turn")
def _(desk, a):
    _title, track = track_of(desk, a)
    if a["why"] not in WHYS:
        raise Fault("400 why is not a reason")
    track.update(state="open", put=None)


@call("track.put", "hand in the print of a track; file is below out/", "title track file", "turn")
def _(desk, a):
    _title, track = track_of(desk, a)
    if track["state"] != "open":
        raise Fault("423 frozen")
    path = os.path.join(ROOM, a["file"])
    try:
        with open(path, "rb") as f, open(path + ".slip", encoding="utf-8") as g:
            out, slip = sha(f.read()), json.load(g)
    except OSError:
        raise Fault("400 file is not a print")
    if slip["source"] != track["source"]:
        raise Fault("409 print of another track")
    with open(os.path.join(ROOM, slip["source"]), "rb") as f:
        if sha(f.read()) != slip["src"] or out != slip["out"]:
            raise Fault("409 print is not of this source")
    if slip["kind"] != PRINT:
        raise Fault("415 not for the bay")
    track["put"] = {"take": slip["take"], "src": slip["src"], "out": out}


@call("drop.make", "drop what was put into the client's bay; order is the client's number", "title track order", "turn proof")
def _(desk, a):
    _title, track = track_of(desk, a)
    if not track["put"]:
        raise Fault("409 nothing was put")
    if a.get("proof") != sha(("halfmoon" + track["put"]["out"]).encode())[:7]:
        raise Fault("412 unproved")
    desk["last"] += 1
    d = dict(track["put"], drop="D%d" % desk["last"], title=a["title"], track=code_of(a["track"]), order=a["order"],
             source=track["source"], state="in the bay")
    desk["drops"].append(d)
    track.update(state="frozen", put=None)
    return drop_row(d)


@call("drop.list", "drops, oldest first", "", "", "title track source")
def _(desk, a):
    want = dict(a, track=code_of(a["track"])) if "track" in a else a
    return [drop_row(d) for d in desk["drops"] if all(d[k] == v for k, v in want.items())]


@call("drop.pull", "take a drop out of the client's bay", "title drop", "turn")
def _(desk, a):
    title_of(desk, a)
    for d in desk["drops"]:
        if d["drop"] == a["drop"] and d["title"] == a["title"]:
            if d["state"] != "in the bay":
                raise Fault("409 pulled before")
            d["state"] = "pulled"
            return drop_row(d)
    raise Fault("404 no such drop")


def answer(name, a):
    if name not in CALLS:
        raise Fault("405 no such call")
    fn, _line, fields, hidden, optional = CALLS[name]
    odd = [k for k in a if k not in fields + hidden + optional]
    if odd:
        raise Fault("400 %s is not a field" % odd[0])
    for k in fields:
        if not isinstance(a.get(k), str) or not a[k]:
            raise Fault("400 %s is wanted" % k)
    desk = load()
    if "turn" not in hidden:
        return fn(desk, a)
    title = title_of(desk, a)
    if "track" in a:
        code_of(a["track"])
    if a.get("turn") != turn(a["title"], title):
        raise Fault("428 out of turn")
    got = fn(desk, a)
    title["writes"] += 1
    save(desk)
    return got or {"done": name}


def schema(name):
    _fn, line, fields, hidden, optional = CALLS[name]
    pattern = r"^[a-z]{2}\+(formal|informal|plain)$" if MOVED else r"^[A-Z]{3}\.[fin]$"
    props = {k: {"type": "string", **({"pattern": pattern} if k == "track" else {})} for k in fields + hidden + optional}
    return {"title": name, "type": "object", "properties": props, "required": fields + hidden}


def main(args):
    if args[:1] == ["names"]:
        print("\n".join("%-12s %s" % (k, v[1]) for k, v in CALLS.items()))
    elif len(args) == 2 and args[0] in ("help", "schema") and args[1] in CALLS:
        if args[0] == "schema":
            print(json.dumps(schema(args[1]), indent=1))
        else:
            print("%s  %s\nfields: %s" % (args[1], CALLS[args[1]][1], ", ".join(CALLS[args[1]][2]) or "none"))
    elif len(args) in (2, 3) and args[0] == "call":
        try:
            try:
                a = json.loads(args[2] if len(args) == 3 else "{}")
                if not isinstance(a, dict):
                    raise ValueError
            except ValueError:
                raise Fault("400 not a JSON object")
            print(json.dumps(answer(args[1], a), ensure_ascii=False, indent=1))
        except Fault as e:
            print("lantern %s" % e, file=sys.stderr)
            return 4
    else:
        print(__doc__.strip(), file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
