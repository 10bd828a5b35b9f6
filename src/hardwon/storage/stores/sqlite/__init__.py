"""The embedded default: one SQLite file in the home directory, a spool beside it; or no file."""

from __future__ import annotations

import os
import sqlite3
from functools import lru_cache
from typing import Any

from hardwon.core._fork import ForkLock
from hardwon.core.values.lesson import EPOCH, SHELVED, Lesson, statuses
from hardwon.core.values.report import ListQuery
from hardwon.core.values.scope import Scope
from hardwon.knowledge.ranking.query import index
from hardwon.storage.sql import scopes
from hardwon.storage.sql.dialect import Row, Statement, read_queries
from hardwon.storage.sql.journal import Journal, MemorySpool, Spool
from hardwon.storage.sql.lessons import SqlLessons
from hardwon.storage.sql.reports import ORDERS, SqlListing, quoted_tag
from hardwon.storage.sql.rows import ALL_TEXT, COLUMNS, damage, lesson_of, values_of
from hardwon.storage.sql.store import SqlStore
from hardwon.storage.stores import guard_file
from hardwon.storage.stores.sqlite.database import Database, connect, marks, migrate
from hardwon.storage.stores.sqlite.inverted import FRESH, Index

_SQL = read_queries(__file__, COLUMNS=COLUMNS, MARKS=marks(COLUMNS.split(", ")), ALL_TEXT=ALL_TEXT)
_FEW = 2_000  # candidates for a text: up to this many are sorted, more are read in order


class SqliteLessons(SqlLessons):
    """The lesson store of the embedded default."""

    index: Index

    def __init__(self, database: Database, fresh: int = FRESH) -> None:
        self._file = database
        super().__init__(database, Index(database, fresh))
        self._illegible: set[int] = set()

    def place(self, lesson: Lesson) -> None:
        """Store a lesson under the number that another store gave it.

        `index.settle_all` must follow. A lesson of the same job under another number is replaced.
        """
        db, shelf = self._file, scopes.ensure(self._file, lesson.scope)
        rows = db.rows(_SQL["by_id"], (lesson.id,))
        if lesson.job:
            rows += db.rows(_SQL["of_job"], (shelf, lesson.job))
        replaced = {row[:2] for row in rows} - {(lesson.id, shelf)}
        for number, old_shelf in replaced:
            self.delete(scopes.every(db)[old_shelf], number)
        if len(rows) > len(replaced):
            self.update(lesson)
            return
        db.run(_SQL["insert"], (lesson.id, shelf, *values_of(lesson)))
        self.index.place(shelf, lesson.id, index(lesson))
        if lesson.guard:
            self.publish_guards()

    def publish_guards(self) -> None:
        """Rewrite the file of forbidden calls. Call inside `with database:`."""
        if not self._file.is_file:
            return
        owners, rows = (
            scopes.every(self._file),
            self._file.rows(_SQL["guards"].format(marks(SHELVED)), SHELVED),
        )
        home = os.path.dirname(self._file.path)
        guard_file.write(home, [lesson_of(row, owners) for row in rows])

    def quarantine_damaged(self, tenant: str) -> list[str]:
        rows = self._file.rows(_SQL["bytes"])
        self._illegible = {at for at, raw in rows if raw.decode(errors="ignore").encode() != raw}
        return super().quarantine_damaged(tenant)

    def _damage(self, row: Row, owners: dict[int, Scope]) -> str:
        return "not UTF-8" if row[0] in self._illegible else damage(row, owners)


class SqliteListing(SqlListing):
    """Lists that use the index of trigrams while it names few lessons."""

    def _first_ids(self, query: ListQuery, shelves: list[int], condition: Statement) -> list[Row]:
        tenancy, (where, values) = self._db.of(query.place.tenant), condition
        few = _SQL["count"].format(where, _FEW + 1)
        if not (query.text or query.tag) or tenancy.rows(few, **values)[0][0] > _FEW:
            return super()._first_ids(query, shelves, condition._replace(sql="TRUE"))
        place, number = query.after or (float("inf"), "0")
        places = {"shelves": shelves, "statuses": statuses(query.status), "limit": query.limit}
        sql = _SQL["candidates"].format(where, ORDERS[query.order])
        wanted = {"at": place, "id": int(number), "tag": quoted_tag(query)}
        return tenancy.rows(sql, **wanted, **places, **values)


_REMEMBERED = 30 * 86_400  # seconds in which a batch may be sent again


class SqliteStore(SqlStore):
    """Everything in `<home>/hardwon.db`, or in the local copy of a server."""

    lessons: SqliteLessons

    def __init__(self, home: str, *, fresh: int = FRESH, copy_of: str = "") -> None:
        self._db, journal = self._open(home, copy_of)
        super().__init__(self._db, journal)
        self.listing: SqlListing = SqliteListing(self._db, journal)
        self.lessons = SqliteLessons(self._db, fresh)
        journal.on("made", lambda _: None)  # notes of older builds
        if self._db.was_migrated:
            with self._db:
                self.lessons.publish_guards()
                self.lessons.index.settle_all()  # now, not at the next recall

    def _open(self, home: str, copy_of: str) -> tuple[Database, Journal]:
        if copy_of:
            from hardwon.storage.stores.sqlite import mirror

            return mirror.open_copy(home, copy_of)
        database = Database(os.path.join(home, "hardwon.db"))
        spool = Spool(os.path.join(home, "deliveries.spool"))
        return database, Journal(database, spool, is_new=self._is_new)

    def tend(self) -> int:
        self.lessons.index.tend()
        return super().tend()

    def forget(self, tenant: str) -> None:
        with self._db:
            super().forget(tenant)
            self.lessons.publish_guards()

    def check(self) -> list[str]:
        self._journal.fold()
        with self._db:  # a home that was copied may lack the file
            self.lessons.publish_guards()
        messages = [row[0] for row in self._db.rows("PRAGMA quick_check(5)")]
        orphans = self._db.rows("PRAGMA foreign_key_check")
        problems = [text for text in messages if text != "ok"]
        problems += [f"orphan in {row[0]}" for row in orphans[:5]]
        if problems:
            return problems
        tenants = self._db.tenants()
        return [text for tenant in tenants for text in self.lessons.quarantine_damaged(tenant)]

    def _is_new(self, batch: str) -> bool:
        """Whether a batch of another machine was not folded in before; it is noted as such."""
        for statement in (_SQL["table_folded"], _SQL["index_folded"]):
            self._db.run(statement)
        self._db.run(_SQL["forget_folded"], (_REMEMBERED,))
        return bool(self._db.rows(_SQL["note_folded"], (batch,)))


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
        self._end(is_kept=False)


@lru_cache(maxsize=1)
def _empty() -> sqlite3.Connection:
    """A database with all tables and no rows: copying it costs a tenth of migrating again."""
    connection = connect(_NO_FILE)
    migrate(connection, _NO_FILE)
    return connection
