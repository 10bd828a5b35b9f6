"""Connections to PostgreSQL: address, limits on waiting, several statements at once, a pool."""

from __future__ import annotations

import select
import struct
import threading
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import chain, compress, repeat
from typing import Any, TypeVar
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from hardwon.core import _fork, time_limits
from hardwon.core.errors import MissingExtra, StorageError, StorageFull, Unavailable
from hardwon.storage.sql.dialect import Row, in_postgres

try:
    import psycopg as psycopg
    from psycopg.adapt import Dumper, PyFormat, Transformer
    from psycopg.pq import ConnStatus, ExecStatus, Format
    from psycopg.pq.abc import PGconn, PGresult
    from psycopg.types.numeric import Int8BinaryDumper, Int8Dumper
    from psycopg.waiting import Ready, Wait
except ImportError as error:
    raise MissingExtra("postgres") from error

Key = tuple[bytes, tuple[int, ...]]  # a statement, and the types of its values
T = TypeVar("T")

is_patient = ContextVar("is_patient", default=False)


@contextmanager
def patient() -> Iterator[None]:
    """Let this thread wait without a limit, for work on whole tables."""
    before = is_patient.set(True)
    try:
        yield
    finally:
        is_patient.reset(before)


def limit_wait(protocol: Generator[Any, Any, T], until: float) -> Generator[Any, Any, T]:
    """The same exchange with the server; raises TimeoutError after `until`."""
    try:
        events = next(protocol)
        while True:
            ready = yield events
            if time.monotonic() >= until and not ready:
                protocol.close()
                raise TimeoutError
            events = protocol.send(ready)
    except StopIteration as end:
        result: T = end.value
        return result


_LATER = (
    *(psycopg.errors.SerializationFailure, psycopg.errors.DeadlockDetected),
    *(psycopg.errors.LockNotAvailable, psycopg.errors.QueryCanceled),
    *(psycopg.errors.TooManyConnections, psycopg.InterfaceError),
)
_MIGRATE = "run `hardwon migrate` with the URL of the role that owns the tables"
_GRANT = "grant it: `hardwon migrate --grant ROLE`"


def explain_error(error: Exception, name: str) -> Exception:
    """The error for a person; one that may pass by itself is Unavailable."""
    if isinstance(error, TimeoutError):
        return Unavailable(f"{name}: no answer in time")
    problem = " ".join(str(error).split()) or type(error).__name__
    if isinstance(error, psycopg.errors.DiskFull):
        return StorageFull(name, problem, "free some space and try again")
    if isinstance(error, psycopg.errors.UndefinedTable | psycopg.errors.InvalidSchemaName):
        return StorageError(name, problem, _MIGRATE)
    if isinstance(error, psycopg.errors.InsufficientPrivilege):
        is_owners = problem.startswith("must be owner")
        return StorageError(name, problem, _MIGRATE if is_owners else _GRANT)
    # Connection or server is gone: errors without a code, classes 57, 08 and 53.
    state = error.sqlstate if isinstance(error, psycopg.OperationalError) else "?"
    if isinstance(error, _LATER) or state is None or state[:2] in {"57", "08", "53"}:
        return Unavailable(f"{name}: {problem}")
    return StorageError(name, problem, "check the server's log")


_MOST = 250  # statements kept prepared per connection; their texts are constants of hardwon
_BINARY = 1
_BIGINT, _BIGINTS = 20, 1016  # numbers of types


class Exchange:
    """Requests on one connection. `is_pooled`: the next one may reach another session."""

    def __init__(self, connection: psycopg.Connection[Any], *, is_pooled: bool) -> None:
        self._connection = connection
        for dumper in (Int8BinaryDumper, Int8Dumper):  # by default the type depends on the size,
            connection.adapters.register_dumper(int, dumper)  # and each type is prepared again
        connection.adapters.register_dumper(Numbers, NumbersDumper)
        self._converter = Transformer(connection)
        self._most = 0 if is_pooled else _MOST
        self._prepared: dict[Key, bytes] = {}
        self._named = 0

    def ask(self, statements: Sequence[tuple[str, Mapping[str, Any]]]) -> list[list[Row]]:
        """The rows of each statement; empty for a statement without rows."""
        messages = [self._message(sql, values) for sql, values in statements]
        pgconn = self._connection.pgconn
        new: dict[Key, bytes] = {}
        are_rows: list[bool] = []  # of each answer
        pgconn.enter_pipeline_mode()
        try:
            for sql, values, types, formats in messages:
                name = self._prepared.get((sql, types)) or new.get((sql, types))
                if name is None and len(self._prepared) + len(new) < self._most:
                    self._named += 1
                    name = new[sql, types] = b"hardwon%d" % self._named
                    pgconn.send_prepare(name, sql, types)
                    are_rows.append(False)
                if name is None:
                    pgconn.send_query_params(sql, values, types, formats, _BINARY)
                else:
                    pgconn.send_query_prepared(name, values, formats, _BINARY)
                are_rows.append(True)
            pgconn.pipeline_sync()
            results = self._connection.wait(_answers(pgconn))
        finally:
            _leave(pgconn)
        self._prepared.update(new)
        rows: list[list[Row]] = []
        for result in compress(results, are_rows):
            self._converter.set_pgresult(result)
            rows.append(self._converter.load_rows(0, result.ntuples, tuple))
        return rows

    def _message(
        self, sql: str, values: Mapping[str, Any]
    ) -> tuple[bytes, Sequence[Any], tuple[int, ...], Sequence[int]]:
        """The statement as it is sent: text, values, their types and formats."""
        text, places = in_postgres(sql)
        arguments = [_storable(values[name]) for name in places]
        # Long lists are far cheaper as bytes; an empty list has no type.
        formats_wanted = [
            PyFormat.BINARY if isinstance(value, list | bytes) and value else PyFormat.AUTO
            for value in arguments
        ]
        dumped = self._converter.dump_sequence(arguments, formats_wanted)
        types, formats = self._converter.types or (), self._converter.formats or ()
        return text, dumped, types, formats


