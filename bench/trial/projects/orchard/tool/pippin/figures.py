"""Figures: what the scales and probes say. The store keeps tenths."""
import re

FORM = 1
LETTERS = {"k": "kg", "c": "C", "p": "%", "n": "N", "x": "Bx"}


class Stop(Exception):
    def __init__(self, why, where=None):
        self.why, self.where = why, where


def read(text, letter):
    """The tenths of a figure as it is typed or stands in a file."""
    pattern = r"(-?\d+)%s" % letter if FORM == 1 else r"%s(-?\d+\.\d)" % letter
    m = re.fullmatch(pattern, text.strip())
    if not m:
        raise Stop("figure '%s'" % text)
    return int(m.group(1)) if FORM == 1 else int(m.group(1).replace(".", ""))


def write(tenths, letter):
    """The same the other way."""
    return "%d%s" % (tenths, letter) if FORM == 1 else "%s%s" % (letter, plain(tenths))


def plain(tenths):
    return "%s%d.%d" % ("-" if tenths < 0 else "", abs(tenths) // 10, abs(tenths) % 10)


def human(tenths, letter):
    return "%s %s" % (plain(tenths), LETTERS[letter])
