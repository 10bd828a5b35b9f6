"""What type checkers of Python print."""

from __future__ import annotations

import pytest

from tests.learn.trials.printed import check_types


@pytest.mark.parametrize(
    ("name", "tool", "errors"),
    [
        ("mypy.txt", "mypy", [("type_error", "calc.py", 3, "return-value")]),
        ("pyright.txt", "pyright", [("type_error", "/repo/calc.py", 3, "reportReturnType")]),
        ("pyright.json", "pyright", [("type_error", "/repo/calc.py", 3, "reportReturnType")]),
    ],
)
def test_type_errors_are_found_and_counted(name: str, tool: str, errors: list[tuple]) -> None:
    check_types(name, tool, errors)
