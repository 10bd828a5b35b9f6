"""Where lessons come from: marks, quarantine, descent."""

from __future__ import annotations

import pytest

from hardwon.core.values.lesson import (
    Kind,
    Status,
    approve_lesson,
    descendants,
    evidence_of,
    is_from,
    quarantine_lesson,
    quarantine_note,
    with_evidence,
    without_evidence,
)
from tests.samples import lesson

MADE = lesson(id=1, origin="import:packs:web.jsonl", author="person", job="j1")


def test_a_mark_is_added_and_removed_by_its_kind() -> None:
    marked = with_evidence(with_evidence(MADE, Kind.PARENT, 7), Kind.MET, "a line")

    assert evidence_of(marked, Kind.PARENT) == ("7",)
    assert without_evidence(marked, Kind.PARENT).evidence == marked.evidence[-1:]


def test_an_approved_lesson_keeps_the_reason_of_its_quarantine() -> None:
    held = quarantine_lesson(MADE, "reads like an order")
    approved = approve_lesson(held)

    assert held.status == Status.QUARANTINED
    assert quarantine_note(held) == (
        "held back: reads like an order; waits for approval: hardwon lesson approve 1",
    )
    assert approved.status == Status.PROVEN
    assert quarantine_note(approved) == ()
    assert evidence_of(approved, Kind.QUARANTINED) == ("reads like an order",)


@pytest.mark.parametrize(
    ("origin", "is_expected"),
    [
        ("import:packs:web.jsonl", True),
        ("import:packs", True),
        ("import", True),
        ("import:pack", False),
        ("person", True),
        ("j1", True),
        ("parent:7", True),
        ("7", False),
    ],
)
def test_an_origin_is_the_whole_or_a_leading_part(origin: str, is_expected: bool) -> None:
    assert is_from(with_evidence(MADE, Kind.PARENT, 7), origin) is is_expected


def test_what_was_merged_from_an_origin_descends_from_it_over_generations() -> None:
    child = with_evidence(lesson(id=2), Kind.PARENT, 1)
    grandchild = with_evidence(lesson(id=3), Kind.PARENT, 2)
    stranger = with_evidence(lesson(id=4), Kind.PARENT, 9)

    found = descendants([grandchild, stranger, child, MADE], "j1")

    assert {kept.id for kept in found} == {1, 2, 3}
