"""Statistics and lists over many scopes, computed by the database."""

from __future__ import annotations

import heapq
import json
from typing import TYPE_CHECKING

from hardwon.core.errors import NotFound
from hardwon.core.values.lesson import statuses
from hardwon.core.values.report import (
    Deliveries,
    Exposure,
    FailureKind,
    LessonState,
    OpenFailure,
    Order,
    Window,
    day_number,
    day_of,
)
from hardwon.knowledge.proof.effect import Arms, Stratum
from hardwon.storage.sql import scopes
from hardwon.storage.sql.dialect import bind
from hardwon.storage.sql.lessons import with_text
from hardwon.storage.sql.logs import ARMS
from hardwon.storage.sql.rows import DELIVERY, days_of, delivery_of, kind_of, kinds_of, moment
from hardwon.storage.sql.scopes import HERE

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date, datetime

    from hardwon.core.values.delivery import Delivery
    from hardwon.core.values.lesson import Lesson
    from hardwon.core.values.report import ListQuery, Place
    from hardwon.core.values.scope import Scope
    from hardwon.storage.sql.dialect import Row, SqlDatabase, Statement, Tenancy
    from hardwon.storage.sql.journal import Journal

_MET = f"""
SELECT day, sum(met)::bigint FROM hardwon.failure_days WHERE {HERE} AND day >= :first
GROUP BY day ORDER BY day
"""
_KINDS = f"""
SELECT d.signature, min(f.text), d.met, min(f.first_at), max(f.last_at) FROM (
    SELECT signature, sum(met)::bigint AS met FROM hardwon.failure_days
    WHERE {HERE} AND day >= :first GROUP BY signature ORDER BY met DESC, signature LIMIT :limit
) AS d JOIN (SELECT * FROM hardwon.failures WHERE {HERE}) AS f ON f.signature = d.signature
GROUP BY d.signature, d.met ORDER BY d.met DESC, d.signature
"""
_STOPPED = f"""
SELECT signature, min(text), sum(met_count)::bigint AS met, min(first_at), max(last_at)
FROM hardwon.failures WHERE {HERE} GROUP BY signature
HAVING sum(met_count) >= 2 AND max(last_at) >= :since AND max(last_at) < :before
ORDER BY met DESC, signature LIMIT :limit
"""
# Grouped by shelf first, in the order of SQLite's index: a million rows are not sorted.
_DELIVERIES = f"""
SELECT door, outcome, day, sum(times)::bigint, sum(tokens)::bigint FROM (
    SELECT shelf, DAY_OF(at) AS day, door, outcome, count(*) AS times, sum(tokens) AS tokens
    FROM hardwon.deliveries WHERE {HERE} AND DAY_OF(at) >= :first
    GROUP BY shelf, DAY_OF(at), door, outcome
) AS d GROUP BY day, door, outcome ORDER BY day, door, outcome
"""
_LESSONS = f"SELECT status, count(*) FROM hardwon.lessons WHERE {HERE} GROUP BY status"
# Lessons not updated since cannot be new; the index shows that without reading rows.
_NEW_LESSONS = f"""
SELECT status, count(*) FROM hardwon.lessons
WHERE {HERE} AND updated_at >= :new AND created_at >= :new GROUP BY status
"""
_UNSOLVED = f"""
SELECT id, situation, met_count, updated_at FROM hardwon.lessons
WHERE {HERE} AND status = 'seen' AND met_count >= 2 AND updated_at >= :since
ORDER BY met_count DESC, id LIMIT :limit
"""
_EXPOSURES = f"""
SELECT door, outcome, count(*), max(at) AS last FROM hardwon.deliveries
WHERE {HERE} AND LIST_HAS(lessons, :lesson)
GROUP BY door, outcome ORDER BY last DESC, door, outcome
"""
_DAYS = f"""
SELECT signature, day, sum(met)::bigint FROM hardwon.failure_days
WHERE {HERE} AND day >= :first AND signature IN (:kinds) GROUP BY signature, day ORDER BY day
"""
_STRATA = f"""
SELECT s.project, u.door, coalesce(l.author, '') AS author, u.share, {ARMS}
JOIN hardwon.shelves AS s ON s.tenant = :tenant AND s.id = u.shelf
LEFT JOIN hardwon.lessons AS l ON l.tenant = :tenant AND l.id = u.lesson
GROUP BY 1, 2, 3, 4
"""

