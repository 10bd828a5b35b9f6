"""The keys by which a lesson is found."""

from __future__ import annotations

import pytest

from hardwon import Lesson
from hardwon.ranking.query import Query, failure_key, index, kind_key, may_hold, tallied, terms
from hardwon.values.lesson import LIVE, Status
from tests.samples import lesson

FAILURES = {failure_key("ab12"), kind_key("cd34")}


def kept(status: str) -> Lesson:
    return lesson("the canary sings", status=status, signatures=("ab12",), kinds=("cd34",))


@pytest.mark.parametrize("status", [Status.RETIRED, Status.QUARANTINED, Status.SUPERSEDED])
def test_a_lesson_that_is_out_of_use_is_found_by_nothing(status: str) -> None:
    assert index(kept(status)) == {}


@pytest.mark.parametrize("status", LIVE)
def test_only_a_proven_lesson_is_found_by_more_than_its_failure(status: str) -> None:
    keys = index(kept(status)).keys()

    assert keys >= FAILURES
    assert (keys > FAILURES) is (status == Status.PROVEN)


@pytest.mark.parametrize("word", ["Queries", "RUNNING", "camelCase", "tests", "ΑΣb", "İstanbul"])
def test_a_text_may_hold_every_term_it_has(word: str) -> None:
    text = f"when {word} fail"

    assert all(may_hold(text, [term]) for term in terms(text))


def test_a_text_cannot_hold_what_it_shares_no_letters_with() -> None:
    assert not may_hold("when queries fail", ["deadlock", "querying"])


def test_a_match_tells_which_words_were_read_in_part_only() -> None:
    read = [("rare", [(1, 9)]), ("common", [(2, 9)])]
    known = [("rare", 1), ("common", 5), ("commonest", 9)]

    tally = tallied(Query("turn", ""), read, known=known, total=9, fresh={}, changed=())

    assert tally.match(lesson(id=1)).held == {"rare"}
    assert tally.match(lesson(id=1)).unread == {"common"}


def test_a_changed_lesson_holds_what_it_holds_now() -> None:
    read, fresh = [("old", [(1, 9), (2, 9)])], {"new": [(1, 9)]}

    tally = tallied(Query("turn", ""), read, known=[("old", 2)], total=9, fresh=fresh, changed=[1])

    assert tally.match(lesson(id=1)).held == {"new"}
    assert tally.match(lesson(id=1)).shared == 1
    assert tally.match(lesson(id=2)).held == {"old"}
