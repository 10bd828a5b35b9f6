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
    assert set(with_success((INSTALL,), FLAG)) == {INSTALL, FLAG}  # another one stands beside it


PROVEN, DOUBTED = INSTALL._replace(worked=2, failed=1), FLAG._replace(worked=5, failed=3)


@pytest.mark.parametrize(
    ("fixes", "first"),
    [
        (with_success((INSTALL, FLAG), FLAG), FLAG._replace(worked=2)),
        (with_failure((INSTALL, FLAG), INSTALL.key), FLAG),
        ((DOUBTED, PROVEN), PROVEN),
        ((INSTALL, FLAG), INSTALL),
    ],
    ids=["worked more often", "did not fail", "is proven", "by its key"],
)
def test_the_likelier_fix_comes_first_wherever_it_stood(fixes: tuple[Fix, ...], first: Fix) -> None:
    assert rank_fixes(fixes)[0] == rank_fixes(fixes[::-1])[0] == first
