"""The lessons of one scope, as the stages that learn read and change them."""

from __future__ import annotations

from typing import Any

from hardwon import Lesson
from hardwon.core.values.lesson import Fix, Status
from hardwon.core.values.run import Failure
from hardwon.engine.recording import Memory
from hardwon.storage.stores.sqlite import MemoryStore
from tests.samples import CODER, LATER, NOW, lesson

FAILURE = Failure("exact", "kind", "boom", "boom")
FIX = Fix("call", "Run `make`.", "call make", "make")


def memory(store: MemoryStore) -> Memory:
    return Memory(CODER, store.lessons, LATER, {})


def stored(store: MemoryStore, **more: Any) -> Lesson:
    return store.lessons.add(lesson(kinds=("kind",), status=Status.SEEN)._replace(**more))


def test_a_failure_has_the_lesson_of_its_kind_that_was_met_most() -> None:
    store = MemoryStore()
    stored(store, met=2)
    most = stored(store, met=3)
    stored(store, met=9, kinds=("other",))

    assert memory(store).about(FAILURE) == most


def test_a_proven_lesson_stands_above_one_that_was_met_more() -> None:
    store = MemoryStore()
    proven = stored(store, status=Status.PROVEN)
    stored(store, met=9)

    assert memory(store).about(FAILURE) == proven


def test_a_lesson_of_the_same_words_and_another_kind_is_not_its_lesson() -> None:
    store = MemoryStore()
    stored(store, kinds=("other",), signatures=("exact",))

    assert memory(store).about(FAILURE) is None


def test_a_lesson_that_holds_everywhere_is_not_that_of_the_project() -> None:
    store = MemoryStore()
    everywhere = stored(store, scope=CODER.everywhere(), fixes=(FIX,))
    own = stored(store, fixes=(FIX,))

    assert memory(store).about(FAILURE) == own
    assert memory(store).fixed_lessons({everywhere.id, own.id, 99}) == [own]


def test_a_changed_lesson_is_screened_and_dated() -> None:
    store = MemoryStore()
    known = stored(store)

    memory(store).keep(known._replace(correction="export TOKEN=ghp_" + "a1B2" * 9))

    kept = store.lessons.get(CODER, known.id)
    assert "ghp_a1B2" not in kept.correction
    assert (kept.created_at, kept.updated_at) == (NOW, LATER)
