"""What every index must do: words weigh what all lessons make of them, however they are kept."""

from __future__ import annotations

from contextlib import suppress

import pytest

from hardwon import Scope
from hardwon.core.values.lesson import Status
from hardwon.knowledge.ranking.query import Query, query
from hardwon.storage.ports import Store
from tests.contract.conftest import STORES
from tests.samples import CODER, NOW, lesson
from tests.stores.plain import PlainStore

ASKED = ("alpha", "bravo", "alpha bravo", "yak", "word3", "word4 alpha", "gamma", "none")
WEB = CODER._replace(project="web")


def matched(store: Store, text: str, reach: int = 0) -> list[tuple[int, float, int]]:
    """The lessons that a text finds, with the weight and the number of the shared words."""
    asked = query("turn", text, reach=reach)
    found = store.lessons.match(CODER, asked, now=NOW, limit=50)
    return [(match.lesson.id, round(match.words, 6), match.total) for match in found]


def all_matched(store: Store) -> list[list[tuple[int, float, int]]]:
    return [matched(store, text) for text in ASKED]


def lead_a_life(store: Store) -> None:
    """Add, edit, retire, wake and delete lessons of a project, of all projects and of another."""
    kept = [store.lessons.add(lesson(f"alpha bravo word{number}")) for number in range(9)]
    store.lessons.update(kept[1]._replace(situation="yak", correction="yak"))
    store.lessons.update(kept[2]._replace(status=Status.RETIRED))
    store.lessons.update(kept[3]._replace(status=Status.RETIRED))
    store.lessons.update(kept[3])
    store.lessons.delete(CODER, kept[4].id)
    store.lessons.add(lesson("alpha gamma", CODER.everywhere()))
    store.lessons.add(lesson("alpha gamma elsewhere", WEB))


def test_words_weigh_the_same_in_every_store_before_and_after_it_is_tended(store: Store) -> None:
    plain = PlainStore()
    for one in (plain, store):
        lead_a_life(one)

    before = all_matched(store)
    store.tend()

    assert before == all_matched(store) == all_matched(plain)
    assert store.check() == []


def test_what_a_transaction_adds_counts_within_it_and_afterwards(store: Store) -> None:
    plain = PlainStore()
    lead_a_life(plain)
    with store.together():
        before = all_matched(store)
        lead_a_life(store)
        within = all_matched(store)

    assert before == [[]] * len(ASKED)
    assert within == all_matched(store) == all_matched(plain)
    assert store.check() == []


@pytest.mark.parametrize("store", sorted(set(STORES) - {"memory"}), indirect=True)
def test_what_was_rolled_back_weighs_nothing(store: Store) -> None:
    lead_a_life(store)
    before = all_matched(store)

    with suppress(KeyError), store.together():
        store.lessons.add(lesson("alpha bravo taken back"))
        raise KeyError

    assert all_matched(store) == before


def test_a_lesson_that_was_moved_into_the_index_is_changed_and_deleted_there(store: Store) -> None:
    plain = PlainStore()
    for one in (plain, store):
        kept = [one.lessons.add(lesson(f"alpha bravo {number}")) for number in range(4)]
        one.tend()
        one.lessons.update(kept[0]._replace(situation="yak", correction="yak"))
        one.lessons.delete(CODER, kept[1].id)

    assert all_matched(store) == all_matched(plain)
    store.tend()
    assert all_matched(store) == all_matched(plain)
    assert store.check() == []


@pytest.mark.parametrize("store", ["postgres settled", "sqlite settled"], indirect=True)
def test_the_rarest_words_are_read_first_when_little_may_be_read(store: Store) -> None:
    for number in range(30):
        rare = " zebra" if number == 7 else ""
        store.lessons.add(lesson("common " * (1 + number % 4) + rare))

    assert [number for number, *_ in matched(store, "zebra", reach=1)] == [8]
    assert [number for number, *_ in matched(store, "zebra common", reach=5)] == [8, 4, 7, 3]


def test_nobody_is_told_of_the_usual_lessons_of_a_scope_that_has_none(store: Store) -> None:
    asked = Query("turn", "", usual=3)

    assert store.lessons.match(Scope("nobody", "x"), asked, now=NOW, limit=9) == []


def test_what_waits_beside_the_index_is_found_from_every_scope_that_sees_it(store: Store) -> None:
    everywhere = CODER.everywhere()
    store.lessons.add(lesson("alpha", everywhere))
    asked = query("turn", "alpha")

    for scope in (everywhere, CODER, WEB, CODER):
        found = store.lessons.match(scope, asked, now=NOW, limit=5)
        assert [match.lesson.scope for match in found] == [everywhere]
    store.lessons.add(lesson("alpha", WEB))
    for scope, count in ((WEB, 2), (everywhere, 1), (CODER, 1), (WEB, 2)):
        assert len(store.lessons.match(scope, asked, now=NOW, limit=5)) == count
