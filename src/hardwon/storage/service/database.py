"""Where a server keeps keys, logins and answers: one commit per statement, shared by processes.

In SQLite that is `<home>/serve.db`; with PostgreSQL they are beside the lessons, and several
servers share them. Statements name their tables `service.…` and their values `:name`.

Only SQLite opens its file. A process that closes any other descriptor of it loses all its locks
there, and the next process to close it takes itself for the last and deletes the log in use.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from typing import TYPE_CHECKING, Any, Protocol

from hardwon.core.errors import StorageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hardwon.core.settings import Settings
    from hardwon.storage.postgres.database import Database

    Rows = Sequence[tuple[Any, ...]]

NAME = "serve.db"
_PATIENCE = 5.0  # seconds to wait for another process, or for the server
_SCHEMA = (
    """
    CREATE TABLE IF NOT EXISTS keys (
        id TEXT PRIMARY KEY, digest BLOB NOT NULL, tenant TEXT NOT NULL, role TEXT NOT NULL,
        agent TEXT, project TEXT, note TEXT NOT NULL,
        created_at REAL NOT NULL, expires_at REAL, used_at REAL, revoked_at REAL
    ) STRICT
    """,
    """
    CREATE TABLE IF NOT EXISTS logins (
        digest BLOB PRIMARY KEY, tenant TEXT NOT NULL, key TEXT NOT NULL,
        is_link INTEGER NOT NULL, begun_at REAL NOT NULL, until REAL NOT NULL
    ) STRICT
    """,
    """
    CREATE TABLE IF NOT EXISTS replies (
        tenant TEXT NOT NULL, name TEXT NOT NULL, request BLOB NOT NULL,
        status INTEGER NOT NULL, body BLOB NOT NULL, at REAL NOT NULL,
        PRIMARY KEY (tenant, name)
    ) STRICT
    """,
)


class ServiceDatabase(Protocol):
    """Call it with a statement to get all rows."""

    is_local: bool  # answers in microseconds

    def __call__(self, sql: str, **values: object) -> Rows: ...

    def close(self) -> None:
        """Release files and connections."""


def open_database(settings: Settings) -> ServiceDatabase:
    """The database of a home, or the PostgreSQL database that it is set to share."""
    if settings.postgres.url:
        return SharedDatabase(_open_server(settings))
    return FileDatabase(settings.home)


def forget(settings: Settings, tenant: str) -> None:
    """Remove the keys, logins and stored answers of a tenant, if there are any."""
    if not (settings.postgres.url or os.path.exists(os.path.join(settings.home, NAME))):
        return
    database = open_database(settings)
    for table in ("keys", "logins", "replies"):
        database(f"DELETE FROM service.{table} WHERE tenant = :tenant", tenant=tenant)
    if database.is_local:
        database("PRAGMA wal_checkpoint(TRUNCATE)")  # otherwise its name stays in the log
    database.close()


class SharedDatabase:
    """Tables in PostgreSQL."""

    is_local = False

    def __init__(self, database: Database) -> None:
        self._db = database

    def __call__(self, sql: str, **values: object) -> Rows:
        from hardwon.storage.postgres.database import EVERY_TENANT
        from hardwon.storage.sql.dialect import Statement

        own = sql.replace("service.", "hardwon.service_")
        return self._db.ask(EVERY_TENANT, Statement(own, values))[0]

    def close(self) -> None:
        self._db.close()


class FileDatabase:
    """`<home>/serve.db`, which only its owner can read."""

    is_local = True

    def __init__(self, home: str) -> None:
        self._path = os.path.join(home, NAME)
        self._lock = threading.Lock()
        try:
            os.makedirs(home, mode=0o700, exist_ok=True)
            if os.path.islink(self._path):
                raise OSError("it is a link")
            self._connection = _open_file(self._path)
        except (OSError, sqlite3.Error) as error:
            raise self._explain(error) from error

    def __call__(self, sql: str, **values: object) -> Rows:
        try:
            with self._lock:
                return self._connection.execute(sql.replace("service.", ""), values).fetchall()
        except sqlite3.Error as error:
            raise self._explain(error) from error

    def close(self) -> None:
        self._connection.close()

    def _explain(self, error: Exception) -> StorageError:
        return StorageError(self._path, str(error), "check that it can be written, or move it away")


class _Connection(sqlite3.Connection):
    """Closes itself when it is garbage-collected; otherwise SQLite would warn."""

    def __del__(self) -> None:
        try:
            self.close()
        except sqlite3.ProgrammingError:  # a file that could not be opened: nothing to close
            return


def _open_file(path: str) -> sqlite3.Connection:
    connection = sqlite3.connect(
        path,
        factory=_Connection,
        timeout=_PATIENCE,
        isolation_level=None,
        check_same_thread=False,
    )
    os.chmod(path, 0o600)  # first: the log gets the same mode
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA secure_delete = ON")
    for table in _SCHEMA:
        connection.execute(table)
    return connection


def _open_server(settings: Settings) -> Database:
    from hardwon.storage.postgres import database, schema

    mode = settings.postgres.migrate
    return database.Database(
        settings.postgres.url,
        patience=_PATIENCE,
        prepare=lambda connected: schema.ensure(connected, mode),
    )
