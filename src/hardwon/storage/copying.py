"""Copy all that one store keeps into another, in pages, resumable and verified."""

from __future__ import annotations

import json
import os
from functools import partial
from hashlib import blake2b
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from hardwon.core import _files
from hardwon.core.errors import InvalidInput, StorageError
from hardwon.core.values.scope import Scope
from hardwon.knowledge.ranking.query import index
from hardwon.storage.postgres import schema
from hardwon.storage.postgres.connection import patient
from hardwon.storage.postgres.database import Database
from hardwon.storage.sql import lessons, scopes
from hardwon.storage.sql.dialect import Statement
from hardwon.storage.sql.rows import COLUMNS, DELIVERY, DREAM, ENDED_RUN, REFLECTION, lesson_of
from hardwon.storage.stores.postgres import PostgresStore
from hardwon.storage.stores.sqlite import SqliteStore
from hardwon.storage.stores.sqlite.database import Database as File
from hardwon.storage.stores.sqlite.database import marks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

    from hardwon.storage.sql.dialect import Tenancy

    Row = tuple[Any, ...]


_MASK = (1 << 64) - 1


class Table(NamedTuple):
    """One table: its columns, and the key columns that identify and order its rows."""

    name: str
    columns: tuple[str, ...]
    key: tuple[str, ...]
    truths: frozenset[str] = frozenset()  # boolean columns

    def key_of(self, row: Row) -> Row:
        """The values of the key columns of a row."""
        return tuple(row[self.columns.index(name)] for name in self.key)


def _table(name: str, columns: str, key: str = "id", truths: str = "") -> Table:
    return Table(
        name, tuple(columns.split(", ")), tuple(key.split(", ")), frozenset(truths.split())
    )


# Each after the tables that it refers to. The index is not copied: the target builds its own.
TABLES = (
    _table("shelves", "id, agent_id, project"),
    _table("lessons", f"id, shelf, {COLUMNS}", truths="guard"),
    _table("lesson_vectors", "id, lesson, shelf, embedder, vector"),
    _table("lesson_history", "id, shelf, lesson, act, before, at"),
    _table("reflections", f"id, shelf, kind, {REFLECTION}"),
    _table("reflection_words", "shelf, kind, word, reflection", "shelf, kind, word, reflection"),
    _table("deliveries", DELIVERY),
    _table("ended_runs", ENDED_RUN),
    _table("past_runs", "shelf, digest, state", "shelf, digest"),
    _table(
        "failures",
        "shelf, signature, text, met_count, first_at, last_at",
        "shelf, signature",
    ),
    _table("failure_days", "shelf, day, signature, met", "shelf, day, signature"),
    _table(
        "units",
        "shelf, run, family, door, withheld, share, at, lesson, wording, position, score, outcome",
        "shelf, run, family",
        "withheld",
    ),
    _table("dream_log", f"number, {DREAM}, created_at, shelf", "number"),
    _table(
        "dream_changes",
        "number, dream, kind, lesson, project, reason, before, after, tags",
        "number",
    ),
)


class Sum(NamedTuple):
    """The number of rows, and a digest of them that does not depend on their order."""

    rows: int = 0
    digest: int = 0

    def plus(self, rows: Iterable[Row]) -> Sum:
        """The sum with more rows."""
        count, digest = self
        for row in rows:
            text = json.dumps([_plain(value) for value in row]).encode()
            raw = blake2b(text, digest_size=8).digest()
            count, digest = count + 1, (digest + int.from_bytes(raw, "big")) & _MASK
        return Sum(count, digest)


def _plain(value: object) -> object:
    if isinstance(value, bool):
        return int(value)
    return value.hex() if isinstance(value, bytes) else value


PAGE = 500  # rows
_SETTLED = 8 * PAGE  # lessons that a server moves into its dictionary at once
_NAMELESS = Scope()
_OF_TENANT = "SELECT s.id FROM shelves AS s JOIN tenants AS t ON t.id = s.tenant WHERE t.name = ?"
_WHOSE = {
    "shelves": "tenant = (SELECT id FROM tenants WHERE name = ?)",
    "dream_changes": f"dream IN (SELECT id FROM dream_log WHERE shelf IN ({_OF_TENANT}))",
}
_UNINDEXED = f"""
SELECT l.id, l.shelf, {COLUMNS} FROM lessons AS l WHERE l.id > ?
AND NOT EXISTS (SELECT 1 FROM indexed AS i WHERE i.lesson = l.id)
AND NOT EXISTS (SELECT 1 FROM fresh AS f WHERE f.lesson = l.id)
ORDER BY l.id LIMIT {PAGE}
"""
_KNOWN = """
SELECT lesson FROM hardwon.indexed
WHERE tenant = :tenant AND lesson = ANY(:lessons::bigint[])
UNION ALL
SELECT lesson FROM hardwon.fresh WHERE tenant = :tenant AND lesson = ANY(:lessons::bigint[])
"""
# So that queries are planned for the present sizes; the server itself checks once a minute.
_MEASURE = "ANALYZE hardwon.lessons, hardwon.terms, hardwon.postings, hardwon.indexed"
_NOTE = """
INSERT INTO hardwon.fresh (tenant, shelf, lesson, is_new, entries)
SELECT :tenant, shelf, lesson, true, entries
FROM unnest(:shelves::bigint[], :lessons::bigint[], :entries::text[])
AS noted (shelf, lesson, entries)
"""


