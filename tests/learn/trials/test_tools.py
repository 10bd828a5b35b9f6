"""What tools print, as they really printed it, becomes errors and counts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.learn.trials.tools import KNOWN, tool_of
from tests.learn.trials.printed import OUTPUTS


@pytest.mark.parametrize(
    ("command", "tool", "kind"),
    [
        ("python3 -m pytest -q", "pytest", "unit_tests"),
        ("cd api && .venv/bin/mypy .", "mypy", "type_check"),
        ("ruff check", "ruff", "lint"),
        ("npx tsc --noEmit", "tsc", "type_check"),
        ("cargo +nightly test", "cargo test", "unit_tests"),
        ("go vet ./...", "go build", "compilation"),
        ("make", "make", "compilation"),
        ("./check-mypytest", "check-mypytest", "heuristic"),
    ],
)
def test_a_tool_is_known_by_its_command(command: str, tool: str, kind: str) -> None:
    found = tool_of(command)

    assert (found.name, found.kind) == (tool, kind)


TORN = st.sampled_from([path.read_text() for path in sorted(OUTPUTS.iterdir())]) | st.text(
    max_size=300
)


@given(st.lists(TORN, max_size=3), st.integers(0, 3000), st.integers(0, 3000))
def test_no_parser_falls_over_torn_output(parts: list[str], start: int, end: int) -> None:
    text = "\n".join(parts)[start : start + end]

    for tool in KNOWN:
        report = tool.parse(text)
        assert len(report.errors) <= 200
        assert all(e.message and (e.line is None or e.line >= 0) for e in report.errors)
