"""What the user corrects is an insight."""

from __future__ import annotations

import pytest

from hardwon.learn.transcripts.insight import CONTENT, HIGH
from tests.learn.transcripts.told_sessions import Talk


def test_the_users_correction_is_kept_in_the_imperative() -> None:
    insight = (
        Talk()
        .user("install the packages")
        .ran("npm install", "ok")
        .user("no, don't use npm here, use pnpm instead")
        .one()
    )

    assert insight.text == "Don't use npm here, use pnpm instead"
    assert (insight.kind, insight.confidence) == (CONTENT, HIGH)
    assert insight.tags == ("javascript",)
    assert insight.evidence[0].line == 3


def test_a_correction_that_is_repeated_is_one_insight_with_more_evidence() -> None:
    insight = (
        Talk()
        .agent("done")
        .user("Never commit to the main branch.")
        .agent("ok")
        .user("I said never commit to main branch!")
        .one()
    )

    assert [shown.line for shown in insight.evidence] == [2, 4]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (
            "don't use black for the api module, use ruff",
            "don't use npm for the web module, use pnpm",
        ),
        ("never push to main without running tests", "never push to dev without running tests"),
        ("use tabs in the Makefile", "never use tabs in the Makefile"),
    ],
)
def test_corrections_about_different_things_stay_apart(first: str, second: str) -> None:
    found = Talk().agent("done").user(first).agent("ok").user(second).found()

    assert [insight.evidence[0].quote for insight in found.insights] == [first, second]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("use pnpm, not npm", "again: use pnpm, not npm!"),
        ("always run make lint before you commit", "always run make lint before committing"),
    ],
)
def test_the_same_correction_in_other_words_is_one(first: str, second: str) -> None:
    insight = Talk().agent("done").user(first).agent("ok").user(second).one()

    assert insight.times == 2


DIFFERENT = (
    "use tabs instead of spaces",
    "use spaces instead of tabs",
    "never commit to main",
    "never commit to main without a review",
    "always run the tests first",
    "always run the tests with coverage first",
    "use ruff, not black",
    "use black, not ruff",
    "don't touch the port",
    "don't touch the portal",
    "rebase feature onto main instead of merging",
    "rebase main onto feature instead of merging",
    "prefer two small commits",
    "prefer two small commits per day",
)


def test_fourteen_different_corrections_stay_fourteen() -> None:
    talk = Talk().agent("done")
    for text in DIFFERENT:
        talk.user(text).agent("ok")

    found = talk.found().insights

    assert [insight.evidence[0].quote for insight in found] == list(DIFFERENT)


def test_a_title_ends_with_a_word() -> None:
    advice = "Always write the migration first and the model second because otherwise the reviewers"
    insight = Talk().agent("done").user(f"{advice} cannot follow what happens to the tables.").one()

    assert insight.title == f"{advice}…"
    assert insight.advice == insight.text


def test_the_first_prompt_is_a_task_and_never_a_correction() -> None:
    assert not Talk().user("Never use npm. Always use pnpm.").found().insights
