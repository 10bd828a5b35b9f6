"""One PostgreSQL database: tenants behind two walls, transactions that belong to their thread.

Every statement about a tenant runs in a transaction that has said whose it is, so that row-level
security is the second wall behind the `WHERE`. Nothing is ever set for a session: behind a pooler
the next user of a connection would inherit it.
"""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from hardwon import _hurry
from hardwon.errors import Unavailable
from hardwon.postgres.connect import Connection, name_of
from hardwon.postgres.deadline import Breaker
from hardwon.postgres.driver import psycopg
from hardwon.postgres.pool import Pool
from hardwon.postgres.problems import explained

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractContextManager

    T = TypeVar("T")
    Row = tuple[Any, ...]

POOL = 4  # connections of a process
PATIENCE = 30.0  # seconds that somebody who is in no hurry waits for one answer
_NOBODY = ""  # no tenant has this name
EVERY_TENANT = " "  # nor this one: of those who serve all, the queue and the book of spending
_WRITE = "BEGIN ISOLATION LEVEL READ COMMITTED"
_READ = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
_ALONE = ""  # what goes out in one round trip is a transaction anyway
_BE = "SELECT set_config('hardwon.tenant', %(tenant)s, true)"


class Asked(NamedTuple):
    """A statement with its values; `%(tenant)s` is filled in by the tenant that asks."""

    sql: str
    values: dict[str, object]


def asked(sql: str, **values: object) -> Asked:
    """A statement with its values."""
    return Asked(sql, values)


def uncounted(name: str, kind: str = "bigint") -> str:
    """`= ANY` of a list whose length the planner cannot see: it plans once, not for each length."""
    return f"ANY(ARRAY(SELECT unnest(%({name})s::{kind}[])))"


