"""Where lessons come from: marks, quarantine, descent."""

from __future__ import annotations

import pytest

from hardwon.core.values import provenance
from hardwon.core.values.evidence import Kind
from hardwon.core.values.lesson import Status
from tests.samples import lesson

MADE = lesson(id=1, origin="import:packs:web.jsonl", author="person", job="j1")


def test_a_mark_is_added_and_removed_by_its_kind() -> None:
    marked = provenance.with_evidence(
        provenance.with_evidence(MADE, Kind.PARENT, 7), Kind.MET, "a line"
    )

    assert provenance.evidence_of(marked, Kind.PARENT) == ("7",)
    assert provenance.without_evidence(marked, Kind.PARENT).evidence == marked.evidence[-1:]


def test_an_approved_lesson_keeps_the_reason_of_its_quarantine() -> None:
    held = provenance.quarantine_lesson(MADE, "reads like an order")
    approved = provenance.approve_lesson(held)

    assert held.status == Status.QUARANTINED
    assert provenance.quarantine_note(held) == (
        "held back: reads like an order; waits for approval: hardwon lesson approve 1",
    )
    assert approved.status == Status.PROVEN
    assert provenance.quarantine_note(approved) == ()
    assert provenance.evidence_of(approved, Kind.QUARANTINED) == ("reads like an order",)


@pytest.mark.parametrize(
    ("origin", "is_from"),
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
def test_an_origin_is_the_whole_or_a_leading_part(origin: str, is_from: bool) -> None:
    assert provenance.is_from(provenance.with_evidence(MADE, Kind.PARENT, 7), origin) is is_from


def test_what_was_merged_from_an_origin_descends_from_it_over_generations() -> None:
    child = provenance.with_evidence(lesson(id=2), Kind.PARENT, 1)
    grandchild = provenance.with_evidence(lesson(id=3), Kind.PARENT, 2)
    stranger = provenance.with_evidence(lesson(id=4), Kind.PARENT, 9)

    found = provenance.descendants([grandchild, stranger, child, MADE], "j1")

    assert {kept.id for kept in found} == {1, 2, 3}
