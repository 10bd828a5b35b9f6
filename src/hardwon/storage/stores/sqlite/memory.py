"""The SQLite store without a file: for trying things out, for tests and for single sessions."""

from __future__ import annotations

import os
import sqlite3
from functools import lru_cache
from typing import Any

from hardwon.core._fork import ForkLock
from hardwon.core.values.lesson import EPOCH
from hardwon.storage.sql.journal import Journal, MemorySpool
from hardwon.storage.stores.sqlite import SqliteStore
from hardwon.storage.stores.sqlite.database import Database, connect, migrate

_NO_FILE = ":memory:"
_MOST_RUNS = 1_000  # ended runs that a process remembers of a tenant
_copying = ForkLock()


class MemoryStore(SqliteStore):
    """A store that ends with the process. A forked process goes on with a copy."""

    def __init__(self) -> None:
        super().__init__("")
        self.on("ended run", self._fold_runs)

    def _open(self, home: str, copy_of: str) -> tuple[Database, Journal]:
        database = MemoryDatabase(_NO_FILE)
        journal = Journal(database, MemorySpool(lambda: journal.fold()), is_new=self._is_new)
        return database, journal

    def _fold_runs(self, records: list[list[Any]]) -> None:
        self.ended_runs.fold(records)
        for tenant in {scope[0] for scope, *_ in records}:
            self.ended_runs.prune(tenant, before=EPOCH, most=_MOST_RUNS)

    def close(self) -> None:
        """Nothing to release: the memory is freed with the last reference."""


class MemoryDatabase(Database):
    """A database that lives as long as its connection."""

    is_file = False

    def _open_to_write(self) -> None:
        self._connection = connect(self.path)
        self._owner = os.getpid()
        with _copying:
            _empty().backup(self._connection)
        self._connection.execute("UPDATE proof_salt SET salt = lower(hex(randomblob(16)))")

    def close(self) -> None:
        """Nothing: what is stored would be lost."""

    def _in_child(self) -> None:
        """Go on with the connection: there is no file that parent and child could both change."""
        self._depth, self._owner = 0, os.getpid()
        self._end(InterruptedError)


@lru_cache(maxsize=1)
def _empty() -> sqlite3.Connection:
    """A database with all tables and no rows: copying it costs a tenth of migrating again."""
    connection = connect(_NO_FILE)
    migrate(connection, _NO_FILE)
    return connection
