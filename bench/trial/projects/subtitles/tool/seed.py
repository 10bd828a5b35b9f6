"""The desk as a fresh workspace has it."""
import os

TITLES = [
    ("HM-118", "Lost Umbrellas", "Harbour Shorts", "film", [("FRA.f", "fr", "L Giraud", "HS-0071")], {}),
    ("HM-204", "The Salt Lamp 4", "Norrsken", "film", [("DEU.f", "de", "J Sander", "NK-5490"), ("FRA.f", "fr", "L Giraud", "NK-5471")],
     {"warden": {"DEU.f": "Aufseher", "FRA.f": "gardien"}, "salt flats": {"FRA.f": "salines"}}),
    ("HM-205", "The Salt Lamp 5", "Norrsken", "film", [("DEU.f", "de", "J Sander", "NK-5502")], {"warden": {"DEU.f": "Aufseher"}}),
    ("HM-310", "Glass", "Vitrine Pictures", "film", [("DEU.f", "de", "J Sander", "VP-2260"), ("NLD.i", "nl", "M de Wit", "VP-2261")], {}),
    ("PLAYER", "Player", "Brightwater", "table", [("DEU.i", "de", "J Sander", "BW-0911"), ("FIN.n", "fi", "A Salo", "BW-0912")], {}),
]


def desk(root, weft, kind):
    """The first desk: every track is frozen and its last drop is in the bay."""
    here, last, drops, titles = os.getcwd(), 380, [], {}
    os.chdir(root)
    try:
        for key, name, client, sort, tracks, terms in TITLES:
            titles[key] = {"name": name, "client": client, "kind": sort, "writes": len(key) + len(tracks), "terms": terms, "tracks": {}}
            for code, lang, by, order in tracks:
                path = "titles/%s/%s.cue" % (key, lang) if sort == "film" else "tables/%s/%s.tab" % (key, lang)
                text = weft.read(path)
                last += 3
                drops.append({"drop": "D%d" % last, "title": key, "track": code, "order": order, "source": path, "state": "in the bay",
                              "take": int(weft.head(path, text)["take"]), "src": weft.sha(text), "out": weft.sha(weft.make(path, text, kind))})
                titles[key]["tracks"][code] = {"source": path, "by": by, "state": "frozen", "put": None}
    finally:
        os.chdir(here)
    return {"last": last, "titles": titles, "drops": drops}