def pages(end: End, tenant: str, table: Table) -> Iterator[list[Row]]:
    """All rows of a tenant in a table, in the order of its key."""
    after: Row | None = None
    while rows := end.page(tenant, table, after):
        yield rows
        after = table.key_of(rows[-1])


def _entries(rows: Iterable[Row]) -> Iterator[tuple[int, int, str]]:
    """Shelf, lesson and packed index keys of each row."""
    for row in rows:
        lesson = lesson_of(row, {row[1]: _NAMELESS})
        yield row[1], row[0], json.dumps(index(lesson))


class FileEnd:
    """A SQLite store."""

    def __init__(self, home: str) -> None:
        os.makedirs(home, mode=0o700, exist_ok=True)
        self.store = SqliteStore(home, fresh=0)
        self.store.tend()
        self._file = File(os.path.join(home, "hardwon.db"))

    def tenants(self) -> list[str]:
        return [name for (name,) in self._file.rows("SELECT name FROM tenants ORDER BY name")]

    def count(self, tenant: str, table: Table) -> int:
        """How many rows of a table are the tenant\'s."""
        sql = f"SELECT count(*) FROM {table.name} WHERE {_whose(table)}"
        return int(self._file.rows(sql, (tenant,))[0][0])

    def page(self, tenant: str, table: Table, after: Row | None) -> list[Row]:
        key = _column_list(table.key)
        later = f"AND ({key}) > ({marks(table.key)})" if after else ""
        return self._file.rows(
            f"SELECT {_column_list(table.columns)} FROM {table.name} WHERE {_whose(table)} {later}"
            f" ORDER BY {key} LIMIT {PAGE}",
            (tenant, *(after or ())),
        )

    def put(self, tenant: str, table: Table, rows: list[Row]) -> None:
        with self._file as file:
            if table.name == "shelves":
                file.run("INSERT OR IGNORE INTO tenants (name) VALUES (?)", (tenant,))
                sql = (
                    "INSERT OR IGNORE INTO shelves (id, agent_id, project, tenant)"
                    " SELECT ?, ?, ?, id FROM tenants WHERE name = ?"
                )
                file.run_many(sql, [(*row, tenant) for row in rows])
                return
            sql = f"INSERT OR IGNORE INTO {table.name} ({_column_list(table.columns)})"
            file.run_many(f"{sql} VALUES ({marks(table.columns)})", rows)

    def finish(self, tenants: list[str]) -> None:
        """Let every lesson be found."""
        last = 0
        while rows := self._file.rows(_UNINDEXED, (last,)):
            last = rows[-1][0]
            with self._file as file:
                file.run_many(
                    "INSERT INTO fresh (shelf, lesson, is_new, entries) VALUES (?, ?, 1, ?)",
                    list(_entries(rows)),
                )
        with self.store.together():
            self.store.lessons.settle()

    def set_salt(self, salt: str) -> None:
        with self._file as file:
            file.run("UPDATE proof_salt SET salt = ?", (salt,))

    def close(self) -> None:
        self._file.close()
        self.store.close()


