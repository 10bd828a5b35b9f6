"""Blocks of an index keep numbers with their impacts, the strongest first."""

from __future__ import annotations

from array import array
from typing import Any

import pytest

from hardwon.knowledge.ranking.postings import (
    BLOCK,
    RANKS,
    numbers,
    pack,
    pairs,
    parts,
    rank,
    size,
    strongest,
)


def block(*entries: tuple[int, int]) -> bytes:
    return pack(array("I", [number for number, _ in entries]), bytes(i for _, i in entries))


@pytest.mark.parametrize(("impact", "place"), [(255, 0), (224, 0), (223, 1), (31, 7), (0, 7)])
def test_the_strongest_impacts_have_rank_nought(impact: int, place: int) -> None:
    assert rank(impact) == place
    assert place < RANKS


def test_a_block_gives_back_what_was_packed() -> None:
    made = block((7, 200), (70_000, 3))

    assert (size(made), numbers(made).tolist()) == (2, [7, 70_000])
    assert list(pairs(made)) == [(7, 200), (70_000, 3)]
    assert list(pairs(b"")) == []


def test_as_many_blocks_are_read_as_are_needed() -> None:
    asked: list[int] = []
    blocks = [(block((number, 9)),) for number in range(40)]

    def read(most: int) -> list[tuple[Any, ...]]:
        asked.append(most)
        return blocks[:most]

    assert strongest(read, 3) == [(0, 9), (1, 9), (2, 9)]
    assert asked == [RANKS]
    asked.clear()
    assert len(strongest(read, RANKS)) == RANKS
    assert asked == [RANKS]
    asked.clear()
    assert len(strongest(read, 20)) == 20
    assert asked == [RANKS, 2 * RANKS, 4 * RANKS]
    asked.clear()
    assert len(strongest(read, 2 * BLOCK)) == 40
    assert asked == [RANKS + 2, 2 * (RANKS + 2), 4 * (RANKS + 2), 8 * (RANKS + 2)][: len(asked)]


def test_items_come_in_parts_of_four_thousand() -> None:
    assert [len(part) for part in parts(range(8001))] == [4000, 4000, 1]
    assert list(parts([])) == []
