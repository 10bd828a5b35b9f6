"""One SQLite file: opened safely, migrated forward, written by many processes in turn."""

from __future__ import annotations

import fcntl
import os
import sqlite3
import sys
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from itertools import product
from typing import Any, TypeVar

from hardwon.core import _files
from hardwon.core._fork import MIDDLE, ForkLock
from hardwon.core.errors import Corrupt, NewerSchema, StorageError, StorageFull
from hardwon.core.values.scope import Scope
from hardwon.storage.sql.dialect import (
    Choices,
    NotKept,
    Row,
    SqlDatabase,
    Statement,
    Tenancy,
    in_sqlite,
    with_places,
)

_LOOK = 0.002  # seconds between two attempts


class WriterLock:
    """A lock file beside the database, held only while waiting to write."""

    def __init__(self, path: str, patience: float) -> None:
        self._path = path
        self._patience = patience
        self._handle: int | None = None

    def __enter__(self) -> None:
        """Wait for the turn; after too long, or if there can be no file, go on without it."""
        if self._handle is None and self._path:
            with suppress(OSError):  # a folder that cannot be written
                self._handle = _files.lock_file(self._path)
        end = time.monotonic() + self._patience
        while self._handle is not None and time.monotonic() < end:
            with suppress(OSError):
                fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            time.sleep(_LOOK)

    def __exit__(self, *_: object) -> None:
        if self._handle is not None:
            fcntl.flock(self._handle, fcntl.LOCK_UN)

    def close(self) -> None:
        """Release the file; the next turn opens it again."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None


T = TypeVar("T")

SCHEMA = 21  # the number of the last file in migrations/
_PAGE = 4096  # bytes
_abandoned: list[sqlite3.Connection] = []  # connections of a parent process
PATIENCE = 15.0  # seconds to wait for another process's write
_MIGRATIONS = os.path.join(os.path.dirname(__file__), "migrations")
_TRIGRAMS = 60  # most trigrams per query; more would not narrow the result
_HAS_TRIGRAMS = """(
    id IN (SELECT rowid FROM lesson_text WHERE lesson_text MATCH :trigrams)
    OR id > (SELECT last FROM lesson_text_reach)
)"""
_NEWEST = "SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = :table), 0)"
_BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
_DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
_UNWRITABLE = {
    *(sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR),
    *(sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY),
}


class Database(SqlDatabase):
    """A connection shared by threads; closed before a fork, reopened in parent and child."""

    shelf_state = "0, 0"  # the memtable knows both
    is_file = True

    def __init__(self, path: str) -> None:
        self.path = path
        self._lock = ForkLock(self._before_fork, self._in_child, rank=MIDDLE)
        self._turn = WriterLock(f"{path}-turn" if self.is_file else "", PATIENCE)
        self._depth = 0
        self._owner = 0
        self._is_frozen: bool  # opened read-only, as it cannot be written
        self._held = ExitStack()  # left with the outcome of the transaction
        self.before_commit: Callable[[], None] = lambda: None
        self._lesson_notes: dict[object, Any] = {}
        self._shelf_notes: dict[object, Any] = {}
        self._version = -1  # SQLite's count of the changes by others
        self.was_migrated = False  # by this process, from an older schema
        self.begun = 0  # writing transactions
        self.undone = 0  # rolled-back transactions: what was read in them is invalid
        self.changed = 0  # how often others were seen to have changed something
        self._open()

    def rows(self, sql: str, values: Sequence[object] = ()) -> list[Row]:
        """All rows of a query."""
        with self._lock:
            try:
                return self._usable_connection().execute(sql, values).fetchall()
            except sqlite3.Error as error:
                if "decode to UTF-8" in str(error):
                    return _legible(self._connection, sql, values)
                raise _explain(error, self.path) from error

    def row(self, sql: str, values: Sequence[object] = ()) -> Row | None:
        """The first row of a query, if there is one."""
        rows = self.rows(sql, values)
        return rows[0] if rows else None

    def run(self, sql: str, values: Sequence[object] | Mapping[str, object] = ()) -> int:
        """Run a change inside `with database:`; returns the id of an inserted row."""
        try:
            return self._usable_connection().execute(sql, values).lastrowid or 0
        except sqlite3.Error as error:
            raise _explain(error, self.path) from error

    def run_many(self, sql: str, values: Iterable[Sequence[object]]) -> None:
        """Change many rows inside `with database:`."""
        try:
            self._usable_connection().executemany(sql, values)
        except sqlite3.Error as error:
            raise _explain(error, self.path) from error

    def __enter__(self) -> Database:
        """Begin a writing transaction; takes the lock at once, so that no read is upgraded."""
        self._lock.acquire()
        self._depth += 1
        if self._depth == 1:
            try:
                with self._turn:
                    self.run("BEGIN IMMEDIATE")
                self.begun += 1
                if self.notice_changes():  # a newer hardwon may have migrated the file
                    version = self._connection.execute("PRAGMA user_version").fetchone()[0]
                    if version > SCHEMA:
                        self._connection.rollback()
                        self._version = -1
                        raise NewerSchema(self.path, version, SCHEMA)
            except BaseException:
                self._release()
                raise
        return self

    def notice_changes(self) -> bool:
        """Forget what is known if others have changed something; whether they have."""
        version = self._connection.execute("PRAGMA data_version").fetchone()[0]
        if version == self._version:
            return False
        self._version = version
        self._shelf_notes.clear()
        self.changed += 1
        return True

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if not self._depth:  # begun before a fork: the parent ends it
            return
        if self._depth > 1:
            self._release()
            return
        is_kept = False
        try:
            if (
                kind is None and self._connection.in_transaction
            ):  # SQLite ends it itself on a full disk
                self.before_commit()
                self.run("COMMIT")
                is_kept = True
        finally:
            try:
                self._end(is_kept=is_kept)
            finally:
                self._release()

    @property
    def is_writing(self) -> bool:
        return self._depth > 0

    is_alone = is_writing  # the file has one writer

    def of(self, tenant: str) -> FileTenancy:
        return FileTenancy(self, tenant)

    def tenants(self) -> list[str]:
        return [name for (name,) in self.rows("SELECT name FROM tenants ORDER BY name")]

    def text_filter(self, text: str) -> Statement:
        """A condition for lessons that may contain the text; the index needs 3 characters."""
        if len(text) < 3:
            return Statement("TRUE", {})
        trigrams = {text[at : at + 3].replace('"', '""') for at in range(len(text) - 2)}
        asked = " AND ".join(f'"{trigram}"' for trigram in sorted(trigrams)[:_TRIGRAMS])
        return Statement(_HAS_TRIGRAMS, {"trigrams": asked})

    def state(self) -> object:
        return self.row("PRAGMA data_version"), self._owner, self._connection.total_changes

    def last_state(self, scope: Scope) -> object:
        return self.changed, self._connection.total_changes

    def is_current(self, scope: Scope, state: object) -> bool:
        return state == self.last_state(scope)

    def together(self) -> Database:
        return self

    def touch(self, scope: Scope) -> None:
        """Nothing: the whole file is locked by a transaction that writes."""

    lock = touch

    @property
    def is_open(self) -> bool:
        return self._usable_connection().in_transaction

    @property
    def lesson_notes(self) -> dict[object, Any]:
        return self._lesson_notes if self._depth else {}

    @property
    def shelf_notes(self) -> dict[object, Any]:
        return self._shelf_notes if self._connection.in_transaction else {}

    def hold(self, resource: AbstractContextManager[T]) -> T:
        """Enter a context that is left after the transaction, with the same outcome."""
        return self._held.enter_context(resource)

    def _end(self, *, is_kept: bool) -> None:
        self._lesson_notes.clear()
        if self._connection.in_transaction:
            self._connection.rollback()
        if is_kept:
            self._held.close()
            return
        self.undone += 1
        self._shelf_notes.clear()
        self._held.__exit__(NotKept, NotKept(), None)

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        with self._lock:
            is_own = not self._usable_connection().in_transaction
            if is_own:
                self.run("BEGIN")
                self.notice_changes()
            try:
                yield
            finally:
                if is_own:
                    self._connection.rollback()

    def close(self) -> None:
        with self._lock:
            if self._owner == os.getpid():
                self._connection.close()
            self._owner = 0
            self._turn.close()

    def _before_fork(self) -> None:
        """Before a fork: close the connection, as the child could not use it."""
        if not self._depth:
            self.close()

    def _in_child(self) -> None:
        """In a child: open another connection, and never touch the parent's."""
        if self._owner:
            _abandoned.append(self._connection)
        self._turn.close()  # it is shared with the parent
        self._depth, self._owner, self._held = 0, 0, ExitStack()
        self._lesson_notes.clear()
        self.undone += 1

    def _release(self) -> None:
        self._depth -= 1
        self._lock.release()

    def _usable_connection(self) -> sqlite3.Connection:
        if self._is_frozen and not self._connection.in_transaction:
            self.close()
        if self._owner != os.getpid():
            self._open()
        return self._connection

    def _open(self) -> None:
        """Open the file; if it cannot be written now, read-only, and try again each time."""
        self._version = -1  # nothing is known of it
        try:
            self._open_to_write()
            self._is_frozen = False
        except sqlite3.Error as error:
            if _code(error) not in _UNWRITABLE or not self._open_frozen():
                self.close()
                raise _explain(error, self.path) from error
            self._is_frozen = True

    def _open_to_write(self) -> None:
        self._connection = connect(self.path)
        self._owner = os.getpid()
        version = self._connection.execute("PRAGMA user_version").fetchone()[0]
        if version != SCHEMA:
            _prepare(self._connection, self.path)
            self.was_migrated = version > 0

    def _open_frozen(self) -> bool:
        """Open the file read-only; False if its log or schema needs a write first."""
        log = f"{self.path}-wal"
        if not os.path.isfile(self.path) or (os.path.exists(log) and os.path.getsize(log)):
            return False
        self.close()
        quoted = self.path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
        self._connection = connect(f"file:{quoted}?immutable=1")
        self._owner = os.getpid()
        version = self._connection.execute("PRAGMA user_version").fetchone()[0]
        return bool(version == SCHEMA)


