"""The keys by which a lesson is found."""

from __future__ import annotations

from math import log

import pytest

from hardwon import Lesson
from hardwon.core.values.lesson import LIVE, Status
from hardwon.knowledge.ranking.query import (
    _EXPECTED,
    _TERMS,
    Match,
    Query,
    call_key,
    chance,
    entries_read,
    failure_key,
    impacts,
    index,
    keys,
    kind_key,
    may_hold,
    query,
    rarity,
    stem,
    tally_matches,
    terms,
)
from tests.samples import lesson

FAILURES = {failure_key("ab12"), kind_key("cd34")}


def kept(status: str) -> Lesson:
    return lesson("the canary sings", status=status, signatures=("ab12",), kinds=("cd34",))


@pytest.mark.parametrize("status", [Status.RETIRED, Status.QUARANTINED, Status.SUPERSEDED])
def test_a_lesson_that_is_out_of_use_is_found_by_nothing(status: str) -> None:
    assert index(kept(status)) == {}


@pytest.mark.parametrize("status", LIVE)
def test_a_lesson_without_a_fix_is_found_by_its_failure_only(status: str) -> None:
    keys = index(kept(status)).keys()

    assert keys >= FAILURES
    assert (keys > FAILURES) is (status != Status.SEEN)


@pytest.mark.parametrize("word", ["Queries", "RUNNING", "camelCase", "tests", "ΑΣb", "İstanbul"])
def test_a_text_may_hold_every_term_it_has(word: str) -> None:
    text = f"when {word} fail"

    assert all(may_hold(text, [term]) for term in terms(text))


def test_a_text_cannot_hold_what_it_shares_no_letters_with() -> None:
    assert not may_hold("when queries fail", ["deadlock", "querying"])


def test_a_match_tells_which_words_were_read_in_part_only() -> None:
    read = [("rare", [(1, 9)]), ("common", [(2, 9)])]
    known = [("rare", 1), ("common", 2), ("commonest", 9)]

    asked = Query("error", "", about=("rare", "common", "commonest"))

    tally = tally_matches(asked, read, known=known, total=9, fresh={}, changed=())

    assert tally.match(lesson(id=1)).held == {"rare"}
    assert tally.match(lesson(id=1)).unread == {"common"}


def test_words_that_are_not_of_the_failure_are_not_looked_for() -> None:
    read, known = [("common", [(2, 9)])], [("common", 5)]

    tally = tally_matches(Query("error", ""), read, known=known, total=9, fresh={}, changed=())

    assert tally.match(lesson(id=2)).unread == frozenset()


def test_a_changed_lesson_holds_what_it_holds_now() -> None:
    read, fresh = [("old", [(1, 9), (2, 9)])], {"new": [(1, 9)]}

    tally = tally_matches(
        Query("turn", ""), read, known=[("old", 2)], total=9, fresh=fresh, changed=[1]
    )

    assert tally.match(lesson(id=1)).held == {"new"}
    assert tally.match(lesson(id=1)).shared == 1
    assert tally.match(lesson(id=1)).rarity["new"] == rarity(1, 9) / 1000
    assert tally.match(lesson(id=2)).held == {"old"}


def test_a_word_is_the_rarer_the_fewer_lessons_hold_it() -> None:
    assert rarity(1, 1000) == round(1000 * log(1 + 999.5 / 1.5))
    assert rarity(1000, 1000) == round(1000 * log(1 + 0.5 / 1000.5))
    assert (
        rarity(1, 1) == rarity(1, 100) < rarity(1, 101)
    )  # a small store says little of how rare a word is


def test_the_keys_of_a_query_are_looked_up_the_surest_first() -> None:
    asked = Query("error", "", ("word",), "s", "k", ("call",))

    assert keys(asked) == (
        failure_key("s"),
        kind_key("k"),
        call_key("call"),
        "word",
    )
    assert keys(Query("turn", "")) == ()


def test_a_proven_lesson_is_found_by_its_failure_and_calls_as_surely_as_can_be() -> None:
    found = index(kept(Status.PROVEN)._replace(calls=("make", "make")))

    assert found[failure_key("ab12")] == found[kind_key("cd34")] == 255
    assert found[call_key("make")] == 2
    assert 1 <= found["canary"] < 255


def test_what_a_lesson_shares_with_a_query_is_its_match() -> None:
    read = [
        (failure_key("s"), [(1, 255)]),
        (call_key("make"), [(1, 2), (2, 1)]),
        ("word", [(1, 100), (3, 200)]),
    ]
    known = [(key, len(pairs)) for key, pairs in read]

    tally = tally_matches(Query("error", ""), read, known=known, total=20, fresh={}, changed=())

    first, second, third = (tally.match(lesson(id=number)) for number in (1, 2, 3))
    assert (first.is_same_failure, first.is_same_kind) == (True, False)
    assert (first.calls, second.calls) == ((("make", 2),), (("make", 1),))
    assert second.words == 0.0
    assert first.words == pytest.approx(rarity(2, 20) * 100 / (1000 * 255))
    assert third.words == 2 * first.words
    assert (third.is_same_failure, third.is_same_kind) == (False, False)
    assert tally.best(2) == [1, 2, 3]
    assert tally.best(1) == [1, 3]
    assert tally.mined_ids(Query("turn", ""), [1, 2, 3]) == [1, 2, 3]


def test_lessons_with_the_same_sum_of_words_are_ordered_newest_first() -> None:
    read = [("word", [(1, 9), (2, 9), (3, 9)])]

    tally = tally_matches(
        Query("turn", ""), read, known=[("word", 3)], total=9, fresh={}, changed=()
    )

    assert tally.best(2) == [3, 2]


