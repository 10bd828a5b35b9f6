"""What every store must do with calls, changes and the lessons met most often."""

from __future__ import annotations

from hardwon import Scope
from hardwon.ports import Store
from hardwon.ranking.query import Query
from hardwon.values.history import Change
from tests.samples import CODER, LATER, NOW, lesson

OTHER = Scope("acme", "writer", "api")
KEYS = ("= make all", "~ make word", ": make")


def test_a_very_call_is_counted_from_its_first_failure_on(store: Store) -> None:
    store.calls.made(CODER, ("= make clean", ": make"), ())
    store.calls.made(CODER, KEYS, KEYS)
    store.calls.made(CODER, KEYS, (": make",))

    assert store.calls.odds(CODER, (*KEYS, "= make clean")) == {
        "= make all": (2, 1),
        "~ make word": (2, 1),
        ": make": (3, 2),
    }


def test_calls_are_counted_by_key_and_scope(store: Store) -> None:
    store.calls.made(CODER, KEYS, KEYS)
    store.calls.made(CODER, (": make",), ())
    store.calls.made(CODER, (": make",), (": make",))

    assert store.calls.odds(CODER, (*KEYS, ": other")) == {
        "= make all": (1, 1),
        "~ make word": (1, 1),
        ": make": (3, 2),
    }
    assert store.calls.odds(OTHER, KEYS) == {}


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


def test_changes_are_kept_newest_first_and_per_agent(store: Store) -> None:
    one, two = store.lessons.add(lesson("one")), store.lessons.add(lesson("two"))
    for kept, act, at in ((one, "edit", NOW), (two, "delete", LATER)):
        store.history.note(Change(kept, act, at))

    changes = store.history.of(CODER, None)

    assert [(c.before, c.act, c.at) for c in changes] == [
        (two, "delete", LATER),
        (one, "edit", NOW),
    ]
    assert [c.before for c in store.history.of(CODER, one.id)] == [one]
    assert store.history.of(OTHER, None) == []
    store.history.forget(CODER, changes[0])
    assert [c.before for c in store.history.of(CODER, None)] == [one]
