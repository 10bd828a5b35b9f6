"""Statements in `.sql` files: each file stands beside the module that runs its statements."""

from __future__ import annotations

import os
import re

_NAME = re.compile(r"^-- name: (\w+)\n", re.MULTILINE)
_COMMENT = re.compile(r"^ *--.*\n", re.MULTILINE)
_PART = re.compile(r"\{([A-Za-z_]\w*)\}")


def read_queries(module: str, **parts: object) -> dict[str, str]:
    """The statements of the file beside a module (`queries.sql` of a package), by name.

    A line `-- name: …` begins each. `{part}` stands for an earlier statement of the file, or for
    one of `parts`, which are constants of hardwon: no value from outside is ever a part of a
    statement. `{0}` is left to `str.format`, for the few parts that differ from call to call.
    """
    place, file_name = os.path.split(os.path.splitext(module)[0])
    path = os.path.join(place, f"{file_name.replace('__init__', 'queries')}.sql")
    with open(path, encoding="utf-8") as file:
        _, *pieces = _NAME.split(file.read())
    known = {part: str(value) for part, value in parts.items()}
    for name, text in zip(pieces[::2], pieces[1::2], strict=True):
        statement = _COMMENT.sub("", text).strip()
        known[name] = _PART.sub(lambda part: known[part[1]], statement)
    return {name: known[name] for name in pieces[::2]}