class ServerEnd:
    """A PostgreSQL store; the role of its URL owns the tables."""

    def __init__(self, url: str, home: str) -> None:
        self.store = PostgresStore(url, home)
        self.store.fold()
        self._db: Database = self.store.database
        schema.ensure(self._db, schema.AUTO)

    def tenants(self) -> list[str]:
        return [name for (name,) in self._db.rows("SELECT name FROM hardwon.tenants ORDER BY name")]

    def count(self, tenant: str, table: Table) -> int:
        """How many rows of a table are the tenant\'s."""
        sql = f"SELECT count(*) FROM hardwon.{table.name} WHERE tenant = :tenant"
        return int(self._db.of(tenant).rows(sql)[0][0])

    def page(self, tenant: str, table: Table, after: Row | None) -> list[Row]:
        key = ", ".join(table.key)
        values = {f"k{at}": value for at, value in enumerate(after or ())}
        later = f"AND ({key}) > ({', '.join(f':{name}' for name in values)})" if after else ""
        return self._db.of(tenant).rows(
            f"SELECT {', '.join(table.columns)} FROM hardwon.{table.name}"
            f" WHERE tenant = :tenant {later} ORDER BY {key} LIMIT {PAGE}",
            **values,
        )

    def put(self, tenant: str, table: Table, rows: list[Row]) -> None:
        sql = (
            f"INSERT INTO hardwon.{table.name} (tenant, {', '.join(table.columns)})"
            f" OVERRIDING SYSTEM VALUE VALUES (:tenant,"
            f" {', '.join(f':{name}' for name in table.columns)}) ON CONFLICT DO NOTHING"
        )
        with self._db:
            own = self._db.of(tenant)
            own.run("INSERT INTO hardwon.tenants VALUES (:tenant) ON CONFLICT DO NOTHING")
            own.ask(*(Statement(sql, _typed_values(table, row)) for row in rows))
            if table.key in {("id",), ("number",)} and isinstance(table.key_of(rows[-1])[0], int):
                self._raise_sequence(table, table.key_of(rows[-1])[0])

    def _raise_sequence(self, table: Table, last: int) -> None:
        """Raise the sequence of a table, so that no copied number is assigned again."""
        sequence = f"pg_get_serial_sequence('hardwon.{table.name}', '{table.key[0]}')"
        self._db.rows(
            f"SELECT setval({sequence}, greatest(:last::bigint, nextval({sequence})))", last=last
        )

    def finish(self, tenants: list[str]) -> None:
        """Let every lesson be found."""
        noted = settled = measured = 0
        self._db.rows(_MEASURE)
        for own in map(self._db.of, tenants):
            shelves = list(scopes.of_tenant(self._db, own.tenant))
            every = lessons.every_row(own, shelves)
            while rows := list(islice(every, PAGE)):
                noted += _note(own, rows)
                if noted - settled >= _SETTLED:
                    self.store.tend()
                    settled = noted
                if settled >= 2 * measured:
                    self._db.rows(_MEASURE)
                    measured = settled
        self.store.tend()
        self._db.rows(_MEASURE)

    def set_salt(self, salt: str) -> None:
        self._db.rows("UPDATE hardwon.proof_salt SET salt = :salt", salt=salt)

    def close(self) -> None:
        self.store.close()


End = FileEnd | ServerEnd


def _note(own: Tenancy, rows: list[Row]) -> int:
    """Add these lessons to the index unless they are in it; returns how many were added."""
    existing = {number for (number,) in own.rows(_KNOWN, lessons=[row[0] for row in rows])}
    new = list(_entries(row for row in rows if row[0] not in existing))
    if new:
        shelves, numbers, entries = map(list, zip(*new, strict=True))
        own.run(_NOTE, shelves=shelves, lessons=numbers, entries=entries)
    return len(new)


def _whose(table: Table) -> str:
    """The condition that a row of a SQLite table is a tenant's."""
    return _WHOSE.get(table.name, f"shelf IN ({_OF_TENANT})")


def _column_list(columns: Iterable[str]) -> str:
    """The names of the columns in SQLite."""
    return ", ".join("rowid" if name == "number" else name for name in columns)


def _typed_values(table: Table, row: Row) -> dict[str, object]:
    """The values of a row by column, with numbers turned into booleans where needed."""
    return {
        name: bool(value) if name in table.truths else value
        for name, value in zip(table.columns, row, strict=True)
    }


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
    old, new = _end(source, home), _end(target, home)
    try:
        if new.tenants() and not resume:
            problem = f"the target already has data of tenant {', '.join(new.tenants()[:3])}"
            raise InvalidInput(f"{problem}; --resume continues a copy that was interrupted")
        tenants = old.tenants()
        total = sum(old.count(tenant, table) for tenant in tenants for table in TABLES)
        new.set_salt(old.store.units.salt())
        _transfer(old, new, tenants, partial(tell, of=total, label="Copying"))
        new.finish(tenants)
        _verify(old, new, tenants, target, partial(tell, of=total, label="Comparing"))
        return total
    finally:
        old.close()
        new.close()


def _transfer(
    old: End,
    new: End,
    tenants: list[str],
    tell: Callable[[int], None],
) -> None:
    """Put all rows of these tenants into the new store."""
    done = 0
    for tenant in tenants:
        for table in TABLES:
            for rows in pages(old, tenant, table):
                tell(done)
                new.put(tenant, table, rows)
                done += len(rows)
        share = old.store.units.share(tenant)
        if share is not None:
            new.store.units.set_share(tenant, share)


def _end(place: str, home: str) -> End:
    return ServerEnd(place, home) if _files.is_database(place) else FileEnd(place)


def _verify(
    old: End,
    new: End,
    tenants: list[str],
    target: str,
    tell: Callable[[int], None],
) -> None:
    """Compare counts and digests of every table, and let the target check itself."""
    done = 0
    for tenant in tenants:
        for table in TABLES:
            tell(done)
            copied, arrived = _sum(old, tenant, table), _sum(new, tenant, table)
            done += copied.rows
            if copied != arrived:
                problem = (
                    f"{table.name} of {tenant!r}: {arrived.rows} rows of {copied.rows}, or changed"
                )
                raise StorageError(_place_name(target), problem, "copy again with --resume")
    if problems := new.store.check():
        raise StorageError(_place_name(target), "; ".join(problems), "copy into an empty target")


def _sum(end: End, tenant: str, table: Table) -> Sum:
    total = Sum()
    for rows in pages(end, tenant, table):
        total = total.plus(rows)
    return total


def _place_name(target: str) -> str:
    return "the database" if _files.is_database(target) else target
