"""reel: cards, bench and shelves."""
import re, sys
import core
from core import No

USAGE = {
    "find": "WORD", "show": "CARD", "plan": "ROOM", "status": "", "pull": "CARD...", "refile": "CARD...", "bench": "CAN...",
    "reading": "CAN LENGTH SHRINK", "shelve": "CAN PLACE", "remark": "CARD TEXT", "proof": "",
}
HIDDEN = {"topic": "[NAME]", "hook": "FILE"}
SEE = {"plan": "rooms", "pull": "drawer", "refile": "drawer", "bench": "bench", "reading": "length", "shelve": "mark", "remark": "drawer", "hook": "daybook"}
TOPICS = {
    "bench": "Cans are handled on the bench only. `reel bench CAN...` brings them there from the shelf or the hatch, then they can be\n"
             "measured (reading) and put away (shelve). The bench bears %d kg; put cans away before you bring more." % core.BENCH_KG,
    "daybook": "Each commit brings one line of its own at the top of DAYBOOK.txt:\n  SEASON/NUMBER INITIALS CARDS TEXT\n"
               "NUMBER runs on from the line below, INITIALS are in staff.txt, CARDS are the cards that the commit changes (ascending,\n"
               "comma between, - for none), TEXT is the subject of the commit.",
    "drawer": "Cards live in the drawer. `reel pull CARD...` takes them out for writing, `reel refile CARD...` puts them back.",
    "length": "Lengths are given as the counter on the bench shows them: feet, a plus sign, frames in two digits, 640+09.\n"
              "A foot has 16 frames on 35 mm and 40 on 16 mm.",
    "mark": "A can goes to a full mark: the place, a slash and the letter on the shelf's label. The letter is the second\ncolumn of `reel plan ROOM`: place N1.01.1 with letter Q is N1.01.1/Q.",
    "rooms": "A1, A2: acetate. C2: cold store, acetate. N1, N2: nitrate, nothing else.",
}


def pulled(number):
    c = core.card(number)
    if number not in core.out_cards():
        raise No("%s: in the drawer" % number)
    return c


def at_bench(name):
    c, k = core.can(name)
    pulled(c.number)
    if k["place"] != "bench":
        raise No("%s: out of reach" % name)
    return c, k


def find(word):
    for c in core.cards():
        if word.lower() in c.text().lower():
            print(c.number, c.fields["title"], c.fields["year"])


def show(number):
    print(core.card(number).text(), end="")


def plan(room):
    if room not in core.ROOMS:
        raise No("%s: no such room" % room)
    held = core.where()
    for p in core.places(room):
        print(p, core.label(p), held.get(p, "free"))


def status():
    print("cards out:", " ".join(core.out_cards()) or "none")
    print("on the bench:", " ".join("%s/%d" % (c.number, n) for c in core.cards() for n, k in c.cans.items() if k["place"] == "bench") or "none")


def pull(*numbers):
    core.set_out(core.out_cards() + [core.card(n).number for n in numbers])
    print("out:", *numbers)


def refile(*numbers):
    core.set_out(n for n in core.out_cards() if n not in numbers)
    print("refiled:", *numbers)


def bench(*names):
    for name in names:
        c, k = core.can(name)
        pulled(c.number)
        if k["place"] == "bench":
            continue
        if "." not in k["place"] and k["place"] != "hatch":
            raise No("%s: away (%s)" % (name, k["place"]))
        load = sum(o["kg"] for d in core.cards() for o in d.cans.values() if o["place"] == "bench")
        if load + k["kg"] > core.BENCH_KG:
            raise No("%s: bench will not bear it" % name)
        print("%s from %s" % (name, k["place"]))
        k["place"] = "bench"
        c.save()


def reading(name, length, shrink):
    c, k = at_bench(name)
    m = re.fullmatch(r"(\d{1,4})\+(\d\d)", length)
    if not m or int(m[2]) >= core.FRAMES[c.fields["gauge"]]:
        raise No("'%s': no such length" % length)
    if not re.fullmatch(r"\d\.\d%?", shrink):
        raise No("'%s': shrinkage is percent with one decimal, like 0.7" % shrink)
    k.update(length="%dft %dfr" % (int(m[1]), int(m[2])), shrink=shrink.rstrip("%") + "%", season=core.SEASON)
    c.save()
    print(name, k["length"], k["shrink"], k["season"])


def shelve(name, mark):
    c, k = at_bench(name)
    place, rest = mark[:7], mark[7:]
    if place[:2] not in core.ROOMS or place not in core.places(place[:2]):
        raise No("%s: no such place" % mark)
    if rest != "/" + core.label(place):
        raise No("%s: label not read" % mark)
    if place in core.where():
        raise No("%s: taken by %s" % (place, core.where()[place]))
    if (place[0] == "N") != (c.fields["base"] == "nitrate"):
        raise No("%s: wrong room for %s" % (place, c.fields["base"]))
    k["place"] = place
    c.save()
    print(name, "at", place)


def remark(number, text):
    c = pulled(number)
    c.fields["remark"] = text
    c.save()


def proof():
    bad = core.proof()
    print("\n".join(bad) or "proof: in order")
    return bool(bad)


def topic(name=""):
    if name and name not in TOPICS:
        raise No("%s: no such topic" % name)
    print(TOPICS[name] if name else "\n".join(sorted(TOPICS)))


def hook(path):
    subject = open(path).read().split("\n")[0].strip()
    core.daybook(core.git("show", "HEAD:DAYBOOK.txt"), core.git("show", ":DAYBOOK.txt"), core.git("diff", "--cached", "--name-only"), subject)


def main(argv):
    if not argv or argv[0] in ("-h", "--help", "help"):
        print("usage: reel COMMAND ...\n\n" + "\n".join("  reel %s %s" % i for i in USAGE.items()))
        return 0 if argv else 2
    name, args = argv[0], argv[1:]
    usage = {**USAGE, **HIDDEN}.get(name)
    if usage is None:
        raise No("%s: no such command" % name)
    if "-h" in args or "--help" in args:
        print("usage: reel %s %s" % (name, usage) + ("\nsee: reel topic %s" % SEE[name] if name in SEE else ""))
        return 0
    words = usage.split()
    if len(args) < sum(not w.startswith("[") for w in words) or (len(args) > len(words) and not usage.endswith("...")):
        raise No("usage: reel %s %s" % (name, usage))
    return globals()[name](*args)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]) or 0)
    except No as e:
        print(e if str(e).startswith("daybook") else "reel: %s" % e, file=sys.stderr)
        sys.exit(1)
