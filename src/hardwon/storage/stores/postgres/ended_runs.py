"""Ended runs in PostgreSQL."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hardwon.core.errors import NotFound
from hardwon.core.values.scope import Scope
from hardwon.storage.stores.journal import RunNotes
from hardwon.storage.stores.postgres import scopes
from hardwon.storage.stores.records import ENDED_RUN, ended_run_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from hardwon.core.values.report import ListQuery, Place, Window
    from hardwon.core.values.run import EndedRun
    from hardwon.storage.postgres.database import Database
    from hardwon.storage.stores.journal import Journal

_ENDLESS = float("inf")
_NAMES = ENDED_RUN.split(", ")
_BRIEF = ENDED_RUN.replace("steps, shown", "'[]', '[]'")
_RECENT = f"""
SELECT {_BRIEF} FROM hardwon.ended_runs WHERE {scopes.HERE}
AND ended_at <= %(at)s AND (ended_at < %(at)s OR id > %(id)s)
AND strpos(lower(task), %(text)s) > 0 ORDER BY ended_at DESC, id LIMIT %(limit)s
"""
_FIND = f"""
SELECT {ENDED_RUN} FROM hardwon.ended_runs WHERE {scopes.HERE} AND starts_with(id, %(id)s)
ORDER BY ended_at DESC, id LIMIT 1
"""
_LATEST = f"""
SELECT id FROM hardwon.ended_runs WHERE {scopes.HERE} AND ended_at >= %(since)s
ORDER BY ended_at DESC, id LIMIT %(limit)s
"""
_OF = f"""
SELECT {ENDED_RUN} FROM hardwon.ended_runs
WHERE tenant = %(tenant)s AND id = ANY(%(ids)s::text[])
"""
_AT_ONCE = 50  # runs read per query
_OLD = """
DELETE FROM hardwon.ended_runs WHERE tenant = %(tenant)s AND (ended_at < %(before)s OR id NOT IN (
    SELECT id FROM hardwon.ended_runs WHERE tenant = %(tenant)s
    ORDER BY ended_at DESC, id LIMIT %(most)s
)) RETURNING id
"""
_KEEP = f"""
INSERT INTO hardwon.ended_runs (tenant, {ENDED_RUN})
VALUES (%(tenant)s, {", ".join(f"%({name})s" for name in _NAMES)})
ON CONFLICT (tenant, id) DO UPDATE
SET {", ".join(f"{name} = excluded.{name}" for name in _NAMES[1:])}
"""
_PAST = """
SELECT digest, state FROM hardwon.past_runs
WHERE tenant = %(tenant)s AND shelf = %(shelf)s AND digest = ANY(%(digests)s::text[])
"""
_NOTE_PAST = """
INSERT INTO hardwon.past_runs (tenant, shelf, digest, state)
VALUES (%(tenant)s, %(shelf)s, %(digest)s, %(state)s)
ON CONFLICT (tenant, shelf, digest) DO UPDATE SET state = excluded.state
"""


class PostgresEndedRuns(RunNotes):
    """Runs are noted in the journal and folded in off the agent's path."""

    def __init__(self, database: Database, journal: Journal) -> None:
        self._db = database
        self._journal = journal
        journal.on("ended run", self._fold)

    def get(self, place: Place, run: str) -> EndedRun:
        self._journal.fold()
        shelves = scopes.of_place(self._db, place)
        row = self._db.of(place.tenant).row(_FIND, shelves=list(shelves), id=run) if run else None
        if row is None:
            raise NotFound("run", run)
        return ended_run_of(row, shelves)

    def recent(self, query: ListQuery) -> list[EndedRun]:
        self._journal.fold()
        shelves = scopes.of_place(self._db, query.place)
        at, last = query.after or (_ENDLESS, "")
        values = {"at": at, "id": last, "text": query.text.lower(), "limit": query.limit}
        rows = self._db.of(query.place.tenant).rows(_RECENT, shelves=list(shelves), **values)
        return [ended_run_of(row, shelves) for row in rows]

    def latest(self, window: Window, *, limit: int) -> Iterator[EndedRun]:
        self._journal.fold()
        tenant = window.scope.tenant
        owners, shelves = scopes.of_tenant(self._db, tenant), scopes.covered(self._db, window)
        values = {"shelves": shelves, "since": window.since.timestamp(), "limit": limit}
        ids = [number for (number,) in self._db.of(tenant).rows(_LATEST, **values)][::-1]
        for start in range(0, len(ids), _AT_ONCE):
            part = ids[start : start + _AT_ONCE]
            rows = self._db.of(tenant).rows(_OF, ids=part)
            by_id = {row[0]: ended_run_of(row, owners) for row in rows}
            yield from (by_id[number] for number in part if number in by_id)

    def prune(self, tenant: str, *, before: datetime, most: int) -> int:
        self._journal.fold()
        deleted = self._db.of(tenant).rows(_OLD, before=before.timestamp(), most=most)
        return len(deleted)

    def past(self, scope: Scope, digests: Sequence[str]) -> dict[str, str]:
        with self._db:
            values = {"shelf": scopes.ensure(self._db, scope), "digests": list(digests)}
            return dict(self._db.of(scope.tenant).rows(_PAST, **values))

    def note_past(self, scope: Scope, digest: str, state: str) -> None:
        with self._db:
            values = {"shelf": scopes.ensure(self._db, scope), "digest": digest, "state": state}
            self._db.of(scope.tenant).run(_NOTE_PAST, **values)

    def _fold(self, records: list[list[Any]]) -> None:
        for scope, *values in records:
            run_scope = Scope(*scope)
            shelf = scopes.ensure(self._db, run_scope)
            facts = dict(zip(_NAMES, (*values, shelf), strict=True))
            self._db.of(run_scope.tenant).run(_KEEP, **facts)
