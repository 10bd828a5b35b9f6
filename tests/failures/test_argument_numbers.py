"""A number is told in another unit or as a lower one, and known again."""

from __future__ import annotations

from typing import Any

import pytest

from hardwon.failures.argument_numbers import is_in_unit, is_low, lowered, rescaled
from hardwon.failures.fix_case import case_of
from hardwon.values.step import Step


@pytest.mark.parametrize(
    ("old", "new", "key"),
    [
        (18.5, 1850, "x times 100"),
        ("18.50 EUR", 1850, "x times 100"),
        (12, 12_000, "x times 1000"),
        (0.55, 55, "x times 100"),
        (90, 5_400, "x times 60"),
        (20, 0.2, "x over 100"),
        (1250, "12.50", None),  # a text is in no unit that is known
        (18.5, 1851, None),
        (True, 100, None),
        ("12:30", 1_200, None),
        (0, 0, None),
    ],
)
def test_the_same_quantity_is_known_by_the_factor(old: Any, new: Any, key: str | None) -> None:
    case = case_of([Step("set", "{}", "x is not valid", failed=True), Step("set", "{}", "ok")], 0)
    change = rescaled("x", old, new, case)

    assert (change[1] if change else None) == key


@pytest.mark.parametrize(
    ("value", "rule", "may_be"),
    [
        (1850, "times 100", True),
        (18.5, "times 100", False),
        (0.2, "over 100", True),
        (20, "over 100", False),
        (20, "over 1000", True),
    ],
)
def test_a_unit_is_doubted_only_where_the_number_shows_it(
    value: float, rule: str, may_be: bool
) -> None:
    assert is_in_unit(value, rule) is may_be


@pytest.mark.parametrize(
    ("name", "old", "new", "error", "text"),
    [
        ("limit", 500, 100, "500 is above the maximum", "Give a lower `limit`: 100 worked."),
        ("pageSize", 500, 100, "too many rows", "Give a lower `pageSize`: 100 worked."),
        ("limit", 100, 500, "above the maximum", ""),
        ("limit", 500, 100, "no such table", ""),
        ("amount", 500, 100, "above the maximum", ""),  # it belongs to the task
        ("limit", 500, "100", "above the maximum", ""),
        ("limit", 500, 0, "above the maximum", ""),
    ],
)
def test_a_lower_number_is_told_where_the_caller_may_choose_it(
    name: str, old: int, new: Any, error: str, text: str
) -> None:
    case = case_of([Step("list", "{}", error, failed=True), Step("list", "{}", "ok")], 0)
    change = lowered(name, old, new, case)

    assert (change[0] if change else "") == text


@pytest.mark.parametrize(
    ("value", "is_followed"), [(100, True), (20, True), (101, False), (0, False), (None, False)]
)
def test_a_number_is_low_up_to_the_one_that_worked(value: object, is_followed: bool) -> None:
    assert is_low(value, "`list`: Give a lower `limit`: 100 worked.") is is_followed
