"""Several calls as one transaction: what one reads, nobody else changes until it has ended."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from hardwon.ranking.odds import Call
from hardwon.stores.postgres import PostgresStore, scopes
from tests.postgres_server import Place
from tests.samples import CODER, lesson
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
    store.calls.made(CODER, Call((99,), "k"))

    store.forget(CODER.tenant)
    store.fold()

    assert scopes.tenants(store.database) == []
    assert store.calls.counts(CODER, (99,)) == {}
