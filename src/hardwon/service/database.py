"""The small database of a server: private, one commit per statement, shared by processes.

Only SQLite opens the file. A process that closes any other descriptor of it loses all its locks
there, and the next process to close it takes itself for the last and deletes the log in use.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from typing import TYPE_CHECKING, Any

from hardwon.errors import StorageError

if TYPE_CHECKING:
    from collections.abc import Sequence

NAME = "serve.db"
_PATIENCE = 5.0  # seconds to wait for another process
_SCHEMA = (
    """
    CREATE TABLE IF NOT EXISTS keys (
        id TEXT PRIMARY KEY, digest BLOB NOT NULL, tenant TEXT NOT NULL, role TEXT NOT NULL,
        agent TEXT, project TEXT, note TEXT NOT NULL,
        created_at REAL NOT NULL, expires_at REAL, used_at REAL, revoked_at REAL
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


class ServiceDatabase:
    """`<home>/serve.db`; call it with a statement to get all rows."""

    def __init__(self, home: str) -> None:
        self._path = os.path.join(home, NAME)
        self._lock = threading.Lock()
        try:
            os.makedirs(home, mode=0o700, exist_ok=True)
            if os.path.islink(self._path):
                raise OSError("it is a link")
            self._connection = _connected(self._path)
        except (OSError, sqlite3.Error) as error:
            raise self._explained(error) from error

    def __call__(self, sql: str, values: Sequence[object] = ()) -> Sequence[tuple[Any, ...]]:
        try:
            with self._lock:
                return self._connection.execute(sql, values).fetchall()
        except sqlite3.Error as error:
            raise self._explained(error) from error

    def close(self) -> None:
        """Release the file."""
        self._connection.close()

    def _explained(self, error: Exception) -> StorageError:
        return StorageError(self._path, str(error), "check that it can be written, or move it away")


def forget(home: str, tenant: str) -> None:
    """Remove the keys and stored answers of a tenant, if there are any."""
    if not os.path.exists(os.path.join(home, NAME)):
        return
    database = ServiceDatabase(home)
    for table in ("keys", "replies"):
        database(f"DELETE FROM {table} WHERE tenant = ?", (tenant,))
    database("PRAGMA wal_checkpoint(TRUNCATE)")  # otherwise its name stays in the log
    database.close()


class _Connection(sqlite3.Connection):
    """Closes itself when it is garbage-collected; otherwise SQLite would warn."""

    def __del__(self) -> None:
        try:
            self.close()
        except sqlite3.ProgrammingError:  # a file that could not be opened: nothing to close
            return


def _connected(path: str) -> sqlite3.Connection:
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
