"""The embedded default: one SQLite file in the home directory, a spool beside it."""

from __future__ import annotations

import os

from hardwon.core._fork import cached_property
from hardwon.storage.sql.journal import Journal, Spool
from hardwon.storage.sql.store import SqlStore
from hardwon.storage.stores.sqlite.database import Database
from hardwon.storage.stores.sqlite.inverted.search import FRESH
from hardwon.storage.stores.sqlite.lessons import SqliteLessons, SqliteListing

_FOLDED = (
    "CREATE TABLE IF NOT EXISTS folded (batch TEXT PRIMARY KEY, at INTEGER NOT NULL) STRICT",
    "CREATE INDEX IF NOT EXISTS folded_at ON folded (at)",
)
_REMEMBERED = 30 * 86_400  # seconds in which a batch may be sent again


class SqliteStore(SqlStore):
    """Everything in `<home>/hardwon.db`, or in the local copy of a server."""

    def __init__(self, home: str, *, fresh: int = FRESH, copy_of: str = "") -> None:
        self._db, journal = self._open(home, copy_of)
        super().__init__(self._db, journal)
        self.lessons = SqliteLessons(self._db, fresh)
        journal.on("made", lambda _: None)  # notes of older builds
        if self._db.was_migrated:
            with self._db:
                self.lessons.publish_guards()
                self.lessons.settle()  # now, not at the next recall

    def _open(self, home: str, copy_of: str) -> tuple[Database, Journal]:
        if copy_of:
            from hardwon.storage.stores.sqlite import mirror

            return mirror.open_copy(home, copy_of)
        database = Database(os.path.join(home, "hardwon.db"))
        spool = Spool(os.path.join(home, "deliveries.spool"))
        return database, Journal(database, spool, is_new=self._is_new)

    @cached_property
    def listing(self) -> SqliteListing:
        return SqliteListing(self._db, self._journal)

    def tend(self) -> int:
        self.lessons.tend()
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
        for statement in _FOLDED:
            self._db.run(statement)
        self._db.run("DELETE FROM folded WHERE at < unixepoch() - ?", (_REMEMBERED,))
        noted = "INSERT OR IGNORE INTO folded VALUES (?, unixepoch()) RETURNING batch"
        return bool(self._db.rows(noted, (batch,)))

    def close(self) -> None:
        if self._journal.is_full:
            self._journal.fold()
        self._db.close()
