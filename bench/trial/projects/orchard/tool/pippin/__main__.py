"""pippin: the books of the cold-store. NOUN VERB [things] [--option value]"""
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(sys.argv[0])))
sys.path.append(ROOT)
import books
import helptext
import hooks
import lots
import rooms
import stock
from figures import Stop

VERBS = {**rooms.VERBS, **stock.VERBS, **lots.VERBS, **hooks.VERBS}


def split(words):
    """Things and options; a figure below zero is a thing."""
    things, opts, i = [], {}, 0
    while i < len(words):
        if words[i].startswith("--"):
            if i + 1 == len(words):
                raise Stop("%s wants a value" % words[i])
            opts[words[i][2:]] = words[i + 1]
            i += 2
        else:
            things.append(words[i])
            i += 1
    return things, opts


def main(argv):
    if not argv or argv[0] in ("help", "-h", "--help"):
        return helptext.show(argv[1:])
    if argv[0] == "--version":
        return print("pippin %d.2" % (6 + helptext.FORM))
    if "-h" in argv or "--help" in argv:
        return helptext.show([w for w in argv[:2] if not w.startswith("-")])
    name = ".".join(argv[:2])
    if name not in VERBS:
        raise Stop("verb?", name)
    act, count, known = VERBS[name]
    name = "commit" if argv[0] == "hook" else name
    things = argv[2:3] if name == "commit" else []
    try:
        if name != "commit":
            things, opts = split(argv[2:])
            if not count[0] <= len(things) <= count[1]:
                raise Stop("%d things" % len(things))
            for o in opts:
                if o not in known:
                    raise Stop("option --%s" % o)
            act(books.Books(ROOT), *things, **{k.replace("-", "_"): v for k, v in opts.items()})
        else:
            things = []
            act(books.Books(ROOT), *argv[2:])
    except Stop as s:
        s.where = s.where or " ".join([name] + things[:1])
        raise


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except Stop as s:
        print("NOT DONE %s -- %s" % (s.where, s.why), file=sys.stderr)
        sys.exit(1)
    except BrokenPipeError:
        os._exit(0)
