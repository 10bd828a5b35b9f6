"""The guided selection: the seed's questions, in the seed's words."""

from __future__ import annotations

from typing import Any

import pytest

from hardwon.core.errors import InvalidInput
from hardwon.learn.transcripts.catalog import PERSON, PROJECT
from hardwon.learn.transcripts.insight import (
    CONTENT,
    HIGH,
    LOW,
    TIER_A,
    TIER_B,
    Delta,
    Insight,
    Passage,
    Related,
    Summary,
)
from hardwon.learn.transcripts.questions import (
    MERGE,
    Chosen,
    Question,
    Selection,
    all_questions,
    answers_from,
    cautious,
    select,
)
from tests.learn.transcripts.mined import Desk


def insight(title: str, confidence: str = HIGH, tier: str = TIER_A) -> Insight:
    return Insight(title, "Workflow", CONTENT, confidence, title, (Passage(3, title),), tier)


FIRST, SECOND, SPARE = insight("Use pnpm"), insight("Pin it", LOW, TIER_B), insight("Spare one")
SUMMARY = Summary("It began. It failed.", "task", ("Use SQLite because of X",))
NEAR = Related(FIRST.key, "complementary", "/m/.insights/npm.md", 4, "Use npm", "Both")
DELTA = Delta(SUMMARY, (FIRST, SECOND), (NEAR,), (SPARE,))


def _asked(delta: Delta, mode: str, **answers: Any) -> tuple[list[Question], Selection]:
    asked: list[Question] = []
    known = answers_from(
        {key.replace("_", "."): value for key, value in answers.items()}, delta, mode
    )

    def answer(question: Question) -> Chosen:
        asked.append(question)
        return known(question)

    return asked, select(delta, mode, answer)


def _labels(question: Question) -> list[str]:
    return [option.label for option in question.options]


def test_the_questions_and_their_options_are_the_seeds() -> None:
    by_id = {question.id: question for question in all_questions(DELTA, PROJECT)}

    assert by_id["Q1"].text.startswith("Does this summary look correct?")
    assert _labels(by_id["Q1"]) == ["Yes, correct", "Needs modification", "Skip summary"]
    assert by_id["Q2"].text == "Which insights should be saved?"
    assert by_id["Q2"].multi
    assert _labels(by_id["Q2"])[-1] == "None (skip saving)"
    assert by_id["Q3"].text == "Any missed perspectives?"
    assert _labels(by_id["Q3"]) == ["Yes", "No, sufficient"]
    assert by_id["Q4.1"].text.startswith("Merge with existing knowledge?")
    assert _labels(by_id["Q4.1"]) == ["Merge (modify existing file)", "Create new", "Skip"]
    assert _labels(by_id["Q5.1"]) == [
        "Tier A — MEMORY.md (always loaded, concise entry)",
        "Tier B — .insights/ (reference-on-demand, detailed archive)",
    ]
    assert _labels(by_id["Q5b.1"]) == [
        "Project .insights/ (project-specific archival)",
        "User .insights/ ~/.claude/.insights/ (cross-project reference)",
        "Domain .insights/ (tech-stack specific)",
    ]


def test_user_level_mode_offers_neither_memory_md_nor_the_project() -> None:
    by_id = {question.id: question for question in all_questions(DELTA, PERSON)}

    assert _labels(by_id["Q5.1"]) == [
        "Tier B — .insights/ only (no project MEMORY.md in user-level mode)"
    ]
    assert [option.value for option in by_id["Q5b.1"].options] == ["user", "domain"]


def test_no_question_is_open_ended() -> None:
    assert all(question.options for question in all_questions(DELTA, PROJECT))


def test_only_what_earlier_answers_lead_to_is_asked() -> None:
    asked, selection = _asked(DELTA, PROJECT, Q2=["1", "2"], Q4_1="create", Q5_1="A", Q5_2="B")

    assert [question.id for question in asked] == [
        *("Q1", "Q2", "Q3", "Q4.1", "Q5.1", "Q5.2", "Q5b.2")
    ]
    assert [(one.insight, one.tier) for one in selection.choices] == [
        (FIRST, TIER_A),
        (SECOND, TIER_B),
    ]


def test_none_saves_nothing_and_asks_nothing_more() -> None:
    asked, selection = _asked(DELTA, PROJECT, Q2="none")

    assert [question.id for question in asked] == ["Q1", "Q2", "Q3"]
    assert not selection.choices
    assert selection.skipped == (FIRST, SECOND)


def test_a_missed_perspective_is_chosen_from_options() -> None:
    _, selection = _asked(DELTA, PROJECT, **{"Q2": "none", "Q3": "yes", "Q3-missed": ["3"]})

    assert [one.insight for one in selection.choices] == [SPARE]


def test_a_merge_names_the_file_and_asks_for_no_tier() -> None:
    asked, selection = _asked(DELTA, PROJECT, Q2=["1"], Q4_1="merge")

    assert asked[-1].id == "Q4.1"
    assert (selection.choices[0].merge, selection.choices[0].related) == (MERGE, NEAR)


def test_the_summary_is_changed_by_choosing() -> None:
    _, kept = _asked(DELTA, PROJECT, **{"Q1": "modify", "Q1-changes": ["drop1", "add1"]})
    _, skipped = _asked(DELTA, PROJECT, Q1="skip")

    assert kept.summary
    assert kept.summary.text == "It failed. Use SQLite because of X"
    assert skipped.summary is None


@pytest.mark.parametrize(
    "answers",
    [{"Q1": "maybe"}, {"Q2": ["1", "none"]}, {"Q2": ["9"]}, {"Q1": ["yes", "skip"]}, {"Q9": "x"}],
)
def test_an_answer_that_no_question_offers_is_refused(answers: dict) -> None:
    with pytest.raises(InvalidInput):
        _asked(DELTA, PROJECT, **answers)


def test_the_policy_keeps_only_what_is_sure_and_contradicts_nothing() -> None:
    conflict = DELTA._replace(related=(NEAR._replace(relation="conflicting"),))

    chosen = select(DELTA, PROJECT, cautious(DELTA))
    touchy = select(conflict, PROJECT, cautious(conflict))

    assert [one.insight for one in chosen.choices] == [FIRST, SPARE]
    assert [one.insight for one in touchy.choices] == [SPARE]


def test_what_else_was_missed_is_asked_whenever_the_session_shows_more(desk: Desk) -> None:
    talk = desk.talk().says("Build it")
    talk.run("make", "make: *** No rule to make target 'all'", failed=True)
    talk.says("No, don't use npm here, use pnpm instead.").agent("ok").write(desk.home)

    asked = desk.agent.sessions.ask(desk.agent.sessions.choose(""))

    labels = [option.label for q in asked.questions if q.id == "Q3-missed" for option in q.options]
    assert len(labels) == 2
    assert labels[0].startswith("Look out with `make`")


def test_the_policy_keeps_every_sure_insight_also_beyond_the_first_ten() -> None:
    delta = DELTA._replace(spare=(SPARE, insight("Not sure", LOW)))

    selection = select(delta, PROJECT, cautious(delta))

    assert [choice.insight.title for choice in selection.choices] == ["Use pnpm", "Spare one"]