def _storable(value: Any) -> Any:
    """The value as it is sent; no text of PostgreSQL can hold NUL: one would stop all others."""
    if isinstance(value, str):
        return value.replace("\0", "")  # the same object if there is none
    if isinstance(value, list) and value and isinstance(value[0], str):
        return [_storable(text) for text in value]
    if isinstance(value, list) and value and type(value[0]) is int:
        return Numbers.of(value)
    return value


class Numbers(bytes):
    """A list of numbers as PostgreSQL takes it; psycopg takes four times as long to make it."""

    @classmethod
    def of(cls, numbers: list[int]) -> Numbers:
        """One dimension, no NULL, of bigint, so many, from 1; each with its length."""
        head = (1, 0, _BIGINT, len(numbers), 1)
        sized = chain.from_iterable(zip(repeat(8), numbers, strict=False))
        return cls(struct.pack("!5i" + "iq" * len(numbers), *head, *sized))


class NumbersDumper(Dumper):
    """Hands them on as they are."""

    format = Format.BINARY
    oid = _BIGINTS

    def dump(self, obj: Numbers) -> bytes:
        return obj


def _answers(pgconn: PGconn) -> Generator[Wait, Ready | int, list[PGresult]]:
    """The results of all statements; the server's first error is raised."""
    results: list[PGresult] = []
    while pgconn.flush():
        if (yield Wait.RW) & Ready.R:
            pgconn.consume_input()
    while True:
        while pgconn.is_busy():
            if (yield Wait.R):
                pgconn.consume_input()
        result = pgconn.get_result()
        if result is None:
            if pgconn.status == ConnStatus.BAD:
                raise _error(results) or psycopg.OperationalError("the connection is lost")
        elif result.status == ExecStatus.PIPELINE_SYNC:
            break
        else:
            results.append(result)
    if problem := _error(results):
        raise problem
    return results


def _error(results: Sequence[PGresult]) -> psycopg.Error | None:
    failed = (result for result in results if result.status == ExecStatus.FATAL_ERROR)
    first = next(failed, None)
    return None if first is None else psycopg.errors.error_from_result(first)


def _leave(pgconn: PGconn) -> None:
    """End the pipeline; a connection with unread answers is closed."""
    if pgconn.status != ConnStatus.OK:
        return
    try:
        pgconn.exit_pipeline_mode()
    except psycopg.OperationalError:
        pgconn.finish()


_TRUE = {"1", "true", "yes", "on"}
_LOOK = 0.1  # seconds between two checks of the clock and for Ctrl-C
_OPTIONS: dict[str, Any] = {
    "application_name": "hardwon",
    "client_encoding": "utf8",  # of a database without an encoding, texts would be bytes
    "connect_timeout": 5,
    "keepalives_idle": 30,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 15_000,  # milliseconds
}


class Connection(psycopg.Connection[tuple[Any, ...]]):
    """A connection that waits `patience` seconds, or what is left of the wait budget."""

    patience: float | None = None
    born: float = 0.0
    exchange: Exchange
    _pool = None  # psycopg does not warn if the program ends with it open

    def wait(
        self, gen: Generator[Any, Any, T], interval: float = _LOOK, timeout: float | None = None
    ) -> T:
        """One exchange with the server; after a TimeoutError the connection is closed."""
        with time_limits.Waiting() as remaining:
            usual = None if is_patient.get() else self.patience
            limit = usual if remaining is None else remaining
            if limit is None:
                return super().wait(gen, interval)
            try:
                bound = limit_wait(gen, time.monotonic() + limit)
                return super().wait(bound, min(interval, limit))
            except TimeoutError:
                self.pgconn.finish()  # later data would belong to the abandoned exchange
                raise


