"""The ports of the tide section, from data/ports.tsv."""
from collections import namedtuple

from . import tsv

Port = namedtuple("Port", "slug name basin pilot est age springs neaps level sill")


def load():
    """All ports, in the order of the file."""
    out = []
    for r in tsv("ports"):
        out.append(Port(r["slug"], r["name"], r["basin"], r["pilot"], int(r["est"]),
                        int(r["age"]), int(r["springs"]), int(r["neaps"]),
                        int(r["level"]), None if r["sill"] == "-" else int(r["sill"])))
    return out


def by_slug(slug):
    for p in load():
        if p.slug == slug:
            return p
    raise KeyError(slug)
