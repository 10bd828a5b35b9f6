"""One transaction at a time changes a scope, and what waits on a machine is not left behind."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from hardwon import Scope
from hardwon.stores.postgres import PostgresStore, scopes
from hardwon.values.lesson import EPOCH
from hardwon.values.report import Window
from hardwon.values.unit import Unit
from tests.postgres_server import Place
from tests.samples import CODER, NOW, lesson
from tests.waiting import until

WAITS = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"


@pytest.fixture
def store(database: Place, tmp_path: Path) -> Iterator[PostgresStore]:
    with closing(PostgresStore(database.url, str(tmp_path), fresh=0)) as opened:
        yield opened


def test_no_count_is_lost_between_two_machines(
    store: PostgresStore, database: Place, tmp_path: Path
) -> None:
    kept, has_read = store.lessons.add(lesson(met=1)), threading.Event()
    other = PostgresStore(database.url, str(tmp_path / "other"), fresh=0)

    def meet_again() -> None:
        with other.together():
            found = other.lessons.get(CODER, kept.id)
            has_read.set()
            other.lessons.update(found._replace(met=found.met + 1))

    thread = threading.Thread(target=meet_again)
    with closing(other), psycopg.connect(database.url, autocommit=True) as looking:
        with store.together():
            found = store.lessons.get(CODER, kept.id)
            thread.start()
            until(lambda: has_read.is_set() or looking.execute(WAITS).fetchone() != (0,))
            store.lessons.update(found._replace(met=found.met + 1))
        thread.join()

    assert store.lessons.get(CODER, kept.id).met == 3


def test_what_waits_on_a_machine_does_not_bring_a_forgotten_tenant_back(
    store: PostgresStore,
) -> None:
    store.units.log(Unit(CODER, "r1", "k", "error", False, 0.5, NOW, 1, "w"))
    assert not store.is_told

    store.forget(CODER.tenant)
    store.fold()

    assert scopes.tenants(store.database) == []


def test_what_waits_on_a_machine_moves_with_its_scope(store: PostgresStore) -> None:
    target = CODER._replace(project="web")
    store.units.log(Unit(CODER, "r1", "k", "error", False, 0.5, NOW, 1, "w"))

    store.move(CODER, target)

    (treatment,) = store.units.treatments(Window(Scope("acme"), EPOCH, is_whole=True))
    assert treatment.scope == target