# In the order of the indexes `lessons_recent` and `lessons_met`.
_LESSON_IDS = """
SELECT {1}, id FROM hardwon.lessons
WHERE tenant = :tenant AND {0} AND shelf = :shelf AND status = :status
AND {1} <= :at AND ({1} < :at OR id > :id) AND (:tag = '' OR strpos(tags, :tag) > 0)
"""
ORDERS = {Order.USED: "last_seen_at", Order.MET: "met_count"}
_DELIVERY_ROWS = f"""
SELECT {DELIVERY} FROM hardwon.deliveries WHERE tenant = :tenant AND shelf = :shelf
AND at <= :at AND (at < :at OR id > :id)
"""
_KINDS_PAGE = f"""
SELECT signature, met FROM (
    SELECT signature, sum(met)::bigint AS met FROM hardwon.failure_days
    WHERE {HERE} AND day >= :first AND (:only = '' OR signature = :only)
    AND (:text = '' OR signature IN (
        SELECT signature FROM hardwon.failures WHERE {HERE} AND strpos(lower(text), :text) > 0
    )) GROUP BY signature
) AS k WHERE met <= :met AND (met < :met OR signature > :kind)
ORDER BY met DESC, signature LIMIT :limit
"""
_FACTS = f"""
SELECT signature, text, first_at, last_at, shelf FROM hardwon.failures
WHERE {HERE} AND signature IN (:kinds) ORDER BY last_at
"""
_WALKED = 200  # lessons read per query
_ENDLESS = float("inf")


class SqlStatistics:
    """Sums and counts of what happened."""

    def __init__(self, database: SqlDatabase, journal: Journal) -> None:
        self._db = database
        self._journal = journal

    def failures_by_day(self, window: Window) -> list[tuple[date, int]]:
        """How many failures there were on each day that had some, oldest first."""
        self._journal.fold()
        rows = self._rows(_MET, window, first=day_number(window.since))
        return [(day_of(day), count) for day, count in rows]

    def failures(self, window: Window, *, limit: int) -> list[FailureKind]:
        """The kinds that were met most often, with their days."""
        self._journal.fold()
        first, shelves = day_number(window.since), scopes.covered_shelves(self._db, window)
        tenancy = self._db.of(window.scope.tenant)
        rows = tenancy.rows(_KINDS, shelves=shelves, first=first, limit=limit)
        days = _count_by_day(tenancy, shelves, first, [row[0] for row in rows])
        return [kind_of(row)._replace(days=tuple(days[row[0]])) for row in rows]

    def stopped_failures(
        self, window: Window, *, before: datetime, limit: int
    ) -> list[FailureKind]:
        """The kinds met at least twice, last within the window and before a moment."""
        self._journal.fold()
        times = {"since": window.since.timestamp(), "before": before.timestamp()}
        return [kind_of(row) for row in self._rows(_STOPPED, window, limit=limit, **times)]

    def deliveries(self, window: Window) -> list[Deliveries]:
        """What was shown, by door, outcome and day; all that was logged before counts."""
        self._journal.fold()
        rows = self._rows(_DELIVERIES, window, first=day_number(window.since))
        return [
            Deliveries(door, outcome, day_of(day), count, tokens)
            for door, outcome, day, count, tokens in rows
        ]

    def lessons(self, window: Window, *, new: datetime) -> list[LessonState]:
        """How many lessons are in each state, and how many of them were made since `new`."""
        shelves = scopes.covered_shelves(self._db, window, seen=True)
        totals, added = self._db.of(window.scope.tenant).ask(
            bind(_LESSONS, shelves=shelves),
            bind(_NEW_LESSONS, shelves=shelves, new=new.timestamp()),
        )
        new_counts: dict[str, int] = dict(added)
        return [
            LessonState(status, count, new_counts.get(status, 0))
            for status, count in sorted(totals)
        ]

    def open_failures(self, window: Window, *, limit: int) -> list[OpenFailure]:
        """The failures without a fix that were met at least twice, the commonest first."""
        rows = self._rows(_UNSOLVED, window, since=window.since.timestamp(), limit=limit)
        return [OpenFailure(number, text, met, moment(at)) for number, text, met, at in rows]

    def strata(self, window: Window) -> list[Stratum]:
        """The units of a hold-out by project, door, author of the lesson and share in force."""
        self._journal.fold()
        rows = self._rows(_STRATA, window, since=window.since.timestamp())
        return [
            Stratum(project, door, author, share, Arms(*counts))
            for project, door, author, share, *counts in sorted(rows)
        ]

    def exposures(self, scope: Scope, lesson: int) -> list[Exposure]:
        """Where this lesson was shown to the agent of a scope, in all its projects."""
        self._journal.fold()
        shelves = list(scopes.of_agent(self._db, scope))
        rows = self._db.of(scope.tenant).rows(_EXPOSURES, shelves=shelves, lesson=lesson)
        return [Exposure(door, outcome, count, moment(at)) for door, outcome, count, at in rows]

    def _rows(self, sql: str, window: Window, **values: object) -> list[Row]:
        """The rows of a statement about the shelves of a window."""
        shelves = scopes.covered_shelves(self._db, window)
        return self._db.of(window.scope.tenant).rows(sql, shelves=shelves, **values)


