"""The embedded default: one SQLite file in the home directory, a spool beside it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from hardwon.core._fork import cached_property
from hardwon.core.values.scope import Scope
from hardwon.storage.stores.journal import Journal
from hardwon.storage.stores.spool import Spool
from hardwon.storage.stores.sqlite import scopes
from hardwon.storage.stores.sqlite.database import Database
from hardwon.storage.stores.sqlite.deliveries import SqliteDeliveries
from hardwon.storage.stores.sqlite.inverted.search import FRESH
from hardwon.storage.stores.sqlite.lessons import SqliteLessons

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from hardwon.storage.ports import DreamStore, ReflectionStore, VectorStore
    from hardwon.storage.stores.sqlite import (
        ended_runs,
        failures,
        history,
        listing,
        statistics,
        units,
    )


_FOLDED = (
    "CREATE TABLE IF NOT EXISTS folded (batch TEXT PRIMARY KEY, at INTEGER NOT NULL) STRICT",
    "CREATE INDEX IF NOT EXISTS folded_at ON folded (at)",
)
_REMEMBERED = 30 * 86_400  # seconds that a batch may be sent again


class SqliteStore:
    """Everything in `<home>/hardwon.db`, or in the local copy of a server."""

    def __init__(self, home: str, *, fresh: int = FRESH, copy_of: str = "") -> None:
        if copy_of:
            from hardwon.storage.stores.sqlite import mirror

            self._db, self._journal = mirror.opened(home, copy_of)
        else:
            self._db, self._journal = _opened(home)
        self.lessons = SqliteLessons(self._db, fresh)
        self._journal.on("unit", lambda records: self.units.fold(records))
        self._journal.on("unit excluded", lambda records: self.units.fold_excluded(records))
        self._journal.on("unit settled", lambda records: self.units.fold_settled(records))
        self._journal.on("ended run", lambda records: self.ended_runs.fold(records))
        self._journal.on("made", lambda _: None)  # notes of older builds
        self.deliveries = SqliteDeliveries(self._db, self._journal)
        if self._db.was_migrated:
            with self._db:  # merge waiting rows now, not at the next recall
                self.lessons.publish_guards()

    @cached_property
    def reflections(self) -> ReflectionStore:
        from hardwon.storage.stores.sqlite import reflections

        return reflections.SqliteReflections(self._db)

    @cached_property
    def runs(self) -> ReflectionStore:
        from hardwon.storage.stores.sqlite import reflections

        return reflections.on_runs(self._db)

    @cached_property
    def dreams(self) -> DreamStore:
        from hardwon.storage.stores.sqlite import dreams

        return dreams.SqliteDreams(self._db)

    @cached_property
    def failures(self) -> failures.SqliteFailures:
        from hardwon.storage.stores.sqlite import failures

        return failures.SqliteFailures(self._db)

    @cached_property
    def units(self) -> units.SqliteUnits:
        from hardwon.storage.stores.sqlite import units

        return units.SqliteUnits(self._db, self._journal)

    @cached_property
    def statistics(self) -> statistics.SqliteStatistics:
        from hardwon.storage.stores.sqlite import statistics

        return statistics.SqliteStatistics(self._db, self._journal)

    @cached_property
    def listing(self) -> listing.SqliteListing:
        from hardwon.storage.stores.sqlite import listing

        return listing.SqliteListing(self._db, self._journal)

    @cached_property
    def ended_runs(self) -> ended_runs.SqliteEndedRuns:
        from hardwon.storage.stores.sqlite import ended_runs

        return ended_runs.SqliteEndedRuns(self._db, self._journal)

    @cached_property
    def history(self) -> history.SqliteHistory:
        from hardwon.storage.stores.sqlite import history

        return history.SqliteHistory(self._db)

    def on(self, kind: str, fold: Callable[[list[list[Any]]], None]) -> None:
        """Register a handler for records of a kind that the store itself does not handle."""
        self._journal.on(kind, fold)

    def receive(self, batch: str, records: Sequence[Sequence[object]]) -> None:
        """Fold in the records of another machine, once."""
        self._journal.receive(batch, records)

    def together(self) -> Database:
        return self._db

    def shelves(self, tenant: str) -> dict[Scope, int]:
        rows = self._db.rows(
            "SELECT agent_id, project, count(*) FROM lessons_by_agent"
            " WHERE tenant = ? AND status IN ('candidate', 'proven')"
            " GROUP BY agent_id, project ORDER BY count(*) DESC, agent_id, project",
            (tenant,),
        )
        return {Scope(tenant, agent, project or None): active for agent, project, active in rows}

    @cached_property
    def vectors(self) -> VectorStore:
        from hardwon.storage.stores.sqlite import vectors

        return vectors.SqliteVectors(self._db)

    def tend(self) -> int:
        """Move records of the agents' path into the database."""
        return self._journal.fold()

    def scopes(self, tenant: str, project: str) -> list[Scope]:
        self._journal.fold()
        every = scopes.every(self._db).values()
        return [scope for scope in every if (scope.tenant, scope.project) == (tenant, project)]

    def move(self, scope: Scope, target: Scope) -> None:
        self._journal.fold()
        with self._db as db:
            old, new = scopes.own(db, scope), scopes.ensure(db, target)
            if old is not None:
                from hardwon.storage.stores.sqlite import moving

                moving.move(db, old, new)

    def forget(self, tenant: str) -> None:
        self._journal.fold()
        with self._db as db:
            db.run("DELETE FROM tenants WHERE name = ?", (tenant,))
            db.forget_shelves()
            self.lessons.publish_guards()

    def check(self) -> list[str]:
        self._journal.fold()
        with self._db:  # a home that was copied may lack the file
            self.lessons.publish_guards()
        messages = [row[0] for row in self._db.rows("PRAGMA quick_check(5)")]
        broken = self._db.rows("PRAGMA foreign_key_check")
        problems = [text for text in messages if text != "ok"]
        problems += [f"orphan in {row[0]}" for row in broken[:5]]
        return problems or self.lessons.quarantine_damaged()

    def close(self) -> None:
        if self._journal.is_full:
            self._journal.fold()
        self._db.close()


def _opened(home: str) -> tuple[Database, Journal]:
    database = Database(os.path.join(home, "hardwon.db"))
    spool = Spool(os.path.join(home, "deliveries.spool"))
    return database, Journal(database, spool, is_new=lambda batch: _is_new(database, batch))


def _is_new(database: Database, batch: str) -> bool:
    """Whether a batch of records was not folded in before; it is noted as folded in now."""
    for statement in _FOLDED:
        database.run(statement)
    database.run("DELETE FROM folded WHERE at < unixepoch() - ?", (_REMEMBERED,))
    return bool(
        database.rows("INSERT OR IGNORE INTO folded VALUES (?, unixepoch()) RETURNING 1", (batch,))
    )