@pytest.mark.parametrize(
    ("lessons", "most"), [(0, 300), (10_000, 300), (40_000, 600), (10**12, 3000)]
)
def test_how_much_is_read_grows_with_the_root_of_the_store(lessons: int, most: int) -> None:
    assert entries_read(Query("turn", ""), lessons) == most
    assert entries_read(Query("turn", "", reach=7), lessons) == 7


def test_a_query_asks_for_each_word_once() -> None:
    asked = query("action", "deadlock deadlock", calls=("a", "b"))

    assert (asked.terms, asked.calls) == (("deadlock",), ("a", "b"))
    assert (asked.usual, asked.reach) == (0, 0)


@pytest.mark.parametrize(
    ("word", "found"),
    [
        ("queries", "query"),
        ("flies", "fly"),
        ("dies", "die"),
        ("running", "run"),
        ("eating", "eat"),
        ("bring", "bring"),
        ("calling", "call"),
        ("passing", "pass"),
        ("buzzing", "buzz"),
        ("stopped", "stop"),
        ("ended", "end"),
        ("need", "need"),
        ("tests", "test"),
        ("gas", "gas"),
        ("class", "class"),
    ],
)
def test_the_stem_of_a_word_is_its_common_form(word: str, found: str) -> None:
    assert stem(word) == found


def test_a_query_and_a_match_say_nothing_that_nobody_said() -> None:
    empty: tuple[object, ...] = ()

    assert Query("turn", "")[2:] == (empty, "", "", empty, 0, 0, empty, empty, "", False)
    found = Match(lesson())
    assert (found.words, found.shared, found.is_same_failure, found.is_same_kind) == (0, 0, 0, 0)
    assert (found.calls, found.total, found.chance) == ((), 0, 0.0)
    assert (found.cosine, found.meaning) == (0.0, 0.0)


def test_at_a_failure_words_alone_find_no_mined_lesson() -> None:
    read = [
        (failure_key("s"), [(1, 255)]),
        (kind_key("k"), [(2, 255)]),
        (call_key("make"), [(3, 1)]),
        ("word", [(4, 9)]),
    ]
    known = [(key, 1) for key, _ in read]
    near = ((5, 0.5, 0.5),)
    asked = Query("error", "", near=near, is_failure=True)

    tally = tally_matches(asked, read, known=known, total=9, fresh={}, changed=())

    assert tally.mined_ids(asked, [1, 2, 3, 4, 5]) == [1, 2, 5]
    assert tally.mined_ids(asked._replace(is_failure=False), [3, 4]) == [3, 4]


def test_the_same_kind_comes_before_many_shared_calls_and_the_same_failure_before_both() -> None:
    read = [
        (call_key("a"), [(1, 1), (3, 1)]),
        (call_key("b"), [(1, 1)]),
        (kind_key("k"), [(2, 255)]),
        (failure_key("s"), [(3, 255)]),
    ]
    known = [(key, len(pairs)) for key, pairs in read]

    tally = tally_matches(Query("error", ""), read, known=known, total=9, fresh={}, changed=())

    assert tally.best(9) == [3, 2, 1]


@pytest.mark.parametrize(
    ("word", "found"),
    [
        ("camelCase", ["camelcase", "camel", "case"]),
        ("HTTPServer", ["httpserver", "http", "server"]),
        ("snake_case", ["snake", "case"]),
        ("ab12", ["ab12", "ab", "12"]),
        ("Word", ["word"]),
        ("x1", ["x1"]),
        ("x", []),
        ("the", []),
    ],
)
def test_a_name_is_found_whole_and_by_its_parts(word: str, found: list[str]) -> None:
    assert terms(word) == found


def test_a_changed_lesson_is_no_longer_found_by_its_old_failure() -> None:
    read = [(failure_key("s"), [(1, 255), (2, 255)])]
    known = [(failure_key("s"), 2)]

    tally = tally_matches(Query("error", ""), read, known=known, total=9, fresh={}, changed=[1])

    assert tally.best(9) == [2]
    assert not tally.match(lesson(id=1)).is_same_failure


def test_those_with_the_most_weight_of_words_come_first() -> None:
    read = [("word", [(1, 5), (2, 9), (3, 7)])]

    tally = tally_matches(
        Query("turn", ""), read, known=[("word", 3)], total=9, fresh={}, changed=()
    )

    assert tally.best(9) == [2, 3, 1]
    assert tally.best(2) == [2, 3]
    assert tally.best(1) == [2]


def test_a_word_weighs_less_in_a_long_text() -> None:
    words = [f"{a}{b}{c}" for a in "bcdfg" for b in "aiou" for c in ("lar", "mon", "nik", "tub")]
    usual = impacts(" ".join(words[:40]))
    long = impacts(" ".join(words))

    assert set(usual.values()) == {round(255 / (1 + 1.2))}
    assert set(long.values()) == {round(255 / (1 + 1.2 * 1.5))}
    assert impacts(f"{words[0]} " * 40)[words[0]] == round(255 * 40 / (40 + 1.2))


def test_how_many_lessons_share_so_many_words_by_chance() -> None:
    assert chance(0.0, shared=2, asked=5, total=100) == pytest.approx(log(100 * 10))
    assert chance(3.0, shared=5, asked=5, total=100) == pytest.approx(log(100) - 3)
    assert chance(0.0, shared=1, asked=1, total=1) == chance(0.0, shared=1, asked=1, total=0) == 0


def test_what_is_remembered_stays_bounded() -> None:
    for number in range(65_537):
        terms(f"w{number}")
        assert len(_TERMS) <= 65_536
    for total in range(4_097):
        chance(0.0, shared=1, asked=1, total=total)
        assert len(_EXPECTED) <= 4_096
