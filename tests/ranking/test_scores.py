"""Ranking: when a warning is worth its words."""

from __future__ import annotations

import pytest

from hardwon import Lesson, Scope
from hardwon.ranking.query import Match, Query
from hardwon.ranking.scores import (
    ANY,
    LIKELY,
    WARNED,
    WEIGHTS,
    Judged,
    Outlook,
    is_task_bound,
    settle,
)

CALL = Query("action", "make all", chains=((": make",),))
LIKELY_ENOUGH = Judged(Match(Lesson(Scope(), "s", "c")), 0.1, ((LIKELY, 0.1),))


def is_shown(odds: dict[str, tuple[int, int]]) -> bool:
    outlook = Outlook({": make": (40, 4), **odds}, frozenset())
    (settled,) = settle(CALL, [LIKELY_ENOUGH], outlook, WEIGHTS)
    return not settled.verdict


def test_a_project_whose_warnings_were_needless_is_warned_less() -> None:
    assert is_shown({ANY: (1000, 100), WARNED: (60, 20)})
    assert not is_shown({ANY: (1000, 100), WARNED: (170, 20)})


def test_warnings_before_calls_that_failed_make_nobody_quiet() -> None:
    assert is_shown({ANY: (1000, 200), WARNED: (170, 150)})


def test_few_needless_warnings_prove_nothing_yet() -> None:
    assert is_shown({ANY: (10, 2), WARNED: (4, 1)})


@pytest.mark.parametrize(
    ("error", "is_bound"),
    [
        ("AssertionError: assert 3 == 4", True),
        ("acme.errors.OrderError: no such order", True),
        ("it raised TypeError: unsupported operand", True),
        ("assert 3 == 4", True),
        ("ModuleNotFoundError: No module named 'numpy'", False),
        ("requests.exceptions.ConnectionError: refused", False),
        ("IndentationError: expected an indented block", False),
        ("DeprecationWarning: pkg_resources is deprecated", False),
        ("bash: line 1: pytest: command not found", False),
        ("", False),
    ],
)
def test_what_the_code_at_work_raises_is_told_from_what_it_is_run_with(
    error: str, *, is_bound: bool
) -> None:
    assert is_task_bound(error) is is_bound
