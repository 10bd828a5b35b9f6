"""A fix has a record, and the record decides what is proven and what comes first."""

import pytest

from hardwon.core.values.lesson import Fix, rank_fixes, with_failure, with_success

INSTALL = Fix("preparation", "First run `npm ci`", "npm ci")
FLAG = Fix("call", "Use `npm test -w web`", "npm test -w")


@pytest.mark.parametrize(
    ("worked", "failed", "is_proven"),
    [(1, 0, False), (2, 0, True), (2, 1, True), (2, 2, False), (3, 2, False), (4, 2, True)],
)
def test_two_runs_prove_a_fix_and_two_failures_put_it_back(
    worked: int, failed: int, is_proven: bool
) -> None:
    assert INSTALL._replace(worked=worked, failed=failed).is_proven == is_proven


def test_the_same_fix_of_another_run_is_counted_with_its_newest_text() -> None:
    longer = INSTALL._replace(text="First run `npm ci`, which somebody forgot")

    assert with_success((INSTALL,), longer) == (longer._replace(worked=2),)
    assert with_success((longer,), INSTALL) == (INSTALL._replace(worked=2),)


def test_another_fix_stands_beside_it() -> None:
    assert set(with_success((INSTALL,), FLAG)) == {INSTALL, FLAG}


def test_the_likelier_fix_comes_first() -> None:
    fixes = with_success((INSTALL, FLAG), FLAG)

    assert [fix.key for fix in fixes] == ["npm test -w", "npm ci"]


def test_a_proven_fix_comes_before_one_in_doubt_that_worked_more_often() -> None:
    proven = INSTALL._replace(worked=2, failed=1)
    doubted = FLAG._replace(worked=5, failed=3)

    assert (proven.is_proven, doubted.is_proven) == (True, False)
    assert rank_fixes((doubted, proven)) == (proven, doubted)


def test_a_fix_that_failed_comes_behind_one_that_did_not() -> None:
    fixes = with_failure((INSTALL, FLAG), "npm ci")

    assert [(fix.key, fix.failed) for fix in fixes] == [("npm test -w", 0), ("npm ci", 1)]


def test_the_order_of_fixes_does_not_depend_on_where_they_stood() -> None:
    assert rank_fixes((INSTALL, FLAG)) == rank_fixes((FLAG, INSTALL))
