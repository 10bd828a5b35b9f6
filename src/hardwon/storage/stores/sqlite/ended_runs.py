"""Ended runs in SQLite."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hardwon.core.errors import NotFound
from hardwon.core.values.scope import Scope
from hardwon.storage.stores.journal import RunNotes
from hardwon.storage.stores.records import ENDED_RUN, ended_run_of
from hardwon.storage.stores.sqlite import scopes
from hardwon.storage.stores.sqlite.database import marks

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from hardwon.core.values.report import ListQuery, Place, Window
    from hardwon.core.values.run import EndedRun
    from hardwon.storage.stores.journal import Journal
    from hardwon.storage.stores.sqlite.database import Database

_ENDLESS = float("inf")
_AT_ONCE = 500  # digests in one query
_BRIEF = ENDED_RUN.replace("steps, shown", "'[]', '[]'")
_RECENT = """
SELECT {0} FROM ended_runs WHERE shelf IN ({1}) AND ended_at <= ? AND (ended_at < ? OR id > ?)
AND instr(lower(task), ?) ORDER BY ended_at DESC, id LIMIT ?
"""
_FIND = """
SELECT {0} FROM ended_runs WHERE shelf IN ({1}) AND id >= ? AND id < ?
ORDER BY ended_at DESC, id LIMIT 1
"""
_LATEST = """
SELECT id FROM ended_runs WHERE shelf IN ({0}) AND ended_at >= ?
ORDER BY ended_at DESC, id LIMIT ?
"""
_OLD = """
DELETE FROM ended_runs WHERE shelf IN ({0}) AND (ended_at < ? OR id NOT IN (
    SELECT id FROM ended_runs WHERE shelf IN ({0}) ORDER BY ended_at DESC, id LIMIT ?
))
"""


class SqliteEndedRuns(RunNotes):
    """Runs are noted in the journal and folded in off the agent's path."""

    def __init__(self, database: Database, journal: Journal) -> None:
        self._db = database
        self._journal = journal

    def get(self, place: Place, run: str) -> EndedRun:
        self._journal.fold()
        shelves = scopes.of_place(self._db, place)
        sql = _FIND.format(ENDED_RUN, marks(shelves))
        row = self._db.row(sql, (*shelves, run, f"{run}\uffff")) if run else None
        if row is None:
            raise NotFound("run", run)
        return ended_run_of(row, shelves)

    def recent(self, query: ListQuery) -> list[EndedRun]:
        self._journal.fold()
        shelves = scopes.of_place(self._db, query.place)
        at, last = query.after or (_ENDLESS, "")
        sql = _RECENT.format(_BRIEF, marks(shelves))
        values = (*shelves, at, at, last, query.text.lower(), query.limit)
        return [ended_run_of(row, shelves) for row in self._db.rows(sql, values)]

    def latest(self, window: Window, *, limit: int) -> Iterator[EndedRun]:
        self._journal.fold()
        owners = scopes.of_tenant(self._db, window.scope.tenant)
        shelves = scopes.covered(self._db, window)
        rows = self._db.rows(
            _LATEST.format(marks(shelves)), (*shelves, window.since.timestamp(), limit)
        )
        for (number,) in reversed(rows):
            if row := self._db.row(f"SELECT {ENDED_RUN} FROM ended_runs WHERE id = ?", (number,)):
                yield ended_run_of(row, owners)

    def prune(self, tenant: str, *, before: datetime, most: int) -> int:
        self._journal.fold()
        shelves = tuple(scopes.of_tenant(self._db, tenant))
        count = f"SELECT count(*) FROM ended_runs WHERE shelf IN ({marks(shelves)})"
        with self._db as db:
            before_count = db.rows(count, shelves)[0][0]
            values = (*shelves, before.timestamp(), *shelves, most)
            db.run(_OLD.format(marks(shelves)), values)
            return int(before_count - db.rows(count, shelves)[0][0])

    def past(self, scope: Scope, digests: Sequence[str]) -> dict[str, str]:
        shelf, found = scopes.own(self._db, scope), dict[str, str]()
        for start in range(0, len(digests), _AT_ONCE):
            some = digests[start : start + _AT_ONCE]
            sql = (
                f"SELECT digest, state FROM past_runs WHERE shelf = ? AND digest IN ({marks(some)})"
            )
            found.update(self._db.rows(sql, (shelf, *some)))
        return found

    def note_past(self, scope: Scope, digest: str, state: str) -> None:
        with self._db as db:
            shelf = scopes.ensure(db, scope)
            db.run("INSERT OR REPLACE INTO past_runs VALUES (?, ?, ?)", (shelf, digest, state))

    def fold(self, records: list[list[Any]]) -> None:
        """Move noted runs into the database."""
        for scope, *values in records:
            shelf = scopes.ensure(self._db, Scope(*scope))
            sql = f"INSERT OR REPLACE INTO ended_runs ({ENDED_RUN})"
            self._db.run(f"{sql} VALUES ({marks([*values, shelf])})", (*values, shelf))
