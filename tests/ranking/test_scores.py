"""Which lessons pass the floor of a door, and which are kept quiet for a reason."""

from __future__ import annotations

from math import log
from typing import Any

import pytest

from hardwon import Lesson
from hardwon.core.values.lesson import LIVE, MINED, RULES, Evidence, Fix, Kind, Status
from hardwon.knowledge.ranking.query import Match, Query
from hardwon.knowledge.ranking.scores import UNKNOWN, WEIGHTS, Judged, Outlook, judge, text_evidence
from tests.samples import lesson

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
    terms: tuple[str, ...] = (),
    **match: Any,
) -> str:
    asked = Query(door, "", terms=terms)
    found = Match(known, **match)
    return judge(asked, found, outlook=Outlook(told), by=WEIGHTS).verdict


def test_a_proven_lesson_that_shares_enough_is_shown_at_a_turn() -> None:
    assert verdict("turn", **SHARED) == ""
    assert verdict("turn", **{**SHARED, "chance": -6.0}) == ""


@pytest.mark.parametrize(
    "less",
    [{"shared": 4}, {"chance": -5.9999}],
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
    long = ("kubernete", *map(str, range(40)))

    assert verdict("turn", tagged, **rare) == ""
    assert verdict("turn", tagged, **{**rare, "terms": long})
    assert verdict("turn", tagged, **{**rare, "words": 1.0})
    assert verdict("turn", tagged._replace(author=RULES), **rare)


WORD = frozenset(["deadlock"])


def deadlock_counts(known: Lesson = PROVEN, **match: Any) -> float:
    """How surely the lesson speaks of a failure that shares one of its words."""
    asked = Query("error", "", about=("deadlock", "unheard"))
    return text_evidence(
        asked, Match(known, chance=-4.0, rarity={"deadlock": 5.0}, **match), WEIGHTS
    )


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


def test_a_prompt_of_just_so_many_words_may_ask_by_a_tag() -> None:
    tagged = PROVEN._replace(tags=("kubernetes",))
    words = ("kubernete", *map(str, range(39)))

    assert verdict("turn", tagged, shared=1, words=5.0, terms=words) == ""


def at_error(known: Lesson, *, asked: Query | None = None, **match: Any) -> Judged:
    query = asked or Query("error", "", about=("deadlock",), kind="k1")
    facts = {"chance": -30.0, "rarity": {"deadlock": 25.0}, "held": WORD, **match}
    outlook = UNKNOWN
    return judge(query, Match(known, **facts), outlook=outlook, by=WEIGHTS)


def offered(*kinds: str) -> Lesson:
    pieces = tuple(Evidence(Kind.OFFERED, f"{kind} d1", 1.0) for kind in kinds)
    return PROVEN._replace(evidence=pieces)


def test_a_lesson_of_another_failure_is_offered_twice_at_each_kind() -> None:
    assert at_error(offered()).verdict == ""
    assert at_error(offered("k1", "k2", "k2")).verdict == ""
    assert at_error(offered("k1", "k1")).verdict == "another kind of failure"


def test_a_lesson_that_was_mined_or_not_proven_is_for_its_own_failure_only() -> None:
    for known in (PROVEN._replace(origin=MINED), PROVEN._replace(status=Status.CANDIDATE)):
        assert at_error(known).verdict == "another kind of failure"
        assert at_error(known, is_same_kind=True).verdict == ""


def near(*meanings: float) -> tuple[tuple[int, float, float], ...]:
    return tuple((number, 0.5, meaning) for number, meaning in enumerate(meanings, 7))


FIRST = (0.9,) * 8


@pytest.mark.parametrize(
    ("crowd", "meaning", "is_shown"),
    [
        ((), 0.34, True),
        ((), 0.33, False),
        ((0.5,) * 7, 0.6, True),
        ((0.0,) * 8, 0.42, True),
        ((0.0,) * 8, 0.41, False),
    ],
    ids=["near enough", "too far", "no crowd", "apart from the crowd", "of the crowd"],
)
def test_a_lesson_is_near_when_it_is_apart_from_the_crowd(
    crowd: tuple[float, ...], meaning: float, is_shown: bool
) -> None:
    asked = Query("error", "", near=near(*FIRST, *crowd))
    found = at_error(PROVEN, asked=asked, cosine=meaning, meaning=meaning, held=frozenset())

    assert (found.verdict == "") is is_shown


def test_a_lesson_counts_more_the_closer_its_failure_and_the_surer_its_state() -> None:
    def parts(**match: Any) -> dict[str, float]:
        return dict(at_error(PROVEN, **match).parts)

    same = parts(is_same_failure=True, is_same_kind=True)
    kind = parts(is_same_kind=True)

    assert (same["same failure"], same["same kind"]) == (10.0, 5.0)
    assert (kind["same failure"], kind["same kind"]) == (0.0, 5.0)
    assert same["state"] == len(LIVE) - 1
    assert dict(at_error(PROVEN._replace(status=Status.RETIRED)).parts)["state"] == 0.0


def test_a_run_that_met_the_kind_is_told_again_only_a_proven_fix_of_just_this_failure() -> None:
    def again(known: Lesson, *, is_same: bool) -> str:
        found = Match(known, is_same_failure=is_same, is_same_kind=True)
        outlook = Outlook(frozenset(), is_again=True)
        return judge(Query("error", ""), found, outlook=outlook, by=WEIGHTS).verdict

    assert again(PROVEN, is_same=True) == ""
    assert again(PROVEN, is_same=False) == "this run has met the kind already"
    assert again(PROVEN._replace(status=Status.CANDIDATE), is_same=True) != ""


def test_a_failure_that_nobody_got_past_is_not_mentioned() -> None:
    seen = PROVEN._replace(status=Status.SEEN)

    assert at_error(seen, is_same_kind=True).verdict == "nothing is known to work"


def test_one_that_is_certain_frequent_and_important_comes_first() -> None:
    def prior(**more: Any) -> float:
        return dict(at_error(PROVEN._replace(**more)).parts)["prior"]

    plain = prior(met=0, confidence=0.0, importance=0.0)
    assert plain == pytest.approx(1.0)
    assert prior(met=1, confidence=0.0, importance=0.0) == plain
    assert prior(met=1, confidence=1.0, importance=0.0) == pytest.approx(1.3)
    assert prior(met=1, confidence=0.0, importance=1.0) == pytest.approx(1.1)
    assert prior(met=21, confidence=0.0, importance=0.0) == pytest.approx(1.3)
    assert prior(met=2, confidence=0.0, importance=0.0) == pytest.approx(1 + 0.3 * log(2) / 3)


def test_in_a_large_store_a_word_alone_says_less() -> None:
    small = deadlock_counts(held=WORD, total=1)
    large = deadlock_counts(held=WORD, total=500)

    by_chance = WEIGHTS.own * log(500)
    assert small - large == pytest.approx(by_chance + WEIGHTS.crowded * log(10))


def test_meaning_counts_for_a_lesson_that_was_found_by_it() -> None:
    def parts(**match: Any) -> dict[str, float]:
        return dict(at_error(PROVEN, **match).parts)

    assert parts(cosine=0.5, meaning=0.4)["meaning"] == pytest.approx(3.0 * 0.4)
    assert parts(cosine=0.5, meaning=-0.4)["meaning"] == 0.0
    assert "meaning" not in parts()


def test_tests_that_fail_without_a_change_are_told_of_only_where_they_are_run() -> None:
    old_red = Fix("unchanged", "`a.py::test_x` fails too", "unchanged a.py::test_x")
    known = PROVEN._replace(origin=MINED, fixes=(old_red,))
    other = known._replace(fixes=(old_red, old_red._replace(sort="call")))
    here, there = Query("error", "a.py::test_x"), Query("error", "b.py::test_y")

    assert at_error(known, asked=here, is_same_kind=True).verdict == ""
    assert at_error(known, asked=there, is_same_kind=True).verdict == "known of other tests only"
    assert at_error(other, asked=there, is_same_kind=True).verdict == ""
    assert at_error(known._replace(origin="x"), asked=there, is_same_kind=True).verdict == ""


def test_a_tag_is_rare_from_this_weight_of_its_words_on() -> None:
    tagged = PROVEN._replace(tags=("kubernetes",))
    least = WEIGHTS.tagged * 2

    def at(words: float) -> str:
        return verdict("turn", tagged, shared=2, words=words, terms=("kubernete",))

    assert at(least) == ""
    assert at(least - 0.01) != ""


def test_a_mined_lesson_is_asked_for_by_a_prompt_that_quotes_its_failure() -> None:
    mined = PROVEN._replace(origin=MINED, situation="When you see migration deadlock replica lag")
    quoted = ("migration", "deadlock", "replica", "lag")

    assert verdict("turn", mined, terms=quoted, **SHARED) == ""
    assert verdict("turn", mined, terms=(*quoted, "more"), **SHARED) == ""
    assert verdict("turn", mined, terms=quoted[:-1], **SHARED) != ""
    brief = mined._replace(situation="When you see migration deadlock replica")
    assert verdict("turn", brief, terms=quoted, **SHARED) != "", "it fits too many prompts"


def test_one_rare_word_is_enough_for_a_tag_and_a_tag_without_a_word_asks_for_nothing() -> None:
    tagged = PROVEN._replace(tags=("kubernetes",))

    assert verdict("turn", tagged, shared=1, words=1.2, terms=("kubernete",)) == ""
    empty = PROVEN._replace(tags=("the",))
    assert verdict("turn", empty, shared=1, words=9.0, terms=("kubernete",)) != ""


def part(name: str, known: Lesson, **match: Any) -> float:
    return dict(at_error(known, **match).parts)[name]


def test_how_surely_a_lesson_speaks_of_its_own_kind_counts_a_tenth() -> None:
    quoting = PROVEN._replace(situation="When “disk full” comes")
    asked = Query("error", "disk full")

    def sure(known: Lesson, **match: Any) -> float:
        found = at_error(known, asked=asked, chance=0.0, held=frozenset(), **match)
        return dict(found.parts)["speaks of it"]

    assert sure(quoting, is_same_kind=True) == pytest.approx(1.2)
    assert sure(quoting._replace(origin=MINED), is_same_kind=True) == pytest.approx(0.7)
    assert sure(quoting) == pytest.approx(1.2)


def test_a_lesson_of_another_failure_must_be_sure_enough() -> None:
    quoting = PROVEN._replace(situation="When “disk full” comes")

    def verdict_at(text: str) -> str:
        found = at_error(quoting, asked=Query("error", text), chance=0.0, held=frozenset())
        return found.verdict

    assert verdict_at("tar: Disk  full") == ""
    assert verdict_at("no route to host") != ""


def test_red_tests_that_are_known_exactly_are_told_of_other_tests_too() -> None:
    old_red = Fix("unchanged", "`a.py::test_x` fails too", "unchanged a.py::test_x")
    known = PROVEN._replace(origin=MINED, fixes=(old_red,))

    def is_told(red: str, *, is_same: bool) -> bool:
        asked = Query("error", "b.py::test_y", red=red)
        found = at_error(known, asked=asked, is_same_kind=True, is_same_failure=is_same)
        return found.verdict == ""

    assert is_told("b.py::test_y", is_same=True)
    assert not is_told("b.py::test_y", is_same=False)
    assert not is_told("", is_same=True)
