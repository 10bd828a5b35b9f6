"""Copy all that one store keeps into another, in pages, resumable and verified."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from hashlib import blake2b
from itertools import chain, islice
from typing import NamedTuple

from hardwon.core import _files
from hardwon.core.errors import InvalidInput, StorageError
from hardwon.core.values.scope import Scope
from hardwon.knowledge.ranking.query import index
from hardwon.storage.postgres import schema
from hardwon.storage.postgres.connection import patient
from hardwon.storage.postgres.database import Database
from hardwon.storage.sql import lessons, scopes
from hardwon.storage.sql.dialect import Row, Tenancy, read_queries, values_clause
from hardwon.storage.sql.rows import COLUMNS, DELIVERY, DREAM, ENDED_RUN, REFLECTION, lesson_of
from hardwon.storage.sql.store import SqlStore
from hardwon.storage.stores.postgres import PostgresStore
from hardwon.storage.stores.sqlite import SqliteStore

_SQL = read_queries(__file__)
_MASK = (1 << 64) - 1


class Table(NamedTuple):
    """One table: its columns, and the key columns that identify and order its rows."""

    name: str
    columns: str
    key: str = "id"
    truths: tuple[str, ...] = ()  # boolean columns

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        return self.columns.split(", ")

    @property
    def whose(self) -> str:
        """The condition that a row is the tenant's."""
        return _SQL.get(f"of_{self.name}", _SQL["of_shelf"])

    def in_query(self, columns: str) -> str:
        """These columns in a query; the dialect knows a `number` only with its table."""
        return re.sub(r"\bnumber\b", f"{self.name}.number", columns)

    def key_of(self, row: Row) -> Row:
        """The values of the key columns of a row."""
        return tuple(row[self.names.index(name)] for name in self.key.split(", "))

    def values_of(self, row: Row) -> Row:
        """The row with numbers turned into booleans where needed."""
        pairs = zip(self.names, row, strict=True)
        return tuple(bool(value) if name in self.truths else value for name, value in pairs)


# Each after the tables that it refers to. The index is not copied: the target builds its own.
TABLES = (
    Table("shelves", "id, agent_id, project"),
    Table("lessons", f"id, shelf, {COLUMNS}", truths=("guard",)),
    Table("lesson_vectors", "id, lesson, shelf, embedder, vector"),
    Table("lesson_history", "id, shelf, lesson, act, before, at"),
    Table("reflections", f"id, shelf, kind, {REFLECTION}"),
    Table("reflection_words", "shelf, kind, word, reflection", "shelf, kind, word, reflection"),
    Table("deliveries", DELIVERY),
    Table("ended_runs", ENDED_RUN),
    Table("past_runs", "shelf, digest, state", "shelf, digest"),
    Table(
        "failures",
        "shelf, signature, text, met_count, first_at, last_at",
        "shelf, signature",
    ),
    Table("failure_days", "shelf, day, signature, met", "shelf, day, signature"),
    Table(
        "units",
        "shelf, run, family, door, withheld, share, at, lesson, wording, position, score, outcome",
        "shelf, run, family",
        ("withheld",),
    ),
    Table("dream_log", f"number, {DREAM}, created_at, shelf", "number"),
    Table(
        "dream_changes",
        "number, dream, kind, lesson, project, reason, before, after, tags",
        "number",
    ),
)


class Sum(NamedTuple):
    """The number of rows, and a digest of them that does not depend on their order."""

    rows: int
    digest: int


PAGE = 500  # rows
_NAMELESS = Scope()
_SETTLED = 8 * PAGE  # lessons that a server moves into its dictionary at once
# So that queries are planned for the present sizes; the server itself checks once a minute.
_MEASURE = "ANALYZE hardwon.lessons, hardwon.terms, hardwon.postings, hardwon.indexed"