def connect(url: str, *, patience: float | None) -> Connection:
    """A new connection. It may take long, so an agent's turn does not call this itself."""
    plain, is_pooled = without_own_options(url)
    url_options = dict(parse_qsl(urlsplit(plain).query))
    options = {name: value for name, value in _OPTIONS.items() if name not in url_options}
    connection = Connection.connect(plain, autocommit=True, prepare_threshold=None, **options)
    connection.patience, connection.born = patience, time.monotonic()
    connection.exchange = Exchange(connection, is_pooled=is_pooled)
    return connection


def without_own_options(url: str) -> tuple[str, bool]:
    """The URL as libpq reads it, and whether it leads to a pooler (`?pgbouncer=true`)."""
    parts = urlsplit(url)
    options = parse_qsl(parts.query, keep_blank_values=True)
    libpq_options = [(name, value) for name, value in options if name != "pgbouncer"]
    is_pooled = any(name == "pgbouncer" and value.lower() in _TRUE for name, value in options)
    return (urlunsplit(parts._replace(query=urlencode(libpq_options))), is_pooled)


def name_of(url: str) -> str:
    """The name of the database for messages, without its password."""
    parts = urlsplit(url)
    try:
        port = parts.port
    except ValueError:
        port = None
    host = parts.hostname or dict(parse_qsl(parts.query)).get("host", "localhost")
    return f"PostgreSQL {host}{f':{port}' if port else ''}{parts.path}"


_LIFETIME = 1800.0  # seconds; then a connection is replaced, as the server may have moved
_FORK_PATIENCE = 5.0  # seconds
_abandoned: list[
    Connection
] = []  # connections of a parent process; closing one would end the parent's session


class Pool:
    """At most `size` connections; the one used last is used next."""

    rank = _fork.INNER

    def __init__(self, url: str, *, size: int, patience: float | None) -> None:
        self._open: Callable[[], Connection] = lambda: connect(url, patience=patience)
        self._size = size
        self._changed = threading.Condition()
        self._idle: list[Connection] = []
        self._used: set[Connection] = set()
        self._is_connecting = False
        self._closed = 0  # how often the pool was closed
        self._failures = 0
        self._problem = ""
        _fork.watch(self)

    def take(self, limit: float | None) -> Connection:
        """A working connection; Unavailable if there is none in time."""
        end = None if limit is None else time.monotonic() + limit
        with self._changed:
            failures = self._failures
            while (connection := self._healthy()) is None:
                if failures != self._failures:
                    raise Unavailable(self._problem)
                if not self._is_connecting and len(self._used) < self._size:
                    self._is_connecting = True
                    threading.Thread(
                        target=self._connect, daemon=True, name="hardwon-postgres"
                    ).start()
                remaining = None if end is None else end - time.monotonic()
                if remaining is not None and remaining <= 0:
                    raise Unavailable("no connection in time")
                self._changed.wait(remaining)
            self._used.add(connection)
            return connection

    def give(self, connection: Connection) -> None:
        """Return a connection; a broken, busy or old one is closed."""
        is_idle = connection.info.transaction_status == psycopg.pq.TransactionStatus.IDLE
        is_young = time.monotonic() - connection.born < _LIFETIME
        with self._changed:
            if connection not in self._used:  # taken before a fork
                return
            self._used.discard(connection)
            if is_idle and is_young:
                self._idle.append(connection)
            else:
                connection.close()
            self._changed.notify()

    def close(self) -> None:
        """Close the idle connections; the next caller opens others."""
        with self._changed:
            idle, self._idle = self._idle, []
            self._closed += 1
        for connection in idle:
            connection.close()

    def _healthy(self) -> Connection | None:
        """An idle connection without unread data; unread data means the server closed it."""
        while self._idle:
            connection = self._idle.pop()
            if not connection.closed and not select.select([connection.fileno()], [], [], 0)[0]:
                return connection
            connection.close()
        return None

    def _connect(self) -> None:
        changed, closed, connection, problem = self._changed, self._closed, None, ""
        try:
            connection = self._open()
        except psycopg.Error as error:
            problem = " ".join(str(error).split()) or type(error).__name__
        with changed:
            self._is_connecting = False
            if connection is None:
                self._failures, self._problem = self._failures + 1, problem
            elif closed != self._closed:  # whoever still waits opens another
                connection.close()
            else:
                self._idle.append(connection)
            changed.notify_all()

    def before_fork(self) -> None:
        """Close idle connections: a child could not use them."""
        self._is_held = self._changed.acquire(timeout=_FORK_PATIENCE)
        for connection in self._idle:
            connection.close()
        self._idle.clear()

    def after_fork(self, *, is_child: bool) -> None:
        if is_child:
            _abandoned.extend(self._used)
            self._changed, self._used = threading.Condition(), set()
            self._is_connecting = False
        elif self._is_held:
            self._changed.release()
