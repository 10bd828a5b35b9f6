"""Which lessons pass the floor of a door, and which are kept quiet for a reason."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from hardwon import Lesson
from hardwon.ranking.query import Match, Query
from hardwon.ranking.scores import WEIGHTS, Outlook, judge, spoken
from hardwon.values.lesson import RULES, Status
from tests.samples import NOW, lesson

SITUATION = "migration deadlock staging replica lag failover vacuum lock timeout retry pool disk"
PROVEN = lesson(
    situation=SITUATION, status=Status.PROVEN, origin="manual", author="person", id=7, met=5
)
SHARED: dict[str, Any] = {"shared": 5, "chance": -7.0, "words": 9.0}


def verdict(
    door: str,
    known: Lesson = PROVEN,
    *,
    told: frozenset[int] = frozenset(),
    runs: int = 10,
    terms: tuple[str, ...] = (),
    **match: Any,
) -> str:
    asked = Query(door, "", terms=terms)
    found = Match(known, **match)
    return judge(asked, found, outlook=Outlook(told, runs), now=NOW, by=WEIGHTS).verdict


def test_a_proven_lesson_that_shares_enough_is_shown_at_a_turn() -> None:
    assert verdict("turn", **SHARED) == ""


@pytest.mark.parametrize(
    "less",
    [{"shared": 4}, {"chance": -5.9}],
    ids=["too few words for such a long situation", "words that many lessons share"],
)
def test_words_must_be_many_and_surprising(less: dict[str, float]) -> None:
    assert verdict("turn", **{**SHARED, **less}) == "shares no more than others by chance"


def test_a_turn_is_told_proven_lessons_only() -> None:
    candidate = PROVEN._replace(status=Status.CANDIDATE)

    assert verdict("turn", candidate, **SHARED) == "not proven yet"


def test_what_a_run_was_told_is_told_again_only_at_its_error() -> None:
    told = frozenset({7})

    assert verdict("turn", told=told, **SHARED) == "told in this run already"
    assert verdict("error", told=told, is_same_failure=True, is_same_kind=True) == ""


def test_a_short_prompt_may_ask_by_a_rare_tag() -> None:
    tagged = PROVEN._replace(tags=("kubernetes",))
    rare: dict[str, Any] = {"shared": 1, "words": 5.0, "terms": ("kubernete",)}
    long = ("kubernete", *map(str, range(WEIGHTS.brief)))

    assert verdict("turn", tagged, **rare) == ""
    assert verdict("turn", tagged, **{**rare, "terms": long})
    assert verdict("turn", tagged, **{**rare, "words": 1.0})
    assert verdict("turn", tagged._replace(author=RULES), **rare)


def test_a_start_is_told_what_many_runs_meet() -> None:
    assert verdict("start", runs=10) == ""


@pytest.mark.parametrize(
    ("known", "runs"),
    [
        (PROVEN._replace(status=Status.CANDIDATE), 10),
        (PROVEN._replace(met=2), 4),
        (PROVEN, 100),
        (PROVEN._replace(updated_at=NOW - timedelta(days=90)), 10),
    ],
    ids=["not proven", "met twice", "met in few of the runs", "not met for months"],
)
def test_a_start_is_not_told(known: Lesson, runs: int) -> None:
    assert verdict("start", known, runs=runs)


WORD = frozenset(["deadlock"])


def deadlock_counts(known: Lesson = PROVEN, **match: Any) -> float:
    """How surely the lesson speaks of a failure that shares one of its words."""
    asked = Query("error", "", about=("deadlock", "unheard"))
    return spoken(asked, Match(known, chance=-4.0, rarity={"deadlock": 5.0}, **match), WEIGHTS)


def test_a_word_that_the_index_tells_of_counts_at_an_error() -> None:
    assert deadlock_counts(held=WORD) > 0
    assert deadlock_counts() == 0


def test_the_text_tells_of_words_that_were_not_read_in_the_index() -> None:
    other = PROVEN._replace(situation="another")

    assert deadlock_counts(unread=WORD) == deadlock_counts(held=WORD)
    assert deadlock_counts(other, unread=WORD) == 0


def test_the_text_tells_of_words_of_a_lesson_whose_words_are_not_indexed() -> None:
    candidate = PROVEN._replace(status=Status.CANDIDATE)

    assert deadlock_counts(candidate) == deadlock_counts(held=WORD)


@pytest.mark.parametrize(("shared", "is_shown"), [(2, True), (1, False)])
def test_one_shared_word_asks_for_no_lesson_however_short_it_is(
    shared: int, is_shown: bool
) -> None:
    brief = PROVEN._replace(situation="deadlock")

    assert (verdict("turn", brief, **{**SHARED, "shared": shared}) == "") is is_shown
