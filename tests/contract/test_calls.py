"""What every store must do with calls and the lessons met most often."""

from __future__ import annotations

import pytest

from hardwon import Scope
from hardwon.ports import Store
from hardwon.ranking.odds import (
    EVERY,
    LIMITS,
    PRUNE_EVERY,
    RUN,
    Call,
    Counts,
    counted,
    numbered,
)
from hardwon.ranking.query import Query
from hardwon.values.delivery import Delivery
from tests.samples import CODER, NOW, lesson

OTHER = Scope("acme", "writer", "api")
A, B, C = numbered(["a", "b", "c"])


def test_calls_are_counted_by_feature_kind_and_scope(store: Store) -> None:
    store.calls.made(CODER, Call((RUN, A, B)))
    store.calls.made(CODER, Call((A,), "k", met=("j",)))
    store.calls.made(CODER, Call((A,), "j", met=("j", "k")))
    fold(store)

    seen = store.calls.counts(CODER, (RUN, A, B, C))

    assert {feature: (one.made, one.kinds) for feature, one in seen.items()} == {
        EVERY: (3, (("k", 1, 1),)),
        RUN: (1, ()),
        A: (3, (("k", 1, 1),)),
        B: (1, ()),
    }
    assert store.calls.counts(OTHER, (A,)) == {}


def test_what_holds_everywhere_is_added_to_a_project(store: Store) -> None:
    store.calls.made(CODER.everywhere(), Call((A,), "k"))
    store.calls.made(CODER, Call((A,)))
    fold(store)

    assert store.calls.counts(CODER, (A,))[A][:2] == (2, (("k", 1, 0),))
    assert store.calls.counts(CODER.everywhere(), (A,))[A][:2] == (1, (("k", 1, 0),))


def test_every_store_counts_alike(store: Store) -> None:
    """The same as in a plain dictionary, however the store groups what it was told."""
    known: dict[int, Counts] = {}
    for number in range(400):
        features = tuple(numbered(f"f{number % step}" for step in (2, 7, 90)))
        call = Call(features, "k" if number % 5 == 0 else "", ("j",) if number % 3 else ())
        store.calls.made(CODER, call)
        counted(known, call)
    fold(store)

    seen = store.calls.counts(CODER, sorted(known))

    assert {n: one[:2] for n, one in seen.items()} == {n: one[:2] for n, one in known.items()}


def test_features_that_are_not_seen_for_long_are_forgotten(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = LIMITS._replace(features=50)
    for name in ("memory", "postgres", "sqlite"):
        monkeypatch.setattr(f"hardwon.stores.{name}.calls.LIMITS", small)
    features = list(numbered(f"f{number}" for number in range(PRUNE_EVERY)))
    for feature in features:
        store.calls.made(CODER, Call((feature,)))
    fold(store)

    seen = store.calls.counts(CODER, features)

    assert len(seen) == small.features
    assert set(seen) == {EVERY, *features[-small.features + 1 :]}


def test_without_a_call_there_is_nothing_to_catch_up_with(store: Store) -> None:
    made = Delivery("d", CODER, "turn", "asked", (), (), 0, 0, NOW)
    store.calls.made(CODER, Call((A,)))
    store.calls.catch_up()

    store.deliveries.log(made)

    assert not store.calls.catch_up()
    assert store.calls.counts(CODER, (A,))[A].made == 1
    assert [one.id for one in store.deliveries.recent(CODER, limit=9)] == ["d"]


def fold(store: Store) -> None:
    """Count what was noted, in stores that count later."""
    store.calls.catch_up()


def test_a_lesson_counts_how_often_it_was_met_through_a_call(store: Store) -> None:
    store.lessons.add(lesson("alpha", calls=(": make", ": make", "= make all")))

    asked = Query("action", "", calls=(": make", "= make all"))
    (found,) = store.lessons.match(CODER, asked, now=NOW, limit=9)

    assert sorted(found.calls) == [(": make", 2), ("= make all", 1)]


def test_the_lessons_met_most_often_are_looked_at_when_asked_for(store: Store) -> None:
    store.lessons.add(lesson("once"))
    often = store.lessons.add(lesson("often", met=5))
    twice = store.lessons.add(lesson("twice", met=2))
    store.lessons.add(lesson("elsewhere", OTHER, met=9))

    found = store.lessons.match(CODER, Query("turn", "", usual=8), now=NOW, limit=9)

    assert [match.lesson for match in found] == [often, twice]
