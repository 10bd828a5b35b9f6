"""What jest and vitest print."""

from __future__ import annotations

import pytest

from hardwon.learn.trials.tools import tool_of
from tests.learn.trials.printed import check_tests, counted


def test_the_table_of_jests_coverage_is_read() -> None:
    report = tool_of("npx jest --coverage").parse(COVERAGE)

    assert counted(report) == (5, 0, 5)
    assert report.metrics.coverage_percentage == 83.33
    assert [(e.rule, e.message) for e in report.errors] == [
        ("coverage", '"global" coverage threshold for lines (90%) not met: 83.33%')
    ]


COVERAGE = """\
PASS ./sum.test.js
----------|---------|----------|---------|---------|-------------------
File      | % Stmts | % Branch | % Funcs | % Lines | Uncovered Line #s
----------|---------|----------|---------|---------|-------------------
All files |   85.71 |       50 |     100 |   83.33 |
 sum.js   |   85.71 |       50 |     100 |   83.33 | 4
----------|---------|----------|---------|---------|-------------------

Jest: "global" coverage threshold for lines (90%) not met: 83.33%
Test Suites: 1 passed, 1 total
Tests:       5 passed, 5 total
"""


@pytest.mark.parametrize(
    ("name", "tool", "errors", "tests"),
    [
        ("jest.txt", "jest", [("test_failure", "sum.test.js", 1, "sum › adds")], (1, 1, 2)),
        (
            "jest.json",
            "jest",
            [("test_failure", "/repo/sum.test.js", None, "sum adds")],
            (1, 1, 2),
        ),
        (
            "vitest.txt",
            "vitest",
            [("test_failure", "s.test.ts", 2, "s.test.ts > sum > adds")],
            (1, 1, 2),
        ),
    ],
)
def test_failed_tests_are_found_with_their_place(
    name: str, tool: str, errors: list[tuple], tests: tuple
) -> None:
    check_tests(name, tool, errors, tests)