class FileTenancy(Tenancy):
    """A file as one tenant sees it."""

    database: Database

    def ask(self, *statements: Statement) -> list[list[Row]]:
        return [self.rows(sql, **values) for sql, values in statements]

    def rows(self, sql: str, **values: object) -> list[Row]:
        return self.database.rows(*in_sqlite(sql, {"tenant": self.tenant, **values}))

    def run_many(self, sql: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
        text = with_places(sql, (*columns, "tenant"))
        if f"?{len(columns) + 1}" in text:
            rows = [(*row, self.tenant) for row in rows]
        self.database.run_many(text, rows)

    def new_numbers(self, table: str, count: int) -> range:
        (((last,),),) = self.ask(Statement(_NEWEST, {"table": table}))
        return range(last + 1, last + 1 + count)

    def of_each(self, query: Statement, **each: Sequence[int] | Sequence[str]) -> Statement:
        sql = query.sql
        for name in each:
            sql = sql.replace(f"= :{name}", f"IN (:{name})")
        return Statement(sql, {**query.values, **each})

    def first_of_each(
        self, query: Statement, order: str, *, each: Choices, limit: int, is_cut: bool = True
    ) -> list[Row]:
        sql, values = f"{query.sql} ORDER BY {order} LIMIT :limit", {**query.values, "limit": limit}
        places = (dict(zip(each, place, strict=True)) for place in product(*each.values()))
        return [row for place in places for row in self.rows(sql, **values, **place)]


def marks(values: Collection[object]) -> str:
    """One question mark for each value."""
    return ",".join("?" * len(values))


class _Connection(sqlite3.Connection):
    """Closed with its last reference; from Python 3.13 the standard class warns instead."""

    def __del__(self) -> None:
        try:
            self.close()
        except sqlite3.ProgrammingError:  # never opened, nothing to close
            return


def connect(path: str, *, patience: float = PATIENCE) -> sqlite3.Connection:
    """A new connection; the schema may be missing or older."""
    connection = sqlite3.connect(
        path,
        factory=_Connection,
        timeout=patience,
        isolation_level=None,
        check_same_thread=False,
        uri=path.startswith("file:"),
    )
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA synchronous = FULL")
    if sys.platform == "darwin":  # there `fsync` leaves data in the drive's cache
        connection.execute("PRAGMA fullfsync = ON")
    return connection


def _legible(connection: sqlite3.Connection, sql: str, values: Sequence[object]) -> list[Row]:
    """All rows, with a replacement character for bytes that are not text."""
    usual = connection.text_factory
    connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
    try:
        return connection.execute(sql, values).fetchall()
    finally:
        connection.text_factory = usual


def _prepare(connection: sqlite3.Connection, path: str) -> None:
    """Turn on the write-ahead log and migrate the schema, one process at a time."""
    mode = connection.execute("PRAGMA journal_mode = WAL").fetchone()[0]
    if mode != "wal":
        raise StorageError(
            path, f"SQLite answered {mode!r} when asked for WAL mode", "use a local file system"
        )
    os.chmod(path, 0o600)
    connection.execute("BEGIN IMMEDIATE")
    try:
        migrate(connection, path)
    except BaseException:
        connection.rollback()
        raise
    connection.commit()


def migrate(connection: sqlite3.Connection, path: str) -> None:
    """Bring the schema up to date, inside the open transaction."""
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version > SCHEMA:
        raise NewerSchema(path, version, SCHEMA)
    for name in sorted(os.listdir(_MIGRATIONS))[version:]:
        for statement in _statements(os.path.join(_MIGRATIONS, name)):
            connection.execute(statement)
    connection.execute(f"PRAGMA user_version = {SCHEMA}")


def _statements(path: str) -> Iterable[str]:
    """The statements of a script (`executescript` would commit before it starts)."""
    statement = ""
    with open(path, encoding="utf-8") as script:
        for line in script:
            statement += line
            if sqlite3.complete_statement(statement):
                yield statement
                statement = ""


def _explain(error: sqlite3.Error, path: str) -> Exception:
    """The error for a person."""
    code = _code(error)
    if code == sqlite3.SQLITE_FULL or (code in _UNWRITABLE and _is_full(path)):
        return StorageFull(path, "disk full", "free some space and try again")
    if code in _DAMAGED:
        return Corrupt(path, str(error), "move it away or restore a copy, then try again")
    if code in _BUSY:
        return StorageError(path, f"another process held it for over {PATIENCE:.0f} s", "try again")
    return StorageError(path, str(error), "check that the file and its directory can be written")


def _code(error: sqlite3.Error) -> int:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def _is_full(path: str) -> bool:
    """Whether the disk is full: SQLite then only says that it cannot open the file."""
    try:
        disk = os.statvfs(os.path.dirname(path) or ".")
    except (AttributeError, OSError):
        return False
    return disk.f_bavail * disk.f_frsize < _PAGE or disk.f_favail == 0
