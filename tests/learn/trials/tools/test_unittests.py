"""What unittest prints."""

from __future__ import annotations

import pytest

from tests.learn.trials.printed import check_tests


@pytest.mark.parametrize(
    ("name", "tool", "errors", "tests"),
    [
        (
            "unittest.txt",
            "unittest",
            [("test_failure", "/repo/test_calc.py", 6, "test_calc.TestAdd.test_adds")],
            (1, 1, 2),
        ),
    ],
)
def test_failed_tests_are_found_with_their_place(
    name: str, tool: str, errors: list[tuple], tests: tuple
) -> None:
    check_tests(name, tool, errors, tests)
