"""Access to the plotted tables."""
import functools
import json
import pathlib


@functools.lru_cache(maxsize=None)
def load(name):
    path = pathlib.Path(__file__).parent / "tables" / f"{name}.json"
    return json.loads(path.read_text(encoding="utf-8"))["rows"]


def find(name, key):
    """The row of a table whose first cell is key."""
    for row in load(name):
        if next(iter(row.values())) == key:
            return row
    raise LookupError(f"{name}: no {key}")
