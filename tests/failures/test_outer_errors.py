"""A line that only says that something failed names no cause."""

from __future__ import annotations

import pytest

from hardwon.failures.outer_errors import is_outer


@pytest.mark.parametrize(
    "line",
    [
        "error: test failed, to rerun pass `-p kit --test golden`",
        "BEGIN failed--compilation aborted at t/a.t line 3.",
        "Execution of /tmp/a.pl aborted due to compilation errors.",
        "tests failed",
        "Error: build failed with 3 errors",
        "exit code 1",
        "exited with status 127",
        "HTTP 500 Internal Server Error",
        "something went wrong",
        "An unexpected error occurred",
        "3 failed, 2 passed",
        "npm error code ELIFECYCLE",
        "make: *** [Makefile:3: all] Error 2",
        "false",
        "}",
        "OK",
        "[=====>    ] 40 % of it",
        "user@host:~$ ",
        "  tests failed  ",
    ],
)
def test_these_name_no_cause(line: str) -> None:
    assert is_outer(line)


@pytest.mark.parametrize(
    "line",
    [
        "no such table: orders",
        "HTTP 404 Not Found",
        "rm: cannot remove 'a'",
        "KeyError: 'x'",
        "the order was not paid",
    ],
)
def test_these_name_a_cause(line: str) -> None:
    assert not is_outer(line)


@pytest.mark.parametrize(("size", "is_one"), [(200, True), (201, False)])
def test_a_long_line_says_more(size: int, is_one: bool) -> None:
    assert is_outer("-" * size) is is_one