def _count_by_day(
    tenancy: Tenancy, shelves: Sequence[int], first: int, kinds: Sequence[str]
) -> dict[str, list[tuple[date, int]]]:
    """How often each kind was met on each day since `first`."""
    values = {"shelves": list(shelves), "first": first, "kinds": list(kinds)}
    return days_of(tenancy.rows(_DAYS, **values), kinds)


def quoted_tag(query: ListQuery) -> str:
    """The wanted tag as an item of a stored list; "" for any."""
    return json.dumps(query.tag) if query.tag else ""


class SqlListing:
    """Pages of lists, merged from the first rows of each shelf; each reads few rows more."""

    def __init__(self, database: SqlDatabase, journal: Journal) -> None:
        self._db = database
        self._journal = journal

    def scopes(self, tenant: str) -> list[Scope]:
        """Every scope of a tenant that something is kept of, by agent and project."""
        self._journal.fold()
        every = scopes.of_tenant(self._db, tenant).values()
        return sorted(every, key=lambda scope: (scope.agent, scope.project or ""))

    def lesson(self, place: Place, number: int) -> Lesson:
        """One lesson, else NotFound."""
        self._journal.fold()
        owners = scopes.of_place(self._db, place)
        for lesson in with_text(self._db.of(place.tenant), [number], owners, ""):
            return lesson
        raise NotFound("lesson", number)

    def lessons(self, query: ListQuery) -> list[Lesson]:
        """In the wanted order, then by id. Their marks: (last_seen_at or met, id)."""
        self._journal.fold()
        owners, text = scopes.of_place(self._db, query.place), query.text.lower()
        lessons: list[Lesson] = []
        limit = max(_WALKED, query.limit) if text else query.limit
        after = query.after
        while len(lessons) < query.limit:
            page = query._replace(after=after, limit=limit)
            contained = self._db.text_filter(query.text or query.tag)
            rows = self._first_ids(page, list(owners), contained)
            ids = [number for _, number in rows]
            lessons += with_text(self._db.of(query.place.tenant), ids, owners, text)
            if len(rows) < limit:
                break
            after = rows[-1][0], str(rows[-1][1])
        return lessons[: query.limit]

    def _first_ids(self, query: ListQuery, shelves: list[int], condition: Statement) -> list[Row]:
        """The marks of the lessons that may match, in the order of the list."""
        place, number = query.after or (_ENDLESS, "0")
        column, tag = ORDERS[query.order], quoted_tag(query)
        sql = _LESSON_IDS.format(condition.sql, column)
        rows = self._db.of(query.place.tenant).first_of_each(
            bind(sql, at=place, id=int(number), tag=tag, **condition.values),
            f"{column} DESC, id",
            each={"shelf": shelves, "status": list(statuses(query.status))},
            limit=query.limit,
        )
        return heapq.nsmallest(query.limit, rows, key=lambda row: (-row[0], row[1]))

    def counts(self, place: Place) -> dict[str, int]:
        """How many lessons are in each state."""
        shelves = list(scopes.of_place(self._db, place))
        return dict(self._db.of(place.tenant).rows(_LESSONS, shelves=shelves))

    def failures(self, query: ListQuery, since: datetime) -> list[FailureKind]:
        """The kinds met since a day, commonest first, with days and scope. Marks: (met, kind)."""
        self._journal.fold()
        owners, first = scopes.of_place(self._db, query.place), day_number(since)
        tenancy, shelves = self._db.of(query.place.tenant), list(owners)
        met, kind = query.after or (_ENDLESS, "")
        values = {"first": first, "text": query.text.lower(), "met": met, "kind": kind}
        values |= {"only": query.kind}
        rows = tenancy.rows(_KINDS_PAGE, shelves=shelves, limit=query.limit, **values)
        counts: dict[str, int] = dict(rows)
        days = _count_by_day(tenancy, shelves, first, list(counts))
        kinds = kinds_of(tenancy.rows(_FACTS, shelves=shelves, kinds=list(counts)), owners)
        return [kinds[kind]._replace(met=counts[kind], days=tuple(days[kind])) for kind in counts]

    def deliveries(self, query: ListQuery) -> list[Delivery]:
        """Newest first, then by id; all that were logged before count. Marks: (at, id)."""
        self._journal.fold()
        owners = scopes.of_place(self._db, query.place)
        at, last = query.after or (_ENDLESS, "")
        rows = self._db.of(query.place.tenant).first_of_each(
            bind(_DELIVERY_ROWS, at=at, id=last),
            "at DESC, id",
            each={"shelf": list(owners)},
            limit=query.limit,
        )
        first = heapq.nsmallest(query.limit, rows, key=lambda row: (-row[8], row[0]))
        return [delivery_of(row, owners) for row in first]
