"""The block format of an index: numbers of four bytes, then one byte of impact for each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
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
