"""Statistics for reports, computed by PostgreSQL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hardwon.core.values.report import (
    Deliveries,
    Exposure,
    FailureKind,
    LessonState,
    OpenFailure,
    Window,
    day_number,
    day_of,
)
from hardwon.knowledge.proof.arms import Arms, Stratum
from hardwon.storage.stores.postgres import scopes
from hardwon.storage.stores.postgres.units import ARMS
from hardwon.storage.stores.records import days_of, kind_of
from hardwon.storage.stores.rows import moment

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date, datetime

    from hardwon.core.values.scope import Scope
    from hardwon.storage.postgres.database import Database, Row, Tenancy
    from hardwon.storage.stores.journal import Journal

_MET = f"""
SELECT day, sum(met)::bigint FROM hardwon.failure_days WHERE {scopes.HERE} AND day >= :first
GROUP BY day ORDER BY day
"""
_KINDS = f"""
SELECT d.signature, min(f.text), d.met, min(f.first_at), max(f.last_at) FROM (
    SELECT signature, sum(met)::bigint AS met FROM hardwon.failure_days
    WHERE {scopes.HERE} AND day >= :first GROUP BY signature
    ORDER BY met DESC, signature LIMIT :limit
) AS d JOIN (SELECT * FROM hardwon.failures WHERE {scopes.HERE}) AS f ON f.signature = d.signature
GROUP BY d.signature, d.met ORDER BY d.met DESC, d.signature
"""
_STOPPED = f"""
SELECT signature, min(text), sum(met_count)::bigint AS met, min(first_at), max(last_at)
FROM hardwon.failures WHERE {scopes.HERE} GROUP BY signature
HAVING sum(met_count) >= 2 AND max(last_at) >= :since AND max(last_at) < :before
ORDER BY met DESC, signature LIMIT :limit
"""
_DELIVERIES = f"""
SELECT door, outcome, floor(at / 86400)::int AS day, count(*), sum(tokens)::bigint
FROM hardwon.deliveries WHERE {scopes.HERE} AND at >= :since
GROUP BY door, outcome, day ORDER BY day, door, outcome
"""
_LESSONS = f"""
SELECT status, count(*), count(*) FILTER (WHERE created_at >= :new) FROM hardwon.lessons
WHERE {scopes.HERE} GROUP BY status ORDER BY status
"""
_UNSOLVED = f"""
SELECT id, situation, met_count, updated_at FROM hardwon.lessons
WHERE {scopes.HERE} AND status = 'seen' AND met_count >= 2 AND updated_at >= :since
ORDER BY met_count DESC, id LIMIT :limit
"""
_EXPOSURES = f"""
SELECT door, outcome, count(*), max(at) AS last FROM hardwon.deliveries
WHERE {scopes.HERE} AND lessons::jsonb @> to_jsonb(:lesson::bigint)
GROUP BY door, outcome ORDER BY last DESC, door, outcome
"""
DAYS = f"""
SELECT signature, day, sum(met)::bigint FROM hardwon.failure_days
WHERE {scopes.HERE} AND day >= :first AND signature = ANY(:kinds::text[])
GROUP BY signature, day ORDER BY day
"""
_STRATA = f"""
SELECT s.project, u.door, coalesce(l.author, '') COLLATE "C", u.share, {ARMS}
JOIN hardwon.shelves AS s ON s.tenant = :tenant AND s.id = u.shelf
LEFT JOIN hardwon.lessons AS l ON l.tenant = :tenant AND l.id = u.lesson
GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
"""


class PostgresStatistics:
    """Sums and counts, computed by the database."""

    def __init__(self, database: Database, journal: Journal) -> None:
        self._db = database
        self._journal = journal

    def met(self, window: Window) -> list[tuple[date, int]]:
        rows = self._rows(_MET, window, first=day_number(window.since))
        return [(day_of(day), count) for day, count in rows]

    def failures(self, window: Window, *, limit: int) -> list[FailureKind]:
        first, shelves = day_number(window.since), scopes.covered(self._db, window)
        tenancy = self._db.of(window.scope.tenant)
        rows = tenancy.rows(_KINDS, shelves=shelves, first=first, limit=limit)
        days = met_on(tenancy, shelves, first, [row[0] for row in rows])
        return [kind_of(row)._replace(days=tuple(days[row[0]])) for row in rows]

    def stopped(self, window: Window, *, before: datetime, limit: int) -> list[FailureKind]:
        times = {"since": window.since.timestamp(), "before": before.timestamp()}
        return [kind_of(row) for row in self._rows(_STOPPED, window, limit=limit, **times)]

    def deliveries(self, window: Window) -> list[Deliveries]:
        self._journal.fold()
        rows = self._rows(_DELIVERIES, window, since=window.since.timestamp())
        return [
            Deliveries(door, outcome, day_of(day), count, tokens)
            for door, outcome, day, count, tokens in rows
        ]

    def lessons(self, window: Window, *, new: datetime) -> list[LessonState]:
        shelves = scopes.covered(self._db, window, seen=True)
        tenancy = self._db.of(window.scope.tenant)
        rows = tenancy.rows(_LESSONS, shelves=shelves, new=new.timestamp())
        return [LessonState(*row) for row in rows]

    def unsolved(self, window: Window, *, limit: int) -> list[OpenFailure]:
        rows = self._rows(_UNSOLVED, window, since=window.since.timestamp(), limit=limit)
        return [OpenFailure(number, text, met, moment(at)) for number, text, met, at in rows]

    def strata(self, window: Window) -> list[Stratum]:
        self._journal.fold()
        rows = self._rows(_STRATA, window, since=window.since.timestamp())
        return [
            Stratum(project, door, author, share, Arms(*counts))
            for project, door, author, share, *counts in rows
        ]

    def exposures(self, scope: Scope, lesson: int) -> list[Exposure]:
        self._journal.fold()
        shelves = list(scopes.of_agent(self._db, scope))
        rows = self._db.of(scope.tenant).rows(_EXPOSURES, shelves=shelves, lesson=lesson)
        return [Exposure(door, outcome, count, moment(at)) for door, outcome, count, at in rows]

    def _rows(self, sql: str, window: Window, **values: object) -> list[Row]:
        """The rows of a statement about the shelves of a window."""
        shelves = scopes.covered(self._db, window)
        return self._db.of(window.scope.tenant).rows(sql, shelves=shelves, **values)


def met_on(
    tenancy: Tenancy, shelves: Sequence[int], first: int, kinds: Sequence[str]
) -> dict[str, list[tuple[date, int]]]:
    """How often each kind was met on each day since `first`."""
    values = {"shelves": list(shelves), "first": first, "kinds": list(kinds)}
    return days_of(tenancy.rows(DAYS, **values), kinds)
