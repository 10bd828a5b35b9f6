"""Statistics for reports, computed by SQLite."""

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
from hardwon.storage.stores.records import days_of, kind_of
from hardwon.storage.stores.rows import moment
from hardwon.storage.stores.sqlite import scopes
from hardwon.storage.stores.sqlite.database import marks

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date, datetime

    from hardwon.core.values.scope import Scope
    from hardwon.storage.stores.journal import Journal
    from hardwon.storage.stores.sqlite.database import Database, Row

_KINDS = """
SELECT d.signature, f.text, d.met, min(f.first_at), max(f.last_at) FROM (
    SELECT signature, sum(met) AS met FROM failure_days WHERE shelf IN ({0}) AND day >= ?
    GROUP BY signature ORDER BY met DESC, signature LIMIT ?
) AS d JOIN failures AS f ON f.signature = d.signature AND f.shelf IN ({0})
GROUP BY d.signature ORDER BY d.met DESC, d.signature
"""
_STOPPED = """
SELECT signature, text, sum(met_count) AS met, min(first_at), max(last_at) AS last FROM failures
WHERE shelf IN ({0}) GROUP BY signature
HAVING met >= 2 AND last >= ? AND last < ? ORDER BY met DESC, signature LIMIT ?
"""
_DELIVERIES = """
SELECT door, outcome, day, sum(times), sum(tokens) FROM (
    SELECT door, outcome, CAST(at / 86400 AS INTEGER) AS day, count(*) AS times,
        sum(tokens) AS tokens
    FROM deliveries WHERE shelf IN ({0}) AND CAST(at / 86400 AS INTEGER) >= ?
    GROUP BY shelf, CAST(at / 86400 AS INTEGER), door, outcome
) GROUP BY day, door, outcome ORDER BY day, door, outcome
"""
_LESSONS = "SELECT status, count(*) FROM lessons WHERE shelf IN ({0}) GROUP BY status"
# Lessons not updated since cannot be new; the index shows that without reading rows.
_NEW_LESSONS = """
SELECT status, count(*) FROM lessons
WHERE shelf IN ({0}) AND updated_at >= ? AND created_at >= ? GROUP BY status
"""
_UNSOLVED = """
SELECT id, situation, met_count, updated_at FROM lessons
WHERE shelf IN ({0}) AND status = 'seen' AND met_count >= 2 AND updated_at >= ?
ORDER BY met_count DESC, id LIMIT ?
"""
_EXPOSURES = """
SELECT door, outcome, count(*), max(at) AS last FROM deliveries
WHERE shelf IN ({0}) AND EXISTS (SELECT 1 FROM json_each(lessons) WHERE value = ?)
GROUP BY door, outcome ORDER BY last DESC, door, outcome
"""
_STRATA = """
SELECT s.project, u.door, coalesce(l.author, ''), u.share,
    sum(known AND NOT withheld), sum(repeated AND NOT withheld),
    sum(known AND withheld), sum(repeated AND withheld), sum(NOT known)
FROM (
    SELECT *, outcome = 'repeated' AS repeated, outcome IN ('repeated', 'not met') AS known
    FROM units WHERE shelf IN ({0}) AND at >= ?
) AS u JOIN shelves AS s ON s.id = u.shelf LEFT JOIN lessons AS l ON l.id = u.lesson
GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
"""


class SqliteStatistics:
    """Sums and counts, computed by the database."""

    def __init__(self, database: Database, journal: Journal) -> None:
        self._db = database
        self._journal = journal

    def met(self, window: Window) -> list[tuple[date, int]]:
        rows = self._rows(
            "SELECT day, sum(met) FROM failure_days WHERE shelf IN ({0}) AND day >= ?"
            " GROUP BY day ORDER BY day",
            scopes.covered(self._db, window),
            day_number(window.since),
        )
        return [(day_of(day), count) for day, count in rows]

    def failures(self, window: Window, *, limit: int) -> list[FailureKind]:
        shelves, first = scopes.covered(self._db, window), day_number(window.since)
        sql = _KINDS.format(marks(shelves))
        rows = self._db.rows(sql, (*shelves, first, limit, *shelves))
        days = self._days(shelves, first, [row[0] for row in rows])
        return [kind_of(row)._replace(days=tuple(days[row[0]])) for row in rows]

    def stopped(self, window: Window, *, before: datetime, limit: int) -> list[FailureKind]:
        times = window.since.timestamp(), before.timestamp()
        rows = self._rows(_STOPPED, scopes.covered(self._db, window), *times, limit)
        return [kind_of(row) for row in rows]

    def deliveries(self, window: Window) -> list[Deliveries]:
        self._journal.fold()
        shelves = scopes.covered(self._db, window)
        rows = self._rows(_DELIVERIES, shelves, day_number(window.since))
        return [
            Deliveries(door, outcome, day_of(day), count, tokens)
            for door, outcome, day, count, tokens in rows
        ]

    def lessons(self, window: Window, *, new: datetime) -> list[LessonState]:
        shelves = scopes.covered(self._db, window, seen=True)
        since = new.timestamp()
        fresh: dict[str, int] = dict(self._rows(_NEW_LESSONS, shelves, since, since))
        totals = sorted(self._rows(_LESSONS, shelves))
        return [LessonState(status, count, fresh.get(status, 0)) for status, count in totals]

    def unsolved(self, window: Window, *, limit: int) -> list[OpenFailure]:
        shelves = scopes.covered(self._db, window)
        rows = self._rows(_UNSOLVED, shelves, window.since.timestamp(), limit)
        return [OpenFailure(number, text, met, moment(at)) for number, text, met, at in rows]

    def strata(self, window: Window) -> list[Stratum]:
        self._journal.fold()
        shelves = scopes.covered(self._db, window)
        rows = self._rows(_STRATA, shelves, window.since.timestamp())
        return [
            Stratum(project, door, author, share, Arms(*counts))
            for project, door, author, share, *counts in rows
        ]

    def exposures(self, scope: Scope, lesson: int) -> list[Exposure]:
        self._journal.fold()
        rows = self._rows(_EXPOSURES, tuple(scopes.of_agent(self._db, scope)), lesson)
        return [Exposure(door, outcome, count, moment(at)) for door, outcome, count, at in rows]

    def _days(
        self, shelves: Sequence[int], first: int, kinds: Sequence[str]
    ) -> dict[str, list[tuple[date, int]]]:
        """How often each kind was met on each day."""
        rows = self._rows(
            "SELECT signature, day, sum(met) FROM failure_days"
            f" WHERE shelf IN ({{0}}) AND day >= ? AND signature IN ({marks(kinds)})"
            " GROUP BY signature, day ORDER BY day",
            shelves,
            first,
            *kinds,
        )
        return days_of(rows, kinds)

    def _rows(self, sql: str, shelves: Sequence[int], *values: object) -> list[Row]:
        """The rows of a query whose first parameters are shelves."""
        return self._db.rows(sql.format(marks(shelves)), (*shelves, *values))
