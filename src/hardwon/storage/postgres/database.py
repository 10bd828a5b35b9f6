"""One PostgreSQL database: tenants are separated twice, transactions belong to a thread.

Every statement about a tenant runs in a transaction that has set the tenant, so that row-level
security backs up the `WHERE`. Nothing is ever set for a session: behind a pooler the next user of
the connection would inherit it.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from hashlib import blake2b
from typing import Any, TypeVar

from hardwon.core import time_limits
from hardwon.core.errors import Unavailable
from hardwon.core.values.scope import Scope
from hardwon.storage.postgres.connection import (
    Connection,
    Pool,
    explain_error,
    name_of,
    psycopg,
)
from hardwon.storage.sql import scopes
from hardwon.storage.sql.dialect import (
    Choices,
    NotKept,
    Row,
    SqlDatabase,
    Statement,
    Tenancy,
    for_rows,
)
from hardwon.storage.sql.rows import SEARCHED

T = TypeVar("T")

REST = 2.0  # seconds after a failure in which callers in an agent's turn do not try again
POOL = 4  # connections per process
PATIENCE = 30.0  # seconds to wait for one answer without a wait budget
_NOBODY = ""  # no tenant has this name
EVERY_TENANT = " "  # nor this one; for parts that serve all tenants: the queue and the ledger
_MOST_CHANGES = 200  # that are sent at once
_LOCKED = "locked scopes"  # key in transactions that lock the scopes they use
_SHELVES, _LESSONS = "known shelves", "known lessons"  # keys in transactions that write
_STATES = "states"  # key in any transaction, and outside of one in its thread
_WRITE = "BEGIN ISOLATION LEVEL READ COMMITTED"
_READ = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
_ALONE = ""  # one round trip is a transaction anyway
# Every statement has an index to use. A plan is made once and kept: one made while a table was
# empty, or had no statistics yet, would read all of it later.
_PLANNING = ("enable_seqscan", "enable_hashjoin", "enable_mergejoin", "jit")
_SET_TENANT = "SELECT set_config('hardwon.tenant', :tenant, true), " + ", ".join(
    f"set_config('{name}', 'off', true)" for name in _PLANNING
)
_RESERVED, _RESERVE = "reserved", "reserve"  # keys in transactions that add lessons
_MOST_RESERVED = 64  # numbers of lessons; those that are not used are lost
_NUMBERS = "SELECT nextval(pg_get_serial_sequence(:table, 'id')) FROM generate_series(1, :count)"
_LOCK = "SELECT pg_advisory_xact_lock(:key::bigint)"


class Database(SqlDatabase):
    """A pool of connections. `with database:` commits everything this thread writes, or nothing."""

    shelf_state = """version, (
        SELECT count(*) FROM hardwon.fresh AS f
        WHERE f.tenant = :tenant AND f.shelf = shelves.id AND f.is_new
    )"""

    def __init__(
        self,
        url: str,
        *,
        pool: int = POOL,
        patience: float | None = PATIENCE,
        prepare: Callable[[Database], None] | None = None,
    ) -> None:
        """`prepare` is called once, before the first use that reaches the server."""
        self.url = url
        self.name = name_of(url)
        self._patience = patience
        self._pool = Pool(url, size=pool, patience=patience)
        self._rests_until = 0.0  # by time.monotonic
        self._mine = threading.local()
        self._prepare = prepare

    def ready(self) -> None:
        """Prepare the database if that was not done yet."""
        if self._prepare is not None:
            prepare, self._prepare = self._prepare, None
            try:
                prepare(self)
            except BaseException:
                self._prepare = prepare
                raise

    def of(self, tenant: str) -> ServerTenancy:
        return ServerTenancy(self, tenant)

    def tenants(self) -> list[str]:
        return [name for (name,) in self.rows("SELECT name FROM hardwon.tenants ORDER BY name")]

    @property
    def open(self) -> Transaction | None:
        """The transaction of this thread, if one is open."""
        transaction: Transaction | None = getattr(self._mine, "open", None)
        return transaction

    def text_filter(self, text: str) -> Statement:
        """A condition for lessons that may contain the text.

        It names the longest ASCII part of the text: every server lowers that alike.
        """
        piece = max(re.findall(r"[\x20-\x7e]+", text), key=len, default="").lower()
        if not piece:
            return Statement("TRUE", {})
        return Statement(f"strpos(lower({SEARCHED}), :piece) > 0", {"piece": piece})

    def state(self) -> None:
        """Nothing: the server does not tell of changes."""

    def last_state(self, scope: Scope) -> object:
        return self._states.get(scope)

    def is_current(self, scope: Scope, state: object) -> bool:
        if state is None:
            return False
        self.note_shelves(scopes.visible(self, scope))
        return state == self.last_state(scope)

    def note_shelves(self, visible: scopes.Visible) -> None:
        """Note what a search has read: every change of a lesson raises the version of its shelf."""
        self.shelf_notes.update((shelf.scope, shelf.id) for shelf in visible.shelves)
        if self.open is None:  # only the latest search is of interest
            self._states.clear()
        self._states[visible.scope] = [(shelf.id, shelf.version) for shelf in visible.shelves]

    @property
    def _states(self) -> dict[Scope, object]:
        """What is noted of scopes, by this thread or its open transaction."""
        notes = self.open.notes if self.open else self._mine.__dict__
        states: dict[Scope, object] = notes.setdefault(_STATES, {})
        return states

    @property
    def is_open(self) -> bool:
        return self.open is not None

    @property
    def is_writing(self) -> bool:
        return self.open is not None and self.open.is_writing

    @property
    def lesson_notes(self) -> dict[object, Any]:
        return self._notes(_LESSONS)

    @property
    def shelf_notes(self) -> dict[object, Any]:
        return self._notes(_SHELVES)

    def _notes(self, key: str) -> dict[object, Any]:
        notes: dict[object, Any] = {}
        return self.open.notes.setdefault(key, notes) if self.open and self.is_writing else notes

    @contextmanager
    def together(self) -> Iterator[None]:
        with self as transaction:
            transaction.notes.setdefault(_LOCKED, set())
            yield

    @property
    def is_alone(self) -> bool:
        return self.open is not None and _LOCKED in self.open.notes

    def touch(self, scope: Scope) -> None:
        locked = self.open.notes.get(_LOCKED) if self.open else None
        if locked is not None and scope not in locked:
            locked.add(scope)
            self.lock(scope)

    def lock(self, scope: Scope) -> None:
        digest = blake2b("\0".join(part or "" for part in scope).encode(), digest_size=8).digest()
        key = int.from_bytes(digest, "big", signed=True)
        self.of(scope.tenant).run(_LOCK, key=key)

    def __enter__(self) -> Transaction:
        """Begin a writing transaction, or join the open one."""
        if self.open is None:
            self._mine.open = Transaction(self._take_connection(), _WRITE)
        transaction: Transaction = self._mine.open
        transaction.depth += 1
        return transaction

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        transaction = self.open
        if transaction is None:
            return
        transaction.depth -= 1
        if transaction.depth:
            return
        try:
            with self._explaining(transaction.connection):
                transaction.end(is_kept=kind is None)
        finally:
            self._mine.open = None
            self._pool.give(transaction.connection)

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        if self.open is not None:
            yield
            return
        transaction = self._mine.open = Transaction(self._take_connection(), _READ)
        try:
            yield
            with self._explaining(transaction.connection):
                transaction.end(is_kept=True)
        except BaseException:
            with suppress(psycopg.Error, TimeoutError):  # the error being raised says more
                transaction.end(is_kept=False)
            raise
        finally:
            self._mine.open = None
            self._pool.give(transaction.connection)

    def ask(self, tenant: str, *statements: Statement) -> list[list[Row]]:
        """The rows of each statement, in one round trip."""
        transaction = self.open
        if transaction is not None:
            with self._explaining(transaction.connection):
                return transaction.ask(tenant, statements)
        connection = self._take_connection()
        try:
            with self._explaining(connection):
                return Transaction(connection, _ALONE).ask(tenant, statements)
        finally:
            self._pool.give(connection)

    def rows(self, sql: str, **values: object) -> list[Row]:
        """All rows of a statement that concerns no tenant."""
        return self.ask(_NOBODY, Statement(sql, values))[0]

    def run_script(self, script: str) -> None:
        """Run statements without values inside `with database:`."""
        transaction = self.open
        assert transaction is not None, "a script needs a transaction"
        with self._explaining(transaction.connection):
            transaction.begin()
            transaction.connection.execute(script.encode())

    def close(self) -> None:
        self._pool.close()

    def _take_connection(self) -> Connection:
        self.ready()
        remaining = time_limits.time_left()
        if remaining is not None and time.monotonic() < self._rests_until:
            raise Unavailable(f"{self.name}: still unreachable; not tried again yet")
        try:
            return self._pool.take(self._patience if remaining is None else remaining)
        except Unavailable as error:
            self._rests_until = time.monotonic() + REST
            raise Unavailable(f"{self.name}: {error}") from error

    @contextmanager
    def _explaining(self, connection: Connection) -> Iterator[None]:
        try:
            yield
        except (psycopg.Error, TimeoutError) as error:
            if connection.closed:
                self._rests_until = time.monotonic() + REST
            raise explain_error(error, self.name) from error
        self._rests_until = 0.0


class ServerTenancy(Tenancy):
    """A database as one tenant sees it."""

    database: Database

    def ask(self, *statements: Statement) -> list[list[Row]]:
        return self.database.ask(self.tenant, *statements)

    def run(self, sql: str, **values: object) -> None:
        """The same; inside a transaction it is sent along with the next question or the commit."""
        self._change([Statement(sql, values)])

    def run_many(self, sql: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
        if len(rows) > 1 and (all_rows := for_rows(sql)):
            lists = [list(column) for column in zip(*rows, strict=True)]
            self._change([Statement(all_rows, dict(zip(columns, lists, strict=True)))])
        else:
            self._change([Statement(sql, dict(zip(columns, row, strict=True))) for row in rows])

    def _change(self, statements: Sequence[Statement]) -> None:
        transaction = self.database.open
        if transaction is None:
            self.ask(*statements)
            return
        transaction.changes += ((self.tenant, statement) for statement in statements)
        if len(transaction.changes) > _MOST_CHANGES:
            self.ask()

    def new_numbers(self, table: str, count: int) -> list[int]:
        rows = self.rows(_NUMBERS, table=f"hardwon.{table}", count=count) if count else []
        return sorted(number for (number,) in rows)

    def reserve_lesson(self) -> int | None:
        """A number from the second lesson of a transaction on; each time twice as many are read."""
        notes: dict[object, Any] = self.database.open.notes if self.database.open else {}
        numbers: list[int] = notes.setdefault(_RESERVED, [])
        if not numbers:
            if _RESERVE not in notes:
                notes[_RESERVE] = 1
                return None
            notes[_RESERVE] = min(2 * notes[_RESERVE], _MOST_RESERVED)
            numbers += reversed(self.new_numbers("lessons", notes[_RESERVE]))
        return numbers.pop()

    def first_of_each(
        self, query: Statement, order: str, *, each: Choices, limit: int, is_cut: bool = True
    ) -> list[Row]:
        if not all(each.values()):
            return []
        end = f"ORDER BY {order} LIMIT :limit"
        sql, values = _each_of(query, each, end)
        return self.rows(f"{sql} {end if is_cut else ''}", **values, limit=limit)

    def of_each(self, query: Statement, **each: Sequence[int] | Sequence[str]) -> Statement:
        return _each_of(query, each, "OFFSET 0")  # which keeps the query apart


def _each_of(query: Statement, each: Choices, end: str) -> Statement:
    """The query, with this end, for each combination of the values in `each`."""
    sql, values, sources = query.sql, dict(query.values), []
    for name, choices in each.items():
        kind = "text" if choices and isinstance(choices[0], str) else "bigint"
        values_of_name = f"ARRAY(SELECT unnest(:each_{name}::{kind}[]))"  # of a hidden length
        sources.append(f"unnest({values_of_name}) AS each_{name} (choice)")
        sql = re.sub(rf":{name}\b", f"each_{name}.choice", sql)
        values[f"each_{name}"] = choices
    places = ", ".join(sources)
    return Statement(f"SELECT each_row.* FROM {places}, LATERAL ({sql} {end}) AS each_row", values)


class Transaction:
    """The work of one thread on one connection, from BEGIN to COMMIT."""

    def __init__(self, connection: Connection, begin: str) -> None:
        self.connection = connection
        self.depth = 0
        self.is_writing = begin == _WRITE
        self._begin = begin
        self._tenant = _NOBODY
        self._held = ExitStack()
        self._before_commit: dict[object, Callable[[], None]] = {}
        self.notes: dict[object, Any] = {}  # data of parts of a store, kept until the end
        self.changes: list[tuple[str, Statement]] = []  # of each tenant, not sent yet

    def ask(self, tenant: str, statements: Sequence[Statement]) -> list[list[Row]]:
        """The rows of each statement; BEGIN, changes and the tenant are sent along."""
        before = self._before(tenant)
        bound = [(sql, {"tenant": tenant, **values}) for sql, values in statements]
        return self.connection.exchange.ask([*before, *bound])[len(before) :]

    def begin(self) -> None:
        """Send BEGIN and the changes so far."""
        if self._begin or self.changes:
            self.connection.exchange.ask(self._before(_NOBODY))

    def before_commit(self, key: object, act: Callable[[], None]) -> None:
        """Call this once before the commit."""
        self._before_commit.setdefault(key, act)

    def hold(self, resource: AbstractContextManager[T]) -> T:
        """Enter a context that is left after the transaction, with the same outcome."""
        return self._held.enter_context(resource)

    def end(self, *, is_kept: bool) -> None:
        """Commit or roll back."""
        outcome: tuple[Any, ...] = (NotKept, NotKept(), None)
        try:
            if is_kept:
                while self._before_commit:
                    _, act = self._before_commit.popitem()
                    act()
            else:
                self.changes.clear()
            before = self._before(_NOBODY) if self.changes else []
            if not (self._begin or self.connection.closed):
                self.connection.exchange.ask([*before, ("COMMIT" if is_kept else "ROLLBACK", {})])
            outcome = (None, None, None) if is_kept else outcome
        finally:
            self._held.__exit__(*outcome)

    def _before(self, tenant: str) -> list[tuple[str, dict[str, object]]]:
        """The statements to send first: BEGIN, changes of this and other tenants, the tenant."""
        statements: list[tuple[str, dict[str, object]]] = [(self._begin, {})] if self._begin else []
        self._begin = ""
        for owner, (sql, values) in self.changes:
            switch = self._switch(owner)
            if switch and sql == _LOCK:  # most transactions begin so: one statement does both
                sql = f"{_SET_TENANT}, {_LOCK.removeprefix('SELECT ')}"
            else:
                statements += switch
            statements.append((sql, {"tenant": owner, **values}))
        self.changes.clear()
        return statements + self._switch(tenant)

    def _switch(self, tenant: str) -> list[tuple[str, dict[str, object]]]:
        if tenant in {self._tenant, _NOBODY}:
            return []
        self._tenant = tenant
        return [(_SET_TENANT, {"tenant": tenant})]
