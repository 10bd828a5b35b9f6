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


def test_white_space_and_case_of_the_task_do_not_count() -> None:
    assert job_id("Edit\u00a0 MAIN.go", "error", "x", "y") == job_id(
        "edit main.go", "error", "x", "y"
    )


def test_the_separators_that_only_python_calls_space_do_count() -> None:
    assert job_id("a\x1cb", "e", "x", "y") != job_id("a b", "e", "x", "y")


def test_letters_are_lowered_one_by_one() -> None:
    assert job_id("ΟΔΟΣ", "e", "x", "y") == job_id("οδοσ", "e", "x", "y")
    assert job_id("İ", "e", "x", "y") == job_id("i", "e", "x", "y")


def test_the_same_failure_in_two_scopes_has_two_ids() -> None:
    scopes = [Scope("a", "x"), Scope("b", "x"), Scope("a", "y"), Scope("a", "x", "p"), Scope()]

    assert len({job_id("t", "error", "a", "o", scope) for scope in scopes}) == len(scopes)
