"""Reflections are found by shared words; rare ones count more, a single one is not enough."""

from __future__ import annotations

from datetime import timedelta

import pytest

from hardwon.core.values.reflection import Likeness, Reflection
from hardwon.knowledge.ranking.reflections import (
    HOLDERS_READ,
    best_held,
    by_relevance,
    key_words,
    likenesses,
    weight,
    words_of,
)
from tests.samples import CODER, LATER, NOW


def reflection(title: str, insight: str = "", hours: int = 0) -> Reflection:
    return Reflection(
        CODER, title, title=title, insight=insight, created_at=NOW + timedelta(hours=hours)
    )


def test_synonyms_are_one_word_and_each_word_counts_once() -> None:
    assert key_words("send the mail, deliver the invoice") == key_words("email a bill")
    assert (
        len(key_words(" ".join(f"word{chr(97 + n % 26)}{chr(97 + n // 26)}" for n in range(60))))
        == 32
    )
    assert set(words_of(reflection("invoice", "folder"))) == {*key_words("invoice folder")}


@pytest.mark.parametrize(("holders", "more"), [(1, 2), (2, 100), (100, HOLDERS_READ)])
def test_a_rarer_word_weighs_more(holders: int, more: int) -> None:
    assert weight(holders) > weight(more)
    assert weight(HOLDERS_READ) == weight(5 * HOLDERS_READ)
    assert weight(0) == 1.0
    assert weight(HOLDERS_READ) < weight(0) < weight(HOLDERS_READ // 2)


def test_one_shared_word_of_several_may_be_chance() -> None:
    held = {"a": [1, 2], "b": [1], "c": []}
    found = best_held(held, limit=5)

    assert list(found) == [1]
    assert found[1] == pytest.approx((weight(2) + weight(1)) / (weight(2) + weight(1) + weight(0)))
    assert list(best_held({"a": [1]}, limit=5)) == [1]


def test_the_best_come_first_and_of_equals_the_last_number() -> None:
    held = {"a": [1, 2, 3], "b": [3, 1, 2], "c": [2]}

    assert list(best_held(held, limit=2)) == [2, 3]


def test_a_reflection_is_alike_by_the_share_of_the_asked_words() -> None:
    holders = dict.fromkeys(key_words("deploy invoice service"), 1)
    near, far = reflection("ship the invoice service"), reflection("paint the invoice")
    found = likenesses(holders, [far, near])

    assert [one.reflection for one in found] == [near]
    assert found[0].relevance == pytest.approx(1.0)
    assert likenesses({key_words("invoice")[0]: 1}, [far])
    assert likenesses({}, [far])[0].relevance == 0


def test_two_shared_words_of_three_are_enough() -> None:
    holders = dict.fromkeys(key_words("deploy invoice service"), 1)

    (found,) = likenesses(holders, [reflection("paint the invoice service")])
    assert found.relevance == pytest.approx(2 / 3)


def test_of_equals_the_newest_comes_first() -> None:
    old, new = (Likeness(reflection("x", hours=hours), 0.5) for hours in (0, 1))
    best = Likeness(reflection("y"), 0.9)

    assert by_relevance([old, new, best]) == [best, new, old]
    assert new.reflection.created_at == LATER
