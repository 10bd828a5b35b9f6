"""What go prints."""

from __future__ import annotations

import pytest

from tests.learn.trials.printed import check_tests


@pytest.mark.parametrize(
    ("name", "tool", "errors", "tests"),
    [
        (
            "go.txt",
            "go test",
            [
                ("test_failure", "calc_test.go", 3, "TestAdd"),
                ("test_failure", "calc_test.go", 5, "TestSub/deep"),
            ],
            (0, 2, 2),
        ),
        (
            "go-v.txt",
            "go test",
            [
                ("test_failure", "calc_test.go", 3, "TestAdd"),
                ("test_failure", "calc_test.go", 5, "TestSub/deep"),
            ],
            (1, 2, 3),
        ),
        (
            "go.json",
            "go test",
            [
                ("test_failure", "calc_test.go", 3, "TestAdd"),
                ("test_failure", "calc_test.go", 5, "TestSub/deep"),
            ],
            (1, 2, 3),
        ),
        ("go-build.txt", "go test", [("type_error", "./calc.go", 2, None)], (None, None, None)),
    ],
)
def test_failed_tests_are_found_with_their_place(
    name: str, tool: str, errors: list[tuple], tests: tuple
) -> None:
    check_tests(name, tool, errors, tests)
