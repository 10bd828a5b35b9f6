"""Recall: how many lessons a door shows."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

import hardwon
from hardwon import Scope
from hardwon.core.settings import load
from hardwon.core.values.lesson import MINED, Status
from hardwon.engine.pipeline.recall import weigh
from hardwon.knowledge.ranking.query import Match, Query
from hardwon.knowledge.ranking.scores import Judged
from tests.samples import CODER, NOW, lesson

CURES = (
    "use mkdir with -p",
    "ask the operator for rights",
    "write below /var/lib instead",
    "delete yesterday's link first",
    "wait until the disk is mounted",
    "run it as another user",
)


def test_a_turn_shows_as_many_lessons_as_are_set_and_no_more() -> None:
    usual = load()
    settings = usual._replace(recall=usual.recall._replace(turn_lessons=2, turn_tokens=5000))
    with hardwon.open("memory:", settings=settings) as hw:
        coder = hw.agent("coder")
        for cure in CURES:
            coder.learn(cure, situation="when the nightly report folder is made")

        told = coder.before_turn("make the nightly report folder")

    assert len(told.lessons) == 2


class Found:
    """A store that finds these matches."""

    def __init__(self, *matches: Match) -> None:
        self.matches = matches
        self.limit = 0

    def match(self, scope: Scope, query: Query, *, now: datetime, limit: int) -> list[Match]:
        self.limit = limit
        return list(self.matches)


def weighed(door: str, *matches: Match, limit: int = 9) -> list[Judged]:
    asked = Query(door, "", about=("deadlock",), kind="k")
    store: Any = Found(*matches)
    return weigh(asked, scope=CODER, lessons=store, now=NOW, limit=limit)


def verdicts(judged: list[Judged]) -> list[tuple[int, str]]:
    return [(one.match.lesson.id, one.verdict) for one in judged]


def own(number: int, **more: Any) -> Match:
    """A lesson of this very failure."""
    known = lesson(f"own {number}", id=number, status=Status.PROVEN, author="person")
    return Match(known._replace(**more), is_same_failure=True, is_same_kind=True)


def other(number: int, *, rarity: float = 25.0) -> Match:
    """A lesson of another failure that shares a word with this one."""
    known = lesson(f"other {number}", id=number, status=Status.PROVEN, author="person")
    word = frozenset(["deadlock"])
    return Match(known, chance=-rarity, rarity={"deadlock": rarity}, held=word)


def test_the_lesson_of_the_failure_hides_others_that_say_less_of_it() -> None:
    found = weighed("error", other(1), own(2), other(3, rarity=40.0))

    hidden = "its own lesson is there"
    assert verdicts(found) == [(2, ""), (3, ""), (1, hidden)]


def test_a_lesson_that_is_hidden_keeps_its_own_reason() -> None:
    found = weighed("error", own(2), other(1, rarity=0.1))

    assert verdicts(found) == [(2, ""), (1, "another kind of failure")]


def test_without_a_fix_the_best_lesson_of_another_failure_is_shown_instead() -> None:
    seen = own(2, status=Status.SEEN)
    found = weighed("error", seen, other(1), other(3, rarity=40.0), other(4, rarity=0.1))

    assert verdicts(found) == [
        (3, ""),
        (1, "fits less well"),
        (4, "another kind of failure"),
        (2, "no fix is known, and another may help"),
    ]


def test_without_a_fix_and_without_another_lesson_nothing_is_shown() -> None:
    found = weighed("error", own(2, status=Status.SEEN), other(4, rarity=0.1))

    assert verdicts(found) == [
        (2, "nothing is known to work"),
        (4, "another kind of failure"),
    ]


def test_no_more_than_the_limit_and_no_advice_twice() -> None:
    twins = [own(number, correction="Do  THIS") for number in (1, 2)]
    found = weighed("error", *twins, own(3), own(4, correction="do this "), limit=2)

    assert verdicts(found) == [
        (4, ""),
        (3, ""),
        (2, "only 2 are shown"),
        (1, "only 2 are shown"),
    ]
    assert verdicts(weighed("error", *twins)) == [(2, ""), (1, "says the same as #2")]


@pytest.mark.parametrize(("door", "most"), [("turn", 8), ("error", 30), ("start", 30)])
def test_fewer_candidates_are_read_at_a_turn(door: str, most: int) -> None:
    store: Any = Found()

    assert weigh(Query(door, ""), scope=CODER, lessons=store, now=NOW, limit=3) == []
    assert store.limit == most


@pytest.mark.parametrize(
    ("rarity", "verdict"),
    [(5.7, ""), (5.6, "its own lesson is there"), (4.0, "its own lesson is there")],
    ids=["more surely", "just as surely", "less surely"],
)
def test_beside_a_mined_lesson_another_is_shown_if_it_speaks_surely_of_the_failure(
    rarity: float, verdict: str
) -> None:
    found = weighed("error", own(2, origin=MINED), other(1, rarity=rarity))

    assert verdicts(found) == [(2, ""), (1, verdict)]


def test_without_a_lesson_of_the_kind_that_of_the_exact_failure_is_the_own_one() -> None:
    exact = own(2)._replace(is_same_kind=False)

    found = weighed("error", other(1), exact, other(3, rarity=40.0))

    assert verdicts(found) == [(2, ""), (3, ""), (1, "its own lesson is there")]
