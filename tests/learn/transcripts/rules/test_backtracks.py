"""An edit that is taken back."""

from __future__ import annotations

from hardwon.learn.transcripts.insight import PATTERN
from tests.learn.transcripts.told_sessions import Talk


def test_an_edit_and_its_reverse_are_a_backtrack() -> None:
    insight = Talk().edited("/p/a.py", "x = 1", "x = 2").edited("/p/a.py", "x = 2", "x = 1").one()

    assert insight.kind == PATTERN
    assert "a.py" in insight.title
    assert [shown.line for shown in insight.evidence] == [1, 2]
