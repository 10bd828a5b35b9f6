"""What cargo prints."""

from __future__ import annotations

import pytest

from tests.learn.trials.printed import check_tests


@pytest.mark.parametrize(
    ("name", "tool", "errors", "tests"),
    [
        (
            "cargo.txt",
            "cargo test",
            [("test_failure", "src/lib.rs", 6, "tests::adds")],
            (1, 1, 2),
        ),
        (
            "cargo-build.txt",
            "cargo build",
            [("type_error", "src/lib.rs", 2, "E0425"), ("type_error", "src/lib.rs", 1, "E0308")],
            (None, None, None),
        ),
    ],
)
def test_failed_tests_are_found_with_their_place(
    name: str, tool: str, errors: list[tuple], tests: tuple
) -> None:
    check_tests(name, tool, errors, tests)
