"""A row gives back the lesson or delivery that it was made of, as far as it is whole."""

from __future__ import annotations

from typing import Any

import pytest

from hardwon import Lesson
from hardwon.core.values.lesson import EPOCH, Evidence, Fix, Status
from hardwon.storage.sql import rows
from tests.samples import CODER, LATER, lesson

SHELVES = {3: CODER}
WHOLE = lesson(
    id=7,
    mistake="m",
    tags=("go", "größe"),
    trigger="error",
    signatures=("s",),
    calls=("c",),
    evidence=(Evidence("job", "1", 12.5),),
    origin="o",
    author="a",
    job="j",
    importance=0.25,
    confidence=0.75,
    status=Status.CANDIDATE,
    hits=2,
    met=3,
    updated_at=LATER,
    expires_at=LATER,
    guard=True,
    kinds=("k",),
    fixes=(Fix("call", "t", "key"),),
)


def row_of(known: Lesson, **damaged: Any) -> tuple[Any, ...]:
    values = rows.values_of(known) | damaged
    return (known.id, 3, *values.values())


@pytest.mark.parametrize("known", [WHOLE, lesson(id=1)], ids=["every field", "few fields"])
def test_a_lesson_comes_back_from_its_row(known: Lesson) -> None:
    assert rows.lesson_of(row_of(known), SHELVES) == known
    assert rows.damage(row_of(known), SHELVES) == ""


@pytest.mark.parametrize("name", ["tags", "signatures", "calls", "evidence", "kinds", "fixes"])
@pytest.mark.parametrize("text", ["{", '{"a": 1}', "[1]", '"x"'])
def test_a_damaged_list_costs_that_list_only(name: str, text: str) -> None:
    damaged = row_of(WHOLE, **{name: text})

    found = rows.lesson_of(damaged, SHELVES)

    assert found.status == Status.QUARANTINED
    kept = {"tags", "signatures", "calls", "kinds", "fixes"} - {name}
    assert {part: getattr(found, part) for part in kept} == {
        part: getattr(WHOLE, part) for part in kept
    }
    assert name == "evidence" or getattr(found, name) == ()
    assert (found.hits, found.met, found.guard, found.importance) == (2, 3, True, 0.25)
    assert "unreadable" in rows.damage(damaged, SHELVES)


@pytest.mark.parametrize("name", ["created_at", "updated_at", "last_seen_at"])
def test_a_time_that_is_none_is_the_beginning_of_time(name: str) -> None:
    found = rows.lesson_of(row_of(WHOLE, **{name: 1e300}), SHELVES)

    assert getattr(found, name) == EPOCH
    others = {"created_at", "updated_at", "last_seen_at"} - {name}
    assert all(getattr(found, other) == getattr(WHOLE, other) for other in others)
    assert found.expires_at is None


def test_a_damaged_list_of_a_delivery_is_empty() -> None:
    assert rows.read_list("[1, 2]") == (1, 2)
    assert rows.read_list("{") == rows.read_list("7") == ()
