"""House style on pages: a few things that proofreaders are tired of."""
import re
import sys

from . import ROOT

RULES = (
    (re.compile(r"\d{1,2}\.\d\d ?[ap]m\b"), "time of day is hh:mm, 24 hours"),
    (re.compile(r"\bfeet\b|\bft\b"), "heights are in metres"),
    (re.compile(r"\t"), "no tabs in a page"),
    (re.compile(r"\?\?"), "an open query (??)"),
)


def main():
    bad = 0
    for path in sorted((ROOT / "pages").glob("*.pg")):
        for no, line in enumerate(path.read_text().splitlines(), 1):
            for rx, why in RULES:
                if rx.search(line):
                    print("%s:%d: %s" % (path.relative_to(ROOT), no, why))
                    bad = 1
    return bad


if __name__ == "__main__":
    sys.exit(main())
