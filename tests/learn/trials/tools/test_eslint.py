"""What eslint prints."""

from __future__ import annotations

import pytest

from tests.learn.trials.printed import read


@pytest.mark.parametrize("name", ["eslint.txt", "eslint.json"])
def test_every_form_of_eslint_says_the_same(name: str) -> None:
    tool, report = read(name)

    assert tool == "eslint"
    assert [e.severity for e in report.errors] == ["warning", "error", "error"]
    assert [e.rule for e in report.errors] == ["no-var", "no-unused-vars", "no-undef"]
    assert (report.metrics.lint_errors, report.metrics.lint_warnings) == (2, 1)