class End:
    """One of the two stores. On a server the role of the URL owns the tables."""

    def __init__(self, place: str, home: str) -> None:
        self.name = "the database" if _files.is_database(place) else place
        self.server: Database | None = None
        self.store: SqlStore
        if _files.is_database(place):
            store = PostgresStore(place, home, fresh=_SETTLED)
            self.store, self.server = store, store.database
            schema.ensure(store.database, schema.AUTO)
        else:
            os.makedirs(place, mode=0o700, exist_ok=True)
            self.store = SqliteStore(place)
        self.store.tend()
        self.db = self.store.database

    def count(self, tenant: str, table: Table) -> int:
        """How many rows of a table are the tenant's."""
        sql = f"SELECT count(*) FROM hardwon.{table.name} WHERE {table.whose}"
        return int(self.db.of(tenant).rows(sql)[0][0])

    def pages(self, tenant: str, table: Table) -> Iterator[list[Row]]:
        """All rows of a tenant in a table, in the order of its key."""
        key, after = table.in_query(table.key), dict[str, object]()
        sql = f"SELECT {table.in_query(table.columns)} FROM hardwon.{table.name}"
        while True:
            later = f"AND ({key}) > ({values_clause(list(after))})" if after else ""
            rows = self.db.of(tenant).rows(
                f"{sql} WHERE {table.whose} {later} ORDER BY {key} LIMIT {PAGE}", **after
            )
            if not rows:
                return
            yield rows
            after = {f"k{at}": value for at, value in enumerate(table.key_of(rows[-1]))}

    def put(self, tenant: str, table: Table, rows: list[Row]) -> None:
        """Store the rows that are not there yet."""
        sql = _SQL["add_shelf"]
        if table.name != "shelves":
            sql = (
                f"INSERT INTO hardwon.{table.name} (tenant, {table.columns})"
                f" OVERRIDING SYSTEM VALUE VALUES (:tenant, {values_clause(table.names)})"
                " ON CONFLICT DO NOTHING"
            )
        with self.db:
            scopes.ensure_tenant(self.db, tenant)
            self.db.of(tenant).run_many(sql, table.names, [table.values_of(row) for row in rows])
            last = table.key_of(rows[-1])[0]
            if self.server and table.key in {"id", "number"} and isinstance(last, int):
                # No copied number may be assigned again.
                sequence = f"pg_get_serial_sequence('hardwon.{table.name}', '{table.key}')"
                raised = f"SELECT setval({sequence}, greatest(:last::bigint, nextval({sequence})))"
                self.server.rows(raised, last=last)

    def finish(self, tenants: list[str]) -> None:
        """Let every lesson be found."""
        self._measure()
        for own in map(self.db.of, tenants):
            every = lessons.every_row(own, list(scopes.of_tenant(self.db, own.tenant)))
            while rows := list(islice(every, PAGE)):
                with self.db:
                    self._index(own, rows)
        self.store.tend()
        self._measure()

    def _measure(self) -> None:
        if self.server:
            self.server.rows(_MEASURE)

    def _index(self, own: Tenancy, rows: list[Row]) -> None:
        """Add these lessons to the index unless they are in it."""
        existing = {
            number for (number,) in own.rows(_SQL["indexed"], lessons=[row[0] for row in rows])
        }
        for row in rows:
            if row[0] not in existing:
                keys = index(lesson_of(row, {row[1]: _NAMELESS}))
                self.store.lessons.index.note(own, row[1], row[0], keys, is_new=True)

    def set_salt(self, salt: str) -> None:
        """Make the coin of the hold-out fall as in the other store."""
        with self.db:
            self.db.of("").run(_SQL["set_salt"], salt=salt)


@patient()
def copy(
    source: str,
    target: str,
    *,
    home: str,
    resume: bool = False,
    tell: Callable[..., None] = lambda done, of, label: None,
) -> int:
    """Copy all tenants and verify the copy; returns the number of rows.

    A target with data is refused, unless `resume`: then existing rows stay as they are.
    `tell(done, of, label=…)` is called with the number of rows done, and of all rows.
    """
    old, new = End(source, home), End(target, home)
    try:
        if (known := new.db.tenants()) and not resume:
            problem = f"the target already has data of tenant {', '.join(known[:3])}"
            raise InvalidInput(f"{problem}; --resume continues a copy that was interrupted")
        tenants = old.db.tenants()
        total = sum(old.count(tenant, table) for tenant in tenants for table in TABLES)
        new.set_salt(old.store.units.salt())
        done = 0
        for tenant in tenants:
            for table in TABLES:
                for rows in old.pages(tenant, table):
                    tell(done, of=total, label="Copying")
                    new.put(tenant, table, rows)
                    done += len(rows)
            share = old.store.units.share(tenant)
            if share is not None:
                new.store.units.set_share(tenant, share)
        new.finish(tenants)
        _verify(old, new, tenants, partial(tell, of=total, label="Comparing"))
        return total
    finally:
        old.store.close()
        new.store.close()


def _verify(old: End, new: End, tenants: list[str], tell: Callable[[int], None]) -> None:
    """Compare counts and digests of every table, and let the target check itself."""
    done = 0
    for tenant in tenants:
        for table in TABLES:
            tell(done)
            copied, arrived = (_add_up(end.pages(tenant, table)) for end in (old, new))
            done += copied.rows
            if copied != arrived:
                problem = (
                    f"{table.name} of {tenant!r}: {arrived.rows} rows of {copied.rows}, or changed"
                )
                raise StorageError(new.name, problem, "copy again with --resume")
    if problems := new.store.check():
        raise StorageError(new.name, "; ".join(problems), "copy into an empty target")


def _add_up(pages: Iterable[list[Row]]) -> Sum:
    """The number of rows, and a digest of them."""
    count = digest = 0
    for row in chain.from_iterable(pages):
        plain = [value.hex() if isinstance(value, bytes) else value for value in row]
        plain = [int(value) if isinstance(value, bool) else value for value in plain]
        raw = blake2b(json.dumps(plain).encode(), digest_size=8).digest()
        count, digest = count + 1, (digest + int.from_bytes(raw, "big")) & _MASK
    return Sum(count, digest)
