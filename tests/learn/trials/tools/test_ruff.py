"""What ruff prints."""

from __future__ import annotations

import pytest

from tests.learn.trials.printed import read, seen

LINT = [
    ("lint_error", "calc.py", 1, "I001"),
    ("lint_error", "calc.py", 1, "F401"),
    ("lint_error", "test_calc.py", 1, "I001"),
]


@pytest.mark.parametrize("name", ["ruff.txt", "ruff-concise.txt", "ruff.json"])
def test_every_form_of_ruff_says_the_same(name: str) -> None:
    tool, report = read(name)
    bare = [(t, str(f).removeprefix("/repo/"), line, rule) for t, f, line, rule in seen(report)]

    assert tool == "ruff"
    assert bare == LINT
    assert report.metrics.lint_errors == 3
