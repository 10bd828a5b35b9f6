"""What the TypeScript compiler prints."""

from __future__ import annotations

import pytest

from tests.learn.trials.printed import check_types, read, seen


def test_the_pretty_form_of_tsc_says_the_same() -> None:
    assert seen(read("tsc-pretty.txt", "npx tsc --noEmit")[1]) == seen(read("tsc.txt")[1])


@pytest.mark.parametrize(
    ("name", "tool", "errors"),
    [
        (
            "tsc.txt",
            "tsc",
            [("type_error", "src/a.ts", 1, "TS2322"), ("type_error", "src/a.ts", 2, "TS2551")],
        ),
    ],
)
def test_type_errors_are_found_and_counted(name: str, tool: str, errors: list[tuple]) -> None:
    check_types(name, tool, errors)
