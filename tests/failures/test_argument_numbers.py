"""A number is told in another unit, and known again."""

from __future__ import annotations

from typing import Any

import pytest

from hardwon.failures.argument_numbers import is_in_unit, rescaled
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
