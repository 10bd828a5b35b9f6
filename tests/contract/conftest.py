"""Every backend in turn: one contract, many storages. A new backend is one line here."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hardwon.storage.ports import Store, WorkedQueue
from hardwon.storage.postgres.database import Database
from hardwon.storage.queues.files import FileQueue
from hardwon.storage.queues.memory import MemoryQueue
from hardwon.storage.queues.postgres import PostgresQueue
from hardwon.storage.stores.postgres import PostgresStore
from hardwon.storage.stores.sqlite import MemoryStore, SqliteStore

STORES: dict[str, Callable[[str, str], Store]] = {  # a home, and the URL of a server
    "memory": lambda home, url: MemoryStore(),
    "postgres": lambda home, url: PostgresStore(url, home),
    "postgres settled": lambda home, url: PostgresStore(url, home, fresh=0),
    "sqlite": lambda home, url: SqliteStore(home),
    "sqlite settled": lambda home, url: SqliteStore(home, fresh=0),
}
QUEUES: dict[str, Callable[[pytest.FixtureRequest], WorkedQueue]] = {
    "files": lambda request: FileQueue(str(request.getfixturevalue("tmp_path") / "queue")),
    "memory": lambda request: MemoryQueue(),
    "postgres": lambda request: PostgresQueue(Database(request.getfixturevalue("database").url)),
}


@pytest.fixture(params=sorted(STORES))
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    is_on_server = request.param.startswith("postgres")
    url = request.getfixturevalue("database").url if is_on_server else ""
    opened = STORES[request.param](str(tmp_path), url)
    yield opened
    opened.close()


@pytest.fixture(params=sorted(QUEUES))
def queue(request: pytest.FixtureRequest) -> Iterator[WorkedQueue]:
    opened = QUEUES[request.param](request)
    yield opened
    opened.close()
