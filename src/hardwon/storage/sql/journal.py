"""Records noted on the agent's path, in a file, and moved into the database later."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from hashlib import blake2b
from typing import Any, Protocol, TypeVar

from hardwon.core import _files
from hardwon.core._fork import ForkLock
from hardwon.core.errors import InvalidInput, SetupError
from hardwon.core.values.report import Place, Window
from hardwon.core.values.scope import Scope
from hardwon.storage.sql import scopes
from hardwon.storage.sql.dialect import Row, SqlDatabase, Tenancy

T = TypeVar("T")

SPOOL_LIMIT = 1 << 20  # bytes after which a closing process folds in the spool
_MOST_NOTES = 1_000  # records in memory; whoever notes one more folds them in

_UNREADABLE = (TypeError, ValueError, LookupError, AttributeError)  # of values of another form

# A child process would inherit the file, and hold its lock as long as it lives.
_appending = ForkLock()


class Spool:
    """Lines of JSON beside a database. An append costs microseconds and is never torn."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._aside = f"{path}.taken"  # while they are moved

    def append(self, *records: object) -> None:
        """Add records, in one write."""
        lines = [json.dumps(record, ensure_ascii=True, separators=(",", ":")) for record in records]
        text = "".join(f"{line}\n" for line in lines).encode()
        with _files.storage_errors(self._path), _appending:
            while text and not self._try_append(text):
                pass

    def size(self) -> int:
        """Bytes that wait to be taken, or were taken but not stored."""
        sizes = 0
        for path in (self._path, self._aside):
            with suppress(FileNotFoundError):
                sizes += os.stat(path).st_size
        return sizes

    @contextmanager
    def take(self) -> Iterator[tuple[str, list[Any]]]:
        """A unique name of a batch, and its records; they are removed if the block ends well.

        Empty while another process has them.
        """
        lock = _files.Lock(f"{self._path}.lock")
        if not lock.acquire(wait=False):
            yield "", []
            return
        try:
            # The remains of a crash come first; the current file follows next time.
            if not os.path.exists(self._aside) and os.path.exists(self._path):
                os.rename(self._path, self._aside)
            yield _read_batch(self._aside)
            _files.unlink(self._aside)
        finally:
            lock.release()

    def _try_append(self, line: bytes) -> bool:
        """False when the file was taken away between opening and locking it."""
        handle = _files.end_of(self._path)
        try:
            fcntl.flock(handle, fcntl.LOCK_SH)
            if not os.path.samestat(os.fstat(handle), os.stat(self._path)):
                return False
            os.write(handle, line)
            return True
        except FileNotFoundError:
            return False
        finally:
            os.close(handle)


def _read_batch(path: str) -> tuple[str, list[Any]]:
    """The name and all complete lines of a file, after every writer of it has finished."""
    records = []
    with suppress(FileNotFoundError), open(path, "rb") as lines:
        fcntl.flock(lines, fcntl.LOCK_EX)
        text, state = lines.read(), os.fstat(lines.fileno())
        for line in text.splitlines():
            with suppress(ValueError):  # a torn line
                records.append(json.loads(line))
        digest = blake2b(text, digest_size=16).hexdigest()
        return f"{digest}-{state.st_ino}-{state.st_mtime_ns}", records
    return "", []


class MemorySpool:
    """The records that wait to be folded in, in a list."""

    def __init__(self, on_full: Callable[[], object]) -> None:
        self.records: list[Any] = []
        self.lock = ForkLock()  # between threads that note and the one that folds
        self._on_full = on_full

    def append(self, *records: object) -> None:
        """Add records."""
        with self.lock:
            self.records += records
        if len(self.records) > _MOST_NOTES:
            self._on_full()

    def size(self) -> int:
        """How many records wait."""
        return len(self.records)

    @contextmanager
    def take(self) -> Iterator[tuple[str, list[Any]]]:
        """All records so far; they come back if the block fails."""
        with self.lock:
            records, self.records = self.records, []
        try:
            yield "", records
        except BaseException:
            with self.lock:
                self.records[:0] = records
            raise


class Transaction(Protocol):
    """The part of a database that a journal writes to."""

    def hold(self, resource: AbstractContextManager[T]) -> T: ...


