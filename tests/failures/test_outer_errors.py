"""A line that only says that something failed names no cause."""

from __future__ import annotations

import pytest

from hardwon.knowledge.reading.reports import is_outer


@pytest.mark.parametrize(
    "line",
    [
        "error: test failed, to rerun pass `-p kit --test golden`",
        "BEGIN failed--compilation aborted at t/a.t line 3.",
        "Execution of /tmp/a.pl aborted due to compilation errors.",
        "tests failed",
        "Error: build failed with 3 errors",
        "exit code 1",
        "RuntimeError: Exit code 1",
        "exited with status 127",
        "HTTP 500 Internal Server Error",
        "something went wrong",
        "An unexpected error occurred",
        "3 failed, 2 passed",
        "npm error code ELIFECYCLE",
        "npm error workspace @kit/core@0.4.0",
        "npm error location /app/packages/core",
        "npm error command sh -c node --test",
        "npm ERR!   in workspace: @kit/core@0.4.0",
        "npm ERR!   at location: /app/packages/core",
        "npm ERR! Error: command failed",
        "npm ERR! Lifecycle script `test` failed with error: npm ERR! Error: command failed",
        "npm ERR! Test failed.  See above for more details.",
        "npm ERR! app@1.0.0 test: `node --test`",
        "npm ERR! Exit status 1",
        "npm ERR! Failed at the app@1.0.0 test script.",
        "npm ERR! This is probably not a problem with npm. There is likely more output above.",
        "note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace",
        "help: consider importing this struct",
        "error: Recipe `test` failed on line 3 with exit code 1",
        "error: Recipe `test` failed with exit code 1",
        'task: Failed to run task "test": exit status 1',
        "ERROR: Build did NOT complete successfully",
        'Error: The command "test" failed',
        'Error: running "go test" failed with exit code 1',
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
        'npm error Missing script: "test"',
        "npm error No workspaces found:",
        "npm ERR! 404 Not Found",
        "workspace core is not known",
        "command kit not found",
        "the note: run it first",
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
