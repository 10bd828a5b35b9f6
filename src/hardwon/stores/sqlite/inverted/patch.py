"""Changes of lessons that the dictionary knows: out of blocks, or in where they belong."""

from __future__ import annotations

import json
import sys
from bisect import bisect_left
from itertools import pairwise
from typing import TYPE_CHECKING

from hardwon.stores.sqlite.inverted import codec
from hardwon.stores.sqlite.inverted.codec import BLOCK, NUMBER, RANKS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hardwon.stores.sqlite.database import Database

    Edit = tuple[int, int, bool, int]  # term and rank in one, lesson, whether it stays, impact

_AROUND = f"""
SELECT a.value, p.first, p.lessons FROM json_each(?) AS a CROSS JOIN postings AS p
ON p.term = (a.value >> 32) / {RANKS} AND p.rank = (a.value >> 32) % {RANKS} AND p.first = (
    SELECT max(first) FROM postings WHERE term = (a.value >> 32) / {RANKS}
    AND rank = (a.value >> 32) % {RANKS} AND first <= (a.value & 0xffffffff)
)
"""


def edit(term: int, lesson: int, impact: int, *, stays: bool) -> Edit:
    """The wish that a lesson is found by a term, or no longer."""
    return term * RANKS + codec.rank(impact), lesson, stays, impact


def apply(db: Database, edits: Iterable[Edit]) -> None:
    """Fulfil the wishes in the order of the table; an impact goes before another comes."""
    for part in codec.parts(sorted(edits)):
        _apply(db, part)


def _apply(db: Database, edits: list[Edit]) -> None:
    """Change each block once; a lesson that no block reaches down to begins one."""
    asked = json.dumps([at << 32 | lesson for at, lesson, _, _ in edits])
    around: dict[int, tuple[int, bytes]] = {
        place: (first, block) for place, first, block in db.rows(_AROUND, (asked,))
    }
    changed: dict[tuple[int, int], bytes] = {}
    begun = (-1, 0)
    for at, lesson, stays, impact in edits:
        first, block = around.get(at << 32 | lesson, (lesson, b""))
        if not block:
            begun = begun if begun[0] == at else (at, lesson)
        key = (at, first) if block else begun
        held = changed.get(key, block)
        changed[key] = _with(held, lesson, impact) if stays else _without(held, lesson)
    _write(db, changed)


def _write(db: Database, changed: dict[tuple[int, int], bytes]) -> None:
    places = [(*divmod(at, RANKS), first) for at, first in changed]
    db.run_many("DELETE FROM postings WHERE term = ? AND rank = ? AND first = ?", places)
    rows = [
        (*divmod(at, RANKS), first if number == 0 else codec.numbers(part)[0], part)
        for (at, first), block in changed.items()
        for number, part in enumerate(_parts(block))
    ]
    db.run_many("INSERT INTO postings VALUES (?, ?, ?, ?)", rows)


def _parts(block: bytes) -> list[bytes]:
    """The block in as many as it takes, none when it is empty."""
    size, end = codec.size(block), codec.size(block) * NUMBER
    count = -(-size // BLOCK)
    cuts = [size * part // count for part in range(count + 1)] if count else []
    return [
        block[begin * NUMBER : until * NUMBER] + block[end + begin : end + until]
        for begin, until in pairwise(cuts)
    ]


def _with(block: bytes, lesson: int, impact: int) -> bytes:
    end, at = codec.size(block) * NUMBER, bisect_left(codec.numbers(block), lesson)
    number = lesson.to_bytes(NUMBER, sys.byteorder)
    middle = block[at * NUMBER : end + at]
    return b"".join((block[: at * NUMBER], number, middle, bytes((impact,)), block[end + at :]))


def _without(block: bytes, lesson: int) -> bytes:
    numbers = codec.numbers(block)
    end, at = len(numbers) * NUMBER, bisect_left(numbers, lesson)
    if numbers[at : at + 1].tolist() != [lesson]:
        return block
    middle = block[at * NUMBER + NUMBER : end + at]
    return b"".join((block[: at * NUMBER], middle, block[end + at + 1 :]))
