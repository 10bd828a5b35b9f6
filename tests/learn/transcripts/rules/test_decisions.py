"""Decisions with their reasons."""

from __future__ import annotations

import pytest

from hardwon.learn.transcripts.findings import is_decision, is_rule
from tests.learn.transcripts.told_sessions import Talk


def test_a_decision_with_its_reason_is_kept_and_summarised() -> None:
    told = "We decided to use SQLite instead of PostgreSQL because there is one machine."

    found = Talk().user("plan the store").agent(f"Let me think. {told} Next step.").found()

    assert [one.text for one in found.insights] == [told]
    assert found.summary.decisions == (told,)


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("We will use the old parser because it is there", False),
        ("I chose httpx over requests because it has async", True),
        ("I will look at the tests because they fail", False),
        ("We went with tabs", False),
    ],
)
def test_a_decision_needs_a_choice_an_alternative_and_a_reason(
    sentence: str, expected: bool
) -> None:
    assert is_decision(sentence) is expected


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("Don't edit generated files", True),
        ("use tabs instead of spaces", True),
        ("Always run the linter before you commit", True),
        ("Can you never do that?", False),
        ("Thanks, that looks good", False),
    ],
)
def test_a_rule_says_how_things_are_done(sentence: str, expected: bool) -> None:
    assert is_rule(sentence) is expected


def test_a_choice_without_its_reason_is_there_to_be_asked_for() -> None:
    found = Talk().agent("I decided to keep SQLite for the queue.").found()

    assert not found.insights
    assert [insight.text for insight in found.missed] == ["I decided to keep SQLite for the queue."]
