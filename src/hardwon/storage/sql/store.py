"""One store over a database: its parts, and what concerns all of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from hardwon.core._fork import cached_property
from hardwon.core.values.reflection import RUNS_KEPT
from hardwon.core.values.scope import Scope
from hardwon.storage.sql import scopes
from hardwon.storage.sql.dialect import SqlDatabase, read_queries
from hardwon.storage.sql.journal import Journal
from hardwon.storage.sql.lessons import SqlLessons
from hardwon.storage.sql.logs import SqlDeliveries, SqlEndedRuns, SqlFailures, SqlUnits
from hardwon.storage.sql.reports import SqlListing, SqlStatistics

if TYPE_CHECKING:
    from hardwon.storage.ports import ReflectionStore
    from hardwon.storage.sql.reflections import SqlDreams, SqlHistory
    from hardwon.storage.sql.vectors import SqlVectors

_SQL = read_queries(__file__)
# In this order. Lessons are moved elsewhere; the shelf stays while it has some.
_MOVES = [sql for name, sql in _SQL.items() if name.startswith("move_")]


class SqlStore:
    """Everything that is kept about agents, under one roof.

    What is rarely needed is imported on first use.
    """

    lessons: SqlLessons

    def __init__(self, database: SqlDatabase, journal: Journal) -> None:
        self.database = database
        # Everything stored inside `with store.together():` is kept as a whole or not at all.
        self.together = database.together
        # The state of a scope when it was last searched, None if that is not known; and whether it
        # is the same in the open transaction, so that what was read need not be read again.
        self.last_state, self.is_current = database.last_state, database.is_current
        self._journal = journal
        self.deliveries = SqlDeliveries(database, journal)
        self.failures = SqlFailures(database, journal)
        self.units = SqlUnits(database, journal)
        self.ended_runs = SqlEndedRuns(database, journal)
        self.statistics = SqlStatistics(database, journal)
        self.listing = SqlListing(database, journal)
        journal.on("failure", self.failures.fold)
        journal.on("unit", self.units.fold)
        journal.on("unit excluded", self.units.fold_excluded)
        journal.on("unit settled", self.units.fold_settled)
        journal.on("ended run", self.ended_runs.fold)
        journal.on("delivery", self.deliveries.fold)
        journal.on("outcome", lambda records: self.deliveries.fold_outcomes(records, anyway=True))
        journal.on("settled", lambda records: self.deliveries.fold_outcomes(records, anyway=False))

    @cached_property
    def reflections(self) -> ReflectionStore:
        from hardwon.storage.sql.reflections import SqlReflections

        return SqlReflections(self.database)

    @cached_property
    def runs(self) -> ReflectionStore:
        """Reflections on runs, which need no goal and no model."""
        from hardwon.storage.sql.reflections import SqlReflections

        return SqlReflections(self.database, "run", cap=RUNS_KEPT)

    @cached_property
    def dreams(self) -> SqlDreams:
        from hardwon.storage.sql.reflections import SqlDreams

        return SqlDreams(self.database)

    @cached_property
    def history(self) -> SqlHistory:
        from hardwon.storage.sql.reflections import SqlHistory

        return SqlHistory(self.database)

    @cached_property
    def vectors(self) -> SqlVectors:
        from hardwon.storage.sql.vectors import SqlVectors

        return SqlVectors(self.database)

    def receive(self, batch: str, records: Sequence[Sequence[object]]) -> None:
        """Fold in the records of another machine, once."""
        self._journal.receive(batch, records)

    @property
    def kinds(self) -> frozenset[str]:
        """The kinds of records that can be received."""
        return self._journal.kinds

    def on(self, kind: str, fold: Callable[[list[list[Any]]], None]) -> None:
        """Register a handler for records of a kind that the store itself does not handle."""
        self._journal.on(kind, fold)

    def tend(self) -> int:
        """Move records of the agents' path into the database."""
        return self._journal.fold()

    def shelves(self, tenant: str) -> dict[Scope, int]:
        """Where a tenant has active lessons, and how many; most first."""
        owned = list(scopes.of_tenant(self.database, tenant))
        rows = self.database.of(tenant).rows(_SQL["shelves"], shelves=owned)
        return {Scope(tenant, agent, project or None): active for agent, project, active in rows}

    def scopes(self, tenant: str, project: str) -> list[Scope]:
        """The scopes of all agents of a tenant that have something in this project."""
        self._journal.fold()
        every = scopes.of_tenant(self.database, tenant).values()
        return [scope for scope in every if scope.project == project]

    def move(self, scope: Scope, target: Scope) -> None:
        """Move the logs and counts of a scope to another scope; counts are added up."""
        self._journal.fold()
        with self.together():
            old, new = scopes.own(self.database, scope), scopes.ensure(self.database, target)
            for statement in _MOVES if old is not None else ():
                self.database.of(scope.tenant).run(statement, old=old, new=new)
            scopes.forget_notes(self.database)

    def forget(self, tenant: str) -> None:
        """Remove a tenant with everything it owns."""
        self._journal.fold()
        with self.database:
            self.database.of(tenant).run(_SQL["forget"])
            scopes.forget_notes(self.database)

    def note_forgotten(self, mark: str) -> None:
        """Let the other machines that share the store forget what waits there of a tenant."""

    def forgotten(self) -> dict[str, float]:
        """Tenants that other machines forgot lately, by the mark of their files, and when."""
        return {}

    def check(self) -> list[str]:
        """What is wrong with the stored data, in words; nothing when all is well."""
        raise NotImplementedError

    def close(self) -> None:
        """Release files and connections; what was stored stays."""
        if self._journal.is_full:
            self._journal.fold()
        self.database.close()