class Database:
    """A pool of connections. `with database:` keeps all that this thread writes, or nothing."""

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
        self._breaker = Breaker()
        self._mine = threading.local()
        self._prepare = prepare

    def ready(self) -> None:
        """Prepare the database unless that was done."""
        if self._prepare is not None:
            prepare, self._prepare = self._prepare, None
            try:
                prepare(self)
            except BaseException:
                self._prepare = prepare
                raise

    def of(self, tenant: str) -> Tenancy:
        """What belongs to one tenant."""
        return Tenancy(self, tenant)

    @property
    def open(self) -> Transaction | None:
        """The transaction of this thread, if one is open."""
        transaction: Transaction | None = getattr(self._mine, "open", None)
        return transaction

    def __enter__(self) -> Transaction:
        """Begin to write, or join the transaction that is open."""
        if self.open is None:
            self._mine.open = Transaction(self._taken(), _WRITE)
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
        transaction.tell_ended()

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Let all reads of a `with` block see the same state; others go on writing."""
        if self.open is not None:
            yield
            return
        transaction = self._mine.open = Transaction(self._taken(), _READ)
        try:
            yield
            with self._explaining(transaction.connection):
                transaction.end(is_kept=True)
        except BaseException:
            with self._quietly():
                transaction.end(is_kept=False)
            raise
        finally:
            self._mine.open = None
            self._pool.give(transaction.connection)

    def ask(self, tenant: str, *statements: Asked) -> list[list[Row]]:
        """The rows of each statement, in one round trip."""
        transaction = self.open
        if transaction is not None:
            with self._explaining(transaction.connection):
                return transaction.ask(tenant, statements)
        connection = self._taken()
        try:
            with self._explaining(connection):
                return Transaction(connection, _ALONE).ask(tenant, statements)
        finally:
            self._pool.give(connection)

    def ask_last(self, tenant: str, *statements: Asked) -> list[list[Row]]:
        """The same, where nothing more is asked in the snapshot: its end goes along."""
        transaction = self.open
        if transaction is None or transaction.is_writing:
            return self.ask(tenant, *statements)
        with self._explaining(transaction.connection):
            return transaction.ask(tenant, statements, is_last=True)

    def rows(self, sql: str, **values: object) -> list[Row]:
        """All rows of a statement that is about no tenant."""
        return self.ask(_NOBODY, Asked(sql, values))[0]

    def run_script(self, script: str) -> None:
        """Run statements without values inside `with database:`."""
        transaction = self.open
        assert transaction is not None, "a script needs a transaction"
        with self._explaining(transaction.connection):
            transaction.begin()
            transaction.connection.execute(script.encode())

    @contextmanager
    def opened(self) -> Iterator[Database]:
        """Close the connections when the `with` block ends."""
        try:
            yield self
        finally:
            self.close()

    def close(self) -> None:
        """Close the connections; a later call opens others."""
        self._pool.close()

    def _taken(self) -> Connection:
        self.ready()
        remaining = _hurry.left()
        if remaining is not None and self._breaker.is_open:
            raise Unavailable(f"{self.name}: still unreachable; not tried again yet")
        try:
            return self._pool.take(self._patience if remaining is None else remaining)
        except Unavailable as error:
            self._breaker.trip()
            raise Unavailable(f"{self.name}: {error}") from error

    @contextmanager
    def _explaining(self, connection: Connection) -> Iterator[None]:
        try:
            yield
        except (psycopg.Error, TimeoutError) as error:
            if connection.closed:
                self._breaker.trip()
            raise explained(error, self.name) from error
        self._breaker.reset()

    @contextmanager
    def _quietly(self) -> Iterator[None]:
        """The error that is on its way says more than one of the clearing up."""
        try:
            yield
        except (psycopg.Error, TimeoutError):
            return


class Tenancy(NamedTuple):
    """A database as one tenant sees it."""

    database: Database
    tenant: str

    def rows(self, sql: str, **values: object) -> list[Row]:
        """All rows of a statement."""
        return self.database.ask(self.tenant, Asked(sql, values))[0]

    def row(self, sql: str, **values: object) -> Row | None:
        """The first row, if there is one."""
        rows = self.rows(sql, **values)
        return rows[0] if rows else None

    def run(self, sql: str, **values: object) -> None:
        """Change something."""
        self.rows(sql, **values)

    def ask(self, *statements: Asked) -> list[list[Row]]:
        """The rows of each statement, in one round trip."""
        return self.database.ask(self.tenant, *statements)


class Transaction:
    """What one thread does on one connection, from BEGIN to COMMIT."""

    def __init__(self, connection: Connection, begin: str) -> None:
        self.connection = connection
        self.depth = 0
        self.is_writing = begin == _WRITE
        self._begin = begin
        self._tenant = _NOBODY
        self._held: list[AbstractContextManager[Any]] = []
        self._before_commit: dict[object, Callable[[], None]] = {}
        self._is_kept = False
        self._is_over = False  # COMMIT was sent along with the last statement
        self.notes: dict[object, Any] = {}  # what parts of a store remember until it ends

    def ask(
        self, tenant: str, statements: Sequence[Asked], *, is_last: bool = False
    ) -> list[list[Row]]:
        """The rows of each statement; what has to be said before and after goes along."""
        before = self._before(tenant)
        asked = [(sql, {"tenant": tenant, **values}) for sql, values in statements]
        results = self._asked([*before, *asked, *([("COMMIT", {})] if is_last else [])])
        self._is_over = is_last
        return results[len(before) : len(before) + len(asked)]

    def begin(self) -> None:
        """Say BEGIN unless that was said."""
        if self._begin:
            self._asked(self._before(_NOBODY))

    def before_commit(self, key: object, act: Callable[[], None]) -> None:
        """Do this once before the transaction is kept."""
        self._before_commit.setdefault(key, act)

    def hold(self, resource: AbstractContextManager[T]) -> T:
        """Enter a context that ends after the transaction has, in the same way as it."""
        entered = resource.__enter__()
        self._held.append(resource)
        return entered

    def end(self, *, is_kept: bool) -> None:
        """Keep all, or nothing."""
        try:
            if is_kept:
                while self._before_commit:
                    _, act = self._before_commit.popitem()
                    act()
            if not (self._begin or self._is_over or self.connection.closed):
                self._asked([("COMMIT" if is_kept else "ROLLBACK", {})])
            self._is_kept = is_kept
        finally:
            if not self._is_kept:
                self.tell_ended()

    def tell_ended(self) -> None:
        """Let those who waited for the end know how it ended."""
        resources, self._held = self._held, []
        kind = None if self._is_kept else Unavailable
        for resource in resources:
            resource.__exit__(kind, None, None)

    def _before(self, tenant: str) -> list[tuple[str, dict[str, object]]]:
        """What has to be said first: BEGIN, and whose rows are asked for."""
        statements: list[tuple[str, dict[str, object]]] = [(self._begin, {})] if self._begin else []
        if tenant not in {self._tenant, _NOBODY}:
            statements.append((_BE, {"tenant": tenant}))
            self._tenant = tenant
        self._begin = ""
        return statements

    def _asked(self, statements: Sequence[tuple[str, dict[str, object]]]) -> list[list[Row]]:
        return self.connection.exchange.ask(statements)
