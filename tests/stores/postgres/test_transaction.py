"""One transaction at a time changes a scope; what others change is read, nothing stays behind."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path

import psycopg
import pytest

from hardwon import Lesson, Reflection, Scope
from hardwon.core.values.delivery import Delivery, Unit
from hardwon.core.values.lesson import EPOCH, Status
from hardwon.core.values.report import Window
from hardwon.knowledge.ranking.query import query
from hardwon.storage.stores.postgres import PostgresStore, ShelfReader
from tests.postgres_server import Place, PostgresServer
from tests.samples import CODER, NOW, lesson
from tests.waiting import until

WAITS = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"


@pytest.fixture
def store(database: Place, tmp_path: Path) -> Iterator[PostgresStore]:
    with closing(PostgresStore(database.url, str(tmp_path), fresh=0)) as opened:
        yield opened


READ: dict[str, Callable[[PostgresStore], Lesson]] = {
    "recent": lambda store: store.lessons.recent(CODER, status=Status.ACTIVE, limit=1)[0],
    "match": lambda store: (
        store.lessons.match(CODER, query("turn", "go"), now=NOW, limit=1)[0].lesson
    ),
    "search": lambda store: store.lessons.search(CODER, "go", limit=1)[0],
}


@pytest.fixture
def elsewhere(database: Place, tmp_path: Path) -> Iterator[PostgresStore]:
    """Another machine's store."""
    (tmp_path / "other").mkdir()
    with closing(PostgresStore(database.url, str(tmp_path / "other"), fresh=0)) as opened:
        yield opened


def started(
    database: Place, act: Callable[[], object], is_past: threading.Event
) -> threading.Thread:
    """Another thread, as soon as it has read or waits for a lock."""
    thread = threading.Thread(target=act)
    with psycopg.connect(database.url, autocommit=True) as looking:
        thread.start()
        until(lambda: is_past.is_set() or looking.execute(WAITS).fetchone() != (0,))
    return thread


@pytest.mark.parametrize("way", READ)
def test_no_count_is_lost_between_two_machines(
    store: PostgresStore, elsewhere: PostgresStore, database: Place, way: str
) -> None:
    kept, has_read = store.lessons.add(lesson("go", met=1)), threading.Event()

    def meet_again() -> None:
        with elsewhere.together():
            found = READ[way](elsewhere)
            has_read.set()
            elsewhere.lessons.update(found._replace(met=found.met + 1))

    with store.together():
        found = READ[way](store)
        other = started(database, meet_again, has_read)
        store.lessons.update(found._replace(met=found.met + 1))
    other.join()

    assert store.lessons.get(CODER, kept.id).met == 3


def test_what_a_search_has_read_is_changed_without_reading_it_again(
    store: PostgresStore, elsewhere: PostgresStore
) -> None:
    store.lessons.add(lesson("go"))
    found, state = READ["match"](store), store.last_state(CODER)
    elsewhere.deliveries.log(Delivery("d1", CODER, "turn", "go", (found.id,), (1.0,), 1, 1, NOW))
    elsewhere.fold()

    with store.together():
        assert store.is_current(CODER, state)
        store.lessons.update(found._replace(met=7))

    after = store.lessons.get(CODER, found.id)
    assert (after.met, after.hits) == (7, 1)


def test_what_another_machine_has_changed_since_a_search_is_noticed(
    store: PostgresStore, elsewhere: PostgresStore
) -> None:
    store.lessons.add(lesson("go"))
    found, state = READ["match"](store), store.last_state(CODER)
    elsewhere.lessons.update(found._replace(met=7))

    with store.together():
        assert not store.is_current(CODER, state)
        assert READ["match"](store).met == 7


def test_two_machines_keep_one_reflection_of_a_job(
    store: PostgresStore, elsewhere: PostgresStore, database: Place
) -> None:
    made = Reflection(CODER, "g1", "filter by date", NOW, job="j1")
    store.reflections.save(made._replace(job="j0"))
    saved, has_saved = [], threading.Event()

    def save_again() -> None:
        saved.append(elsewhere.reflections.save(made))
        has_saved.set()

    with store.database:
        saved.append(store.reflections.save(made))
        other = started(database, save_again, has_saved)
    other.join()

    assert saved == [True, False]
    assert len(store.reflections.about(CODER, "g1")) == 2


