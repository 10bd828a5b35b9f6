"""Content addresses that agree with the published system."""

from __future__ import annotations

import pytest

from hardwon import Scope
from hardwon.core.values.job import job_id


@pytest.mark.parametrize(
    ("task", "attempt", "outcome", "expected"),
    [
        ("Edit main.go", "used full rewrite", "ERROR: file too large", "bba86ebf380b9dbc"),
        ("  edit   main.go  ", "x", "y", "19fcf5ee83909182"),
        ("x", "y", "z", "b49a3667761dba11"),
    ],
)
def test_the_published_vectors_hold(task: str, attempt: str, outcome: str, expected: str) -> None:
    assert job_id(task, "error", attempt, outcome) == expected
    assert job_id(task, " ERROR ", f"\t{attempt}\n", outcome, Scope()) == expected


@pytest.mark.parametrize(
    ("task", "other", "is_same"),
    [
        ("Edit\u00a0 MAIN.go", "edit main.go", True),
        ("a\x1cb", "a b", False),  # only Python calls it a space
        ("ΟΔΟΣ", "οδοσ", True),  # letters are lowered one by one
        ("İ", "i", True),
    ],
)
def test_white_space_and_case_of_the_task_do_not_count(
    task: str, other: str, is_same: bool
) -> None:
    assert (job_id(task, "e", "x", "y") == job_id(other, "e", "x", "y")) is is_same


def test_the_same_failure_in_two_scopes_has_two_ids() -> None:
    scopes = [Scope("a", "x"), Scope("b", "x"), Scope("a", "y"), Scope("a", "x", "p"), Scope()]

    assert len({job_id("t", "error", "a", "o", scope) for scope in scopes}) == len(scopes)
