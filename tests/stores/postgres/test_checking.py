"""`hardwon check` on a server: it finds what is wrong, in time that grows with the rows alone."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from hardwon import Scope
from hardwon.core.errors import HardwonError, Unavailable
from hardwon.core.values.lesson import Status
from hardwon.storage.sql import lessons
from hardwon.storage.stores.postgres import PostgresStore
from tests.contract.test_index import matched
from tests.postgres_server import Place, PostgresServer
from tests.samples import CODER, lesson
from tests.stores.plain import PlainStore

WRITER = Scope("acme", "writer", "api")
DAMAGE = "UPDATE hardwon.lessons SET tags = 'no list' WHERE id = {}"
WAITS = "SELECT count(*) FROM pg_locks WHERE NOT granted"
LONG = {
    "check": lambda store: store.check(),
    "forget": lambda store: store.forget("acme"),
    "move": lambda store: store.move(CODER, WRITER),
}


@pytest.fixture
def store(database: Place, tmp_path: Path) -> Iterator[PostgresStore]:
    with closing(PostgresStore(database.url, str(tmp_path), fresh=0)) as opened:
        yield opened


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        ("UPDATE hardwon.terms SET holders = holders + 1", "keys of the index have wrong counts"),
        ("DELETE FROM hardwon.postings", "keys of the index have wrong counts"),
        ("DELETE FROM hardwon.postings", "the index lacks"),
        ("UPDATE hardwon.shelves SET active = active - 1", "1 shelves have a wrong count"),
        ("DELETE FROM hardwon.indexed", "1 shelves have a wrong count of lessons"),
    ],
)
def test_an_index_that_miscounts_is_told(
    store: PostgresStore, postgres: PostgresServer, database: Place, damage: str, told: str
) -> None:
    store.lessons.add(lesson())
    assert store.check() == []

    postgres.execute(damage, database.name)

    assert any(told in problem for problem in store.check())


def test_a_damaged_lesson_is_found_behind_many_others(
    store: PostgresStore,
    postgres: PostgresServer,
    database: Place,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(lessons, "_CHECKED", 2)
    kept = [store.lessons.add(lesson(f"zebra {number}")) for number in range(5)]

    postgres.execute(DAMAGE.format(kept[0].id), database.name)
    postgres.execute(DAMAGE.format(kept[-1].id), database.name)

    assert [problem.split(" (")[0] for problem in store.check()] == [
        f"lesson {one.id} was damaged" for one in (kept[0], kept[-1])
    ]
    assert store.lessons.get(CODER, kept[-1].id).status == "quarantined"
    assert store.check() == []


def test_a_damaged_lesson_is_not_told_and_weighs_nothing_once_it_is_found(
    store: PostgresStore, postgres: PostgresServer, database: Place
) -> None:
    plain = PlainStore()
    for one in (plain, store):
        kept = [one.lessons.add(lesson(f"alpha bravo {number}")) for number in range(3)]
    plain.lessons.delete(CODER, kept[1].id)
    postgres.execute(DAMAGE.format(kept[1].id), database.name)

    numbers = [kept[0].id, kept[2].id]
    recent = store.lessons.recent(CODER, status=Status.ACTIVE, limit=9)
    assert [one.id for one in recent] == numbers[::-1]
    assert [one.id for one in store.dreams.lessons(CODER)] == numbers
    assert sorted(number for number, *_ in matched(store, "alpha")) == numbers

    assert len(store.check()) == 1
    assert matched(store, "alpha bravo") == matched(plain, "alpha bravo")


def test_a_check_reads_each_row_a_few_times_however_many_shelves_there_are(
    postgres: PostgresServer, database: Place, tmp_path: Path
) -> None:
    def rows_read(agents: range) -> float:
        with closing(PostgresStore(database.url, str(tmp_path), fresh=0)) as store:
            for agent in agents:
                store.lessons.add(lesson(scope=Scope("acme", f"agent{agent}", "api")))
        before = postgres.rows_read(database)
        with closing(PostgresStore(database.url, str(tmp_path))) as store:
            assert store.check() == []
        return postgres.rows_read(database) - before

    few, many = rows_read(range(30)), rows_read(range(30, 120))

    assert many < 6 * few  # four times the rows, not sixteen


@pytest.mark.parametrize("act", LONG)
def test_work_on_whole_tables_is_not_cut_by_the_limit_of_one_answer(
    store: PostgresStore, postgres: PostgresServer, database: Place, act: str
) -> None:
    store.lessons.add(lesson())
    with store.database as transaction:
        transaction.begin()
        transaction.connection.patience = 0.01
    with psycopg.connect(postgres.admin(database.name)) as other:
        other.execute("LOCK TABLE hardwon.lessons, hardwon.shelves, hardwon.tenants")
        failed: list[HardwonError] = []
        thread = threading.Thread(target=attempt, args=(LONG[act], store, failed))
        thread.start()
        while thread.is_alive() and not postgres.execute(WAITS)[0][0]:
            time.sleep(0.01)
        time.sleep(0.3)  # many times what the connection waits for an answer
    thread.join()

    assert failed == []
    with pytest.raises(Unavailable):
        store.database.rows("SELECT pg_sleep(9)")


def attempt(
    act: Callable[[PostgresStore], object], store: PostgresStore, failed: list[HardwonError]
) -> None:
    try:
        act(store)
    except HardwonError as error:
        failed.append(error)
