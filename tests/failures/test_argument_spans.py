"""A shorter time between two arguments is told, and known again."""

from __future__ import annotations

from typing import Any

import pytest

from hardwon.failures.argument_spans import is_short, narrowed
from hardwon.failures.fix_case import case_of
from hardwon.values.step import Step

OLD = {"from": "2026-01-01", "to": "2026-03-01", "who": "x"}
TEXT = "Ask for a shorter time from `from` to `to`: 5 days worked."


def told(new: dict[str, Any], error: str = "the range is too long") -> str:
    case = case_of([Step("ask", "{}", error, failed=True)], 0)
    changes = narrowed(OLD, new, case)
    return changes[0][0] if changes else ""


@pytest.mark.parametrize(
    ("first", "second", "worked"),
    [
        ("2026-02-01", "2026-02-06", "5 days"),
        ("2026-02-01", "2026-02-02", "1 day"),
        ("2026-02-01T10:00Z", "2026-02-01T14:30:00+00:00", "4 hours"),
        ("2026-02-01T10:00", "2026-02-01T10:30", "30 minutes"),
        ("2026-02-01T10:00:00", "2026-02-01T10:00:20", "20 seconds"),
    ],
)
def test_the_time_that_worked_is_told_in_words(first: str, second: str, worked: str) -> None:
    words = f"Ask for a shorter time from `from` to `to`: {worked} worked."

    assert told({"from": first, "to": second, "who": "x"}) == words


def test_the_earlier_argument_is_named_first() -> None:
    assert "from `to` to `from`" in told({"from": "2026-02-06", "to": "2026-02-01", "who": "x"})


@pytest.mark.parametrize(
    ("new", "error"),
    [
        ({"from": "2026-01-01", "to": "2026-04-01"}, "the range is too long"),
        ({"from": "2026-02-01", "to": "2026-03-01"}, "no such table"),
        ({"from": "2026-02-01", "to": "2026-03-01"}, "the window starts in the past"),
        ({"from": "2026-02-01"}, "the range is too long"),
        ({"from": "2026-02-01", "to": "2026-02-01"}, "the range is too long"),
        ({"from": "2026-02-01", "to": "2026-99-01"}, "the range is too long"),
        ({"since": "2026-02-01", "until": "2026-02-03"}, "the range is too long"),
        ({"from": "2026-02-01", "to": "2026-02-03", "at": "2026-01-01"}, "the range is too long"),
    ],
)
def test_nothing_is_told_where_it_explains_nothing(new: dict[str, Any], error: str) -> None:
    assert told(new, error) == ""


@pytest.mark.parametrize(
    ("last", "is_followed"), [("2026-01-06", True), ("2026-01-07", False), ("soon", True)]
)
def test_a_time_is_short_up_to_the_one_that_worked(last: str, is_followed: bool) -> None:
    arguments = {"from": "2026-01-01", "to": last}

    assert is_short(arguments, "from|to", TEXT) is is_followed