def test_transactions_on_different_scopes_do_not_wait_for_each_other(
    store: PostgresStore, elsewhere: PostgresStore
) -> None:
    scopes_of_many = [Scope("acme", f"agent{number}", None) for number in range(9)]
    for scope in (CODER, *scopes_of_many):
        store.lessons.add(lesson(scope=scope))
    done = threading.Event()

    def read() -> None:
        with elsewhere.together():
            for scope in scopes_of_many:
                elsewhere.lessons.recent(scope, status=Status.ACTIVE, limit=1)
        done.set()

    thread = threading.Thread(target=read)
    with store.together():
        store.lessons.recent(CODER, status=Status.ACTIVE, limit=1)
        thread.start()
        assert done.wait(60)
    thread.join()


def test_a_closed_store_leaves_no_connection(
    postgres: PostgresServer, database: Place, tmp_path: Path
) -> None:
    sql = (
        f"SELECT count(*) FROM pg_stat_activity WHERE datname = '{database.name}'"
        " AND backend_type = 'client backend'"
    )
    with closing(PostgresStore(database.url, str(tmp_path))) as store:
        held = store.database
        assert postgres.execute(sql)[0][0] == 1

    until(lambda: postgres.execute(sql)[0][0] == 0)
    assert held.open is None


def test_the_tables_are_there_once_a_store_is_opened(
    postgres: PostgresServer, tmp_path: Path
) -> None:
    place = postgres.empty()
    with closing(PostgresStore(postgres.admin(place.name), str(tmp_path))):
        tables = "SELECT count(*) FROM pg_tables WHERE schemaname = 'hardwon'"
        assert postgres.execute(tables, place.name)[0][0] > 9


def test_what_waits_on_a_machine_does_not_bring_a_forgotten_tenant_back(
    store: PostgresStore,
) -> None:
    store.units.log(Unit(CODER, "r1", "k", "error", False, 0.5, NOW, 1, "w"))
    assert not store.is_told

    store.forget(CODER.tenant)
    store.fold()

    assert store.database.tenants() == []


def test_what_waits_on_a_machine_moves_with_its_scope(store: PostgresStore) -> None:
    target = CODER._replace(project="web")
    store.units.log(Unit(CODER, "r1", "k", "error", False, 0.5, NOW, 1, "w"))

    store.move(CODER, target)

    (treatment,) = store.units.treatments(Window(Scope("acme"), EPOCH, is_whole=True))
    assert treatment.scope == target


def test_what_a_transaction_takes_back_is_not_remembered(store: PostgresStore) -> None:
    store.lessons.add(lesson("no guard"))
    assert store.lessons.guards(CODER) == []
    with suppress(KeyError), store.together():
        added = store.lessons.add(lesson(guard=True))
        assert store.lessons.guards(CODER) == [added]
        raise KeyError

    assert store.lessons.guards(CODER) == []


def test_every_change_of_a_lesson_raises_the_version_of_its_scope(store: PostgresStore) -> None:
    reader = ShelfReader(store.database)

    def version() -> int:
        return reader.states([CODER])[CODER]

    assert reader.states([CODER])[CODER] == 0
    versions = [version()]
    kept = store.lessons.add(lesson())
    versions.append(version())
    store.lessons.update(kept._replace(met=9))  # which no index holds
    versions.append(version())
    store.lessons.update(kept._replace(correction="other words"))
    versions.append(version())
    store.lessons.delete(CODER, kept.id)
    versions.append(version())

    assert versions == sorted(set(versions))


def test_states_are_those_of_the_scopes_that_are_asked_for(store: PostgresStore) -> None:
    reader, other = ShelfReader(store.database), CODER._replace(tenant="other", agent="writer")
    store.lessons.add(lesson())

    states = reader.states([CODER, other, other.everywhere()])

    assert states[CODER] > 0
    assert (states[other], states[other.everywhere()]) == (0, 0)


def test_the_share_of_the_proof_is_told_once_it_is_set(store: PostgresStore) -> None:
    reader = ShelfReader(store.database)
    assert reader.share("acme") is None

    store.units.set_share("acme", 0.25)

    assert (reader.share("acme"), store.units.share("acme")) == (0.25, 0.25)
    assert reader.salt() == store.units.salt() != ""


def test_lessons_are_read_as_they_are_and_marked_anew_with_every_change(
    store: PostgresStore,
) -> None:
    reader = ShelfReader(store.database)
    first, second = (store.lessons.add(lesson(text)) for text in ("one", "two"))
    store.lessons.add(lesson("elsewhere", CODER._replace(project="web")))

    before = reader.marks(CODER)
    store.lessons.update(second._replace(met=9))
    after = reader.marks(CODER)

    assert before.keys() == after.keys() == {first.id, second.id}
    assert [number for number in before if before[number] != after[number]] == [second.id]
    assert reader.lessons(CODER, [first.id, second.id, 999]) == [
        store.lessons.get(CODER, number) for number in (first.id, second.id)
    ]
