"""The block format of an index: numbers of four bytes, then one byte of impact for each.

And its edits: compute the changed postings, and apply them to blocks.
"""

from __future__ import annotations

import sys
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from array import array

T = TypeVar("T")


BLOCK = 190  # entries; SQLite moves longer rows to overflow pages
RANKS = 8
NUMBER = 4  # bytes
_ENTRY = NUMBER + 1
_AT_ONCE = 4000  # blocks that are looked up together


def rank(impact: int) -> int:
    """The rank of an impact: 0 for the strongest."""
    return RANKS - 1 - (impact >> 5)


def pack(numbers: array[int], impacts: bytes) -> bytes:
    """The block of these numbers and impacts."""
    return numbers.tobytes() + impacts


def pairs(block: bytes) -> Iterable[tuple[int, int]]:
    """The numbers and impacts of a block."""
    return zip(numbers(block), block[size(block) * NUMBER :], strict=True)


def numbers(block: bytes) -> memoryview:
    """The numbers of a block."""
    return memoryview(block)[: len(block) // _ENTRY * NUMBER].cast("I")


def size(block: bytes) -> int:
    """How many entries a block holds."""
    return len(block) // _ENTRY


def strongest(
    read: Callable[[int], Sequence[tuple[Any, ...]]], wanted: int
) -> list[tuple[int, int]]:
    """The `wanted` strongest (number, impact) pairs; `read(n)` returns the first n blocks."""
    most = wanted // BLOCK + RANKS
    while True:
        rows = read(most)
        postings = [pair for (block,) in rows for pair in pairs(block)]
        if len(postings) >= wanted or len(rows) < most:
            return postings[:wanted]
        most *= 2


def parts(wanted: Iterable[T]) -> Iterator[list[T]]:
    """Batches of at most 4000 items, for one query each."""
    remaining = iter(wanted)
    while part := list(islice(remaining, _AT_ONCE)):
        yield part


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
    return term * RANKS + rank(impact), lesson, stays, impact


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
            begin = first if number == 0 else numbers(part)[0]
            yield *divmod(at, RANKS), begin, part


def _parts(block: bytes) -> list[bytes]:
    """The block split into blocks of at most `BLOCK` entries; [] if it is empty."""
    entries, end = size(block), size(block) * NUMBER
    count = -(-entries // BLOCK)
    cuts = [entries * part // count for part in range(count + 1)] if count else []
    return [
        block[begin * NUMBER : until * NUMBER] + block[end + begin : end + until]
        for begin, until in pairwise(cuts)
    ]


def _with(block: bytes, lesson: int, impact: int) -> bytes:
    end, at = size(block) * NUMBER, bisect_left(numbers(block), lesson)
    number = lesson.to_bytes(NUMBER, sys.byteorder)
    middle = block[at * NUMBER : end + at]
    return b"".join((block[: at * NUMBER], number, middle, bytes((impact,)), block[end + at :]))


def _without(block: bytes, lesson: int) -> bytes:
    lessons = numbers(block)
    end, at = len(lessons) * NUMBER, bisect_left(lessons, lesson)
    if lessons[at : at + 1].tolist() != [lesson]:
        return block
    middle = block[at * NUMBER + NUMBER : end + at]
    return b"".join((block[: at * NUMBER], middle, block[end + at + 1 :]))
