"""Edits of a block index: compute the changed postings, and apply them to blocks."""

from __future__ import annotations

import sys
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import TYPE_CHECKING

from hardwon.knowledge.ranking import postings
from hardwon.knowledge.ranking.postings import BLOCK, NUMBER, RANKS

if TYPE_CHECKING:
    Entries = set[tuple[int, int]]  # the term's number and the impact
    Edit = tuple[int, int, bool, int]  # term-and-rank, lesson, add or remove, impact
    Around = Mapping[tuple[int, int], tuple[int, bytes]]
    Changed = dict[tuple[int, int], bytes]


def edits(
    before: Mapping[int, Entries], now: Mapping[int, Entries]
) -> tuple[list[Edit], Counter[int]]:
    """The postings to add and remove, in the table's order, and the change of each term's count.

    Of one lesson and term, the removal comes before the addition.
    """
    holders: Counter[int] = Counter()
    changes: list[Edit] = []
    for lesson in before.keys() | now.keys():
        old, new = before.get(lesson, set()), now.get(lesson, set())
        holders.update(term for term, _ in new)
        holders.subtract(term for term, _ in old)
        changes += [_edit(term, lesson, impact, stays=False) for term, impact in old - new]
        changes += [_edit(term, lesson, impact, stays=True) for term, impact in new - old]
    return sorted(changes), holders


def _edit(term: int, lesson: int, impact: int, *, stays: bool) -> Edit:
    """Add or remove one posting."""
    return term * RANKS + postings.rank(impact), lesson, stays, impact


def edit_blocks(changes: list[Edit], around: Around) -> Changed:
    """The changed blocks by term-and-rank and first lesson; an empty block is to be removed.

    `around` maps (term-and-rank, lesson) to the first lesson and content of the lesson's block. A
    lesson without a block begins a new one.
    """
    changed: Changed = {}
    begun: dict[int, int] = {}  # the first lesson of a new block, by term-and-rank
    for at, lesson, stays, impact in changes:
        first, block = around.get((at, lesson), (lesson, b""))
        key = (at, first if block else begun.setdefault(at, lesson))
        current = changed.get(key, block)
        changed[key] = _with(current, lesson, impact) if stays else _without(current, lesson)
    return changed


def rows(changed: Changed) -> Iterator[tuple[int, int, int, bytes]]:
    """Term, rank, first lesson and content of the changed blocks; long blocks are split."""
    for (at, first), block in changed.items():
        for number, part in enumerate(_parts(block)):
            begin = first if number == 0 else postings.numbers(part)[0]
            yield *divmod(at, RANKS), begin, part


def _parts(block: bytes) -> list[bytes]:
    """The block split into blocks of at most `BLOCK` entries; [] if it is empty."""
    size, end = postings.size(block), postings.size(block) * NUMBER
    count = -(-size // BLOCK)
    cuts = [size * part // count for part in range(count + 1)] if count else []
    return [
        block[begin * NUMBER : until * NUMBER] + block[end + begin : end + until]
        for begin, until in pairwise(cuts)
    ]


def _with(block: bytes, lesson: int, impact: int) -> bytes:
    end, at = postings.size(block) * NUMBER, bisect_left(postings.numbers(block), lesson)
    number = lesson.to_bytes(NUMBER, sys.byteorder)
    middle = block[at * NUMBER : end + at]
    return b"".join((block[: at * NUMBER], number, middle, bytes((impact,)), block[end + at :]))


def _without(block: bytes, lesson: int) -> bytes:
    numbers = postings.numbers(block)
    end, at = len(numbers) * NUMBER, bisect_left(numbers, lesson)
    if numbers[at : at + 1].tolist() != [lesson]:
        return block
    middle = block[at * NUMBER + NUMBER : end + at]
    return b"".join((block[: at * NUMBER], middle, block[end + at + 1 :]))
