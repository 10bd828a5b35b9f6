"""Edits of an index touch the blocks of the changed postings, and no others."""

from __future__ import annotations

from array import array

from hypothesis import given
from hypothesis import strategies as st

from hardwon.knowledge.ranking.postings import (
    BLOCK,
    RANKS,
    edit_blocks,
    edits,
    pack,
    pairs,
    rank,
    rows,
)


def block(*entries: tuple[int, int]) -> bytes:
    return pack(array("I", [number for number, _ in entries]), bytes(i for _, i in entries))


def test_only_what_differs_is_edited_and_counts_follow() -> None:
    changes, holders = edits({1: {(5, 9), (6, 9)}}, {1: {(5, 9), (7, 9)}, 2: {(7, 9)}})

    place = rank(9)
    assert changes == [
        (6 * RANKS + place, 1, False, 9),
        (7 * RANKS + place, 1, True, 9),
        (7 * RANKS + place, 2, True, 9),
    ]
    assert (holders[5], holders[6], holders[7]) == (0, -1, 2)


def test_a_changed_impact_is_removed_before_it_is_added() -> None:
    changes, holders = edits({1: {(5, 9)}}, {1: {(5, 8)}})

    assert [stays for _, _, stays, _ in changes] == [False, True]
    assert holders[5] == 0


def test_a_posting_goes_into_the_block_that_holds_its_place() -> None:
    old = block((2, 1), (9, 3))
    changed = edit_blocks(
        [(40, 5, True, 7), (40, 9, False, 3)], {(40, n): (2, old) for n in (5, 9)}
    )

    assert {key: list(pairs(value)) for key, value in changed.items()} == {
        (40, 2): [(2, 1), (5, 7)]
    }


def test_lessons_without_a_block_begin_one_for_each_term_and_rank() -> None:
    changed = edit_blocks([(40, 5, True, 7), (40, 6, True, 8), (41, 2, True, 9)], {})

    assert {key: list(pairs(value)) for key, value in changed.items()} == {
        (40, 5): [(5, 7), (6, 8)],
        (41, 2): [(2, 9)],
    }


def test_what_is_not_there_is_not_removed() -> None:
    old = block((2, 1), (9, 3))

    assert edit_blocks([(40, 5, False, 7)], {(40, 5): (2, old)}) == {(40, 2): old}


def test_an_empty_block_has_no_row_and_a_long_one_several() -> None:
    whole = block(*((number, 1) for number in range(BLOCK + 1)))
    found = list(rows({(83, 0): whole, (84, 4): b""}))

    assert [(term, place, first) for term, place, first, _ in found] == [
        (10, 3, 0),
        (10, 3, (BLOCK + 1) // 2),
    ]
    assert [pair for *_, part in found for pair in pairs(part)] == list(pairs(whole))
    assert len(list(rows({(83, 0): block(*((n, 1) for n in range(BLOCK)))}))) == 1


@given(st.dictionaries(st.integers(0, 999), st.integers(0, 255), max_size=60))
def test_what_was_added_one_by_one_is_there_in_order(entries: dict[int, int]) -> None:
    current = b""
    for lesson, impact in entries.items():
        changed = edit_blocks(
            [(8, lesson, True, impact)], {(8, lesson): (0, current)} if current else {}
        )
        (current,) = changed.values()

    assert list(pairs(current)) == sorted(entries.items())


@given(st.lists(st.integers(1, 99), min_size=1, unique=True), st.data())
def test_any_posting_of_a_block_can_be_removed(lessons: list[int], data: st.DataObject) -> None:
    gone = data.draw(st.sampled_from(lessons))
    old = block(*((lesson, lesson) for lesson in sorted(lessons)))

    changed = edit_blocks([(40, gone, False, gone)], {(40, gone): (min(lessons), old)})

    left = [(lesson, lesson) for lesson in sorted(lessons) if lesson != gone]
    assert [list(pairs(value)) for value in changed.values()] == [left]


def test_removing_what_is_not_there_changes_nothing() -> None:
    old = block((2, 1), (9, 3))

    changed = edit_blocks([(40, 5, False, 7)], {(40, 5): (2, old)})

    assert list(changed.values()) == [old]