def notes_for(home: str, url: str) -> str:
    """The file of records that wait to be sent to this server."""
    return os.path.join(home, f"deliveries-{_files.database_digest(url)}.spool")


def server_spool(home: str, url: str) -> Spool:
    """The records on this machine that wait to be sent to a server."""
    return Spool(notes_for(home, url))


class Journal:
    """A spool beside the database. The process that wrote its records folds them in later."""

    def __init__(
        self,
        database: AbstractContextManager[Transaction],
        spool: Spool | MemorySpool,
        is_due: Callable[[str], bool] = lambda batch: True,
        copy: Spool | None = None,
        is_new: Callable[[str], bool] | None = None,
    ) -> None:
        """`is_due`: whether a batch is new; one whose commit got no answer is sent again.

        `is_new`: the same for batches that other machines send; default: `is_due`.

        `copy`: a second spool that gets every record, to be folded in elsewhere.
        """
        self._db = database
        self._spool = spool
        self._is_due = is_due
        self._is_new = is_new or is_due
        self._copy = copy
        self._folds: dict[str, Callable[[list[list[Any]]], None]] = {}

    def on(self, kind: str, fold: Callable[[list[list[Any]]], None]) -> None:
        """Register the function that moves records of a kind into the database."""
        self._folds[kind] = fold

    @property
    def kinds(self) -> frozenset[str]:
        """The kinds of records that can be folded in."""
        return frozenset(self._folds)

    def note(self, kind: str, *values: object) -> None:
        """Add a record; this takes microseconds and waits for no lock."""
        self.note_all(kind, [values])

    def note_here(self, kind: str, *values: object) -> None:
        """Add a record that is folded in here only."""
        self._spool.append([kind, *values])

    def note_all(self, kind: str, rows: Iterable[Iterable[object]]) -> None:
        """Add several records of a kind at once."""
        records = [[kind, *values] for values in rows]
        self._spool.append(*records)
        if self._copy is not None:
            self._copy.append(*records)

    def fold(self) -> int:
        """Move all records into the database; returns how many there were.

        Records that a newer hardwon noted in another form are left to that one: SetupError.
        """
        if not self._spool.size():
            return 0
        with self._db as db:
            batch, records = db.hold(self._spool.take())
            if not records or not self._is_due(batch):
                return 0
            try:
                self._fold(records)
            except _UNREADABLE as error:
                raise SetupError(
                    f"notes that wait here are damaged or of a newer hardwon ({error}):"
                    " if it was upgraded, restart this program"
                ) from error
            return len(records)

    def receive(self, batch: str, records: Sequence[Sequence[object]]) -> None:
        """Fold in the records of another machine; once, however often the batch is sent."""
        try:
            with self._db:
                if self._is_new(batch):
                    self._fold(records)
        except _UNREADABLE as error:
            raise InvalidInput(f"a record of {batch!r} is damaged: {error}") from error

    def _fold(self, records: Sequence[Sequence[Any]]) -> None:
        for kind, fold in self._folds.items():
            if matching := [values for name, *values in records if name == kind]:
                fold(matching)

    @property
    def is_empty(self) -> bool:
        """Whether everything was folded in, by this or another process."""
        return self._spool.size() == 0

    @property
    def is_full(self) -> bool:
        """Whether the spool should be folded in even if no worker runs."""
        return self._spool.size() > SPOOL_LIMIT


class JournalPart:
    """A part of a store whose records may wait in the journal."""

    def __init__(self, database: SqlDatabase, journal: Journal) -> None:
        self._db = database
        self._journal = journal

    def _at(self, place: Place) -> tuple[Tenancy, dict[int, Scope]]:
        """The tenant of a place and its shelves there, once all that was noted is folded in."""
        self._journal.fold()
        return self._db.of(place.tenant), scopes.of_place(self._db, place)

    def _rows(self, sql: str, window: Window, **values: object) -> list[Row]:
        """The rows of a statement about the shelves of a window, with all that was noted."""
        self._journal.fold()
        shelves = scopes.covered_shelves(self._db, window)
        return self._db.of(window.scope.tenant).rows(sql, shelves=shelves, **values)

    def _change(self, scope: Scope, sql: str, **values: object) -> None:
        """Run a change on the shelf of a scope, if there is one."""
        shelf = scopes.own(self._db, scope)
        self._db.of(scope.tenant).run(sql, shelf=shelf, **values)
