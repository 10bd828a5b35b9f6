"""The index on a server: new lessons wait in a table, and are merged with others."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hardwon.core.time_limits import WaitBudget
from hardwon.storage.stores.postgres import PostgresStore
from tests.contract.test_index import matched
from tests.postgres_server import Place
from tests.samples import CODER, lesson

Opened = Callable[[int], PostgresStore]


@pytest.fixture
def opened(database: Place, tmp_path: Path) -> Iterator[Opened]:
    """Open a store that merges once so many lessons wait before a new one."""
    stores: list[PostgresStore] = []

    def begin(fresh: int) -> PostgresStore:
        stores.append(PostgresStore(database.url, str(tmp_path), fresh=fresh))
        return stores[-1]

    yield begin
    for store in stores:
        store.close()


def waiting(store: PostgresStore) -> int:
    sql = "SELECT count(*) FROM hardwon.fresh WHERE tenant = :tenant"
    return int(store.database.of(CODER.tenant).rows(sql)[0][0])


def test_lessons_are_merged_as_soon_as_enough_of_them_wait(opened: Opened) -> None:
    store = opened(3)
    counts = []
    for number in range(4):
        store.lessons.add(lesson(f"zebra {number}"))
        counts.append(waiting(store))

    assert counts == [1, 2, 3, 0]


def test_an_agents_turn_merges_nothing(opened: Opened) -> None:
    store = opened(1)
    with WaitBudget(60):
        store.lessons.add(lesson("zebra"))
        assert waiting(store) == 1

    store.lessons.add(lesson("yak"))

    assert waiting(store) == 0


def test_to_tend_a_store_merges_whatever_waits_and_says_how_much(opened: Opened) -> None:
    store = opened(99)
    store.lessons.add(lesson("zebra"))
    store.lessons.add(lesson("yak", CODER._replace(tenant="other")))

    assert (waiting(store), store.tend(), waiting(store), store.tend()) == (1, 2, 0, 0)


def test_a_deleted_lesson_leaves_nothing_that_waits(opened: Opened) -> None:
    store = opened(99)
    kept = store.lessons.add(lesson("zebra"))

    store.lessons.delete(CODER, kept.id)

    assert waiting(store) == 0


def test_the_rarest_words_are_read_first_when_little_may_be_read(opened: Opened) -> None:
    store = opened(0)
    for number in range(30):
        rare = " zebra" if number == 7 else ""
        store.lessons.add(lesson("common " * (1 + number % 4) + rare))

    assert [number for number, *_ in matched(store, "zebra", reach=1)] == [8]
    assert [number for number, *_ in matched(store, "zebra common", reach=5)] == [8, 4, 7, 3]


def test_as_many_of_a_common_word_are_read_as_may_be(opened: Opened) -> None:
    store = opened(0)
    with store.together():
        for number in range(600):
            store.lessons.add(lesson("common " * (1 + number % 4)))

    for reach in (1, 50, 200, 599):
        assert len(matched(store, "common", reach=reach)) == min(50, reach)
