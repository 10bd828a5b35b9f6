"""What `pippin help` prints. The short pages are for every day; the words in capitals have a page too."""
import re

from figures import FORM

NOUNS = {
    "batch": "batch ls [ROOM]\nbatch show BATCH\nbatch new --grower G --variety V --room ROOM --bins N --day YYYY-MM-DD\nbatch fill BATCH FIG\nbatch move BATCH ROOM",
    "grade": "grade sample BATCH --bin BIN --firm FIG --brix FIG\ngrade set BATCH CLASS",
    "lot": "lot ls\nlot show LOT\nlot new ORDER --plate PLATE\nlot load LOT BATCH FIG\nlot plate LOT PLATE\nlot seal LOT\nlot break LOT",
    "order": "order ls\norder cancel ORDER",
    "room": "room ls\nroom show ROOM\nroom open ROOM\nroom shut ROOM\nroom walk ROOM",
    "sensor": "sensor ls ROOM\nsensor book SERIAL PROBE\nsensor retire SERIAL\nsensor strip ROOM",
    "store": "store tray\nstore fold\nstore bench",
}
DEEP = {
    "FIG": "A figure is the whole tenths and the letter of the scale: k n x p c.\n124x is 12.4 Brix." if FORM == 1 else
           "A figure is the letter of the scale (k n x p c) and then the value with one place.\nx12.4 is 12.4 Brix.",
    "ROOM": "R1 to R5. A room stands under air until it is opened: --o2 FIG, the oxygen of its last reading.\nIt is shut on a strip (sensor strip) taken after the last change.",
    "BIN": "A bin of the walk (room walk ROOM): number and letter.",
    "PLATE": "MARK.ORDER.LOADS: the mark of the customer, the order, how many loads the lot has.",
    "LOT": "A lot is loaded fork by fork (store/plant.jsonl).",
    "BATCH": "B- and a number. What goes in or out of a batch goes by fork (store/plant.jsonl).",
    "FOLD": "store fold takes the tray into the store when all rooms are shut, and prints number and rows.\nThe subject of the commit carries both: %s" %
            ("[NUMBER/ROWS] in front." if FORM == 1 else "{ROWS of NUMBER} at its end."),
    "BENCH": "store bench runs the tests on a copy of the store.",
}


MORE = {"room open": "ROOM", "room shut": "ROOM", "room walk": "BIN", "store fold": "FOLD", "store bench": "BENCH", "lot seal": "PLATE", "sensor strip": "ROOM"}


def show(words):
    if not words:
        print("usage: pippin NOUN VERB ...\nnouns: %s\nmore:  pippin help NOUN, pippin NOUN VERB --help" % " ".join(sorted(NOUNS)))
    elif words[0] in NOUNS:
        lines = NOUNS[words[0]].split("\n")
        own = [l for l in lines if l.split()[:2] == words[:2]]
        for l in own or lines:
            print("pippin " + l)
        if own:
            named = sorted({w for w in re.findall(r"[A-Z]{3,}", own[0]) + MORE.get(" ".join(words[:2]), "").split() if w in DEEP})
            print("words: %s" % (" ".join(named) or "-") + (" (pippin help WORD)" if named else ""))
    elif words[0].upper() in DEEP:
        print(DEEP[words[0].upper()])
    else:
        print("no page '%s'" % words[0])
