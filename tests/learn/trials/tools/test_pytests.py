"""What pytest prints."""

from __future__ import annotations

import pytest

from tests.learn.trials.printed import check_tests

ADDS = ("test_failure", "test_calc.py", 6, "test_calc.py::TestAdd::test_adds")


@pytest.mark.parametrize(
    ("name", "tool", "errors", "tests"),
    [
        (
            "pytest.txt",
            "pytest",
            [ADDS, ("runtime_error", "test_calc.py", 11, "test_calc.py::test_setup")],
            (1, 2, 3),
        ),
    ],
)
def test_failed_tests_are_found_with_their_place(
    name: str, tool: str, errors: list[tuple], tests: tuple
) -> None:
    check_tests(name, tool, errors, tests)
