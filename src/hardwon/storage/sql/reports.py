"""Statistics and lists over many scopes, computed by the database."""

from __future__ import annotations

import heapq
import json
from collections.abc import Sequence
from datetime import date, datetime

from hardwon.core.errors import NotFound
from hardwon.core.values.delivery import Delivery
from hardwon.core.values.lesson import Lesson, statuses
from hardwon.core.values.report import (
    Deliveries,
    Exposure,
    FailureKind,
    LessonState,
    ListQuery,
    OpenFailure,
    Order,
    Place,
    Window,
    day_number,
    day_of,
)
from hardwon.core.values.scope import Scope
from hardwon.knowledge.proof.effect import Arms, Stratum
from hardwon.storage.sql import scopes
from hardwon.storage.sql.dialect import Row, Statement, Tenancy, bind, read_queries
from hardwon.storage.sql.journal import JournalPart
from hardwon.storage.sql.lessons import with_text
from hardwon.storage.sql.logs import ARMS
from hardwon.storage.sql.rows import DELIVERY, days_of, delivery_of, kind_of, kinds_of, moment
from hardwon.storage.sql.scopes import HERE

ORDERS = {Order.USED: "last_seen_at", Order.MET: "met_count"}
_SQL = read_queries(__file__, HERE=HERE, ARMS=ARMS, DELIVERY=DELIVERY)
_WALKED = 200  # lessons read per query
_ENDLESS = float("inf")


class SqlStatistics(JournalPart):
    """Sums and counts of what happened."""

    def failures_by_day(self, window: Window) -> list[tuple[date, int]]:
        """How many failures there were on each day that had some, oldest first."""
        self._journal.fold()
        rows = self._rows(_SQL["met"], window, first=day_number(window.since))
        return [(day_of(day), count) for day, count in rows]

    def failures(self, window: Window, *, limit: int) -> list[FailureKind]:
        """The kinds that were met most often, with their days."""
        self._journal.fold()
        first, shelves = day_number(window.since), scopes.covered_shelves(self._db, window)
        tenancy = self._db.of(window.scope.tenant)
        rows = tenancy.rows(_SQL["kinds"], shelves=shelves, first=first, limit=limit)
        days = _count_by_day(tenancy, shelves, first, [row[0] for row in rows])
        return [kind_of(row)._replace(days=tuple(days[row[0]])) for row in rows]

    def stopped_failures(
        self, window: Window, *, before: datetime, limit: int
    ) -> list[FailureKind]:
        """The kinds met at least twice, last within the window and before a moment."""
        self._journal.fold()
        times = {"since": window.since.timestamp(), "before": before.timestamp()}
        return [kind_of(row) for row in self._rows(_SQL["stopped"], window, limit=limit, **times)]

    def deliveries(self, window: Window) -> list[Deliveries]:
        """What was shown, by door, outcome and day; all that was logged before counts."""
        self._journal.fold()
        rows = self._rows(_SQL["deliveries"], window, first=day_number(window.since))
        return [
            Deliveries(door, outcome, day_of(day), count, tokens)
            for door, outcome, day, count, tokens in rows
        ]

    def lessons(self, window: Window, *, new: datetime) -> list[LessonState]:
        """How many lessons are in each state, and how many of them were made since `new`."""
        shelves = scopes.covered_shelves(self._db, window, seen=True)
        totals, added = self._db.of(window.scope.tenant).ask(
            bind(_SQL["lessons"], shelves=shelves),
            bind(_SQL["new_lessons"], shelves=shelves, new=new.timestamp()),
        )
        new_counts: dict[str, int] = dict(added)
        return [
            LessonState(status, count, new_counts.get(status, 0))
            for status, count in sorted(totals)
        ]

    def open_failures(self, window: Window, *, limit: int) -> list[OpenFailure]:
        """The failures without a fix that were met at least twice, the commonest first."""
        rows = self._rows(_SQL["unsolved"], window, since=window.since.timestamp(), limit=limit)
        return [OpenFailure(number, text, met, moment(at)) for number, text, met, at in rows]

    def strata(self, window: Window) -> list[Stratum]:
        """The units of a hold-out by project, door, author of the lesson and share in force."""
        self._journal.fold()
        rows = self._rows(_SQL["strata"], window, since=window.since.timestamp())
        return [
            Stratum(project, door, author, share, Arms(*counts))
            for project, door, author, share, *counts in sorted(rows)
        ]

    def exposures(self, scope: Scope, lesson: int) -> list[Exposure]:
        """Where this lesson was shown to the agent of a scope, in all its projects."""
        self._journal.fold()
        shelves = list(scopes.of_agent(self._db, scope))
        rows = self._db.of(scope.tenant).rows(_SQL["exposures"], shelves=shelves, lesson=lesson)
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
    return days_of(tenancy.rows(_SQL["days"], **values), kinds)


def quoted_tag(query: ListQuery) -> str:
    """The wanted tag as an item of a stored list; "" for any."""
    return json.dumps(query.tag, ensure_ascii=False) if query.tag else ""


class SqlListing(JournalPart):
    """Pages of lists, merged from the first rows of each shelf; each reads few rows more."""

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
        sql = _SQL["lesson_ids"].format(condition.sql, column)
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
        return dict(self._db.of(place.tenant).rows(_SQL["lessons"], shelves=shelves))

    def failures(self, query: ListQuery, since: datetime) -> list[FailureKind]:
        """The kinds met since a day, commonest first, with days and scope. Marks: (met, kind)."""
        self._journal.fold()
        owners, first = scopes.of_place(self._db, query.place), day_number(since)
        tenancy, shelves = self._db.of(query.place.tenant), list(owners)
        met, kind = query.after or (_ENDLESS, "")
        values = {"first": first, "text": query.text.lower(), "met": met, "kind": kind}
        values |= {"only": query.kind}
        rows = tenancy.rows(_SQL["kinds_page"], shelves=shelves, limit=query.limit, **values)
        counts: dict[str, int] = dict(rows)
        days = _count_by_day(tenancy, shelves, first, list(counts))
        kinds = kinds_of(tenancy.rows(_SQL["facts"], shelves=shelves, kinds=list(counts)), owners)
        return [kinds[kind]._replace(met=counts[kind], days=tuple(days[kind])) for kind in counts]

    def deliveries(self, query: ListQuery) -> list[Delivery]:
        """Newest first, then by id; all that were logged before count. Marks: (at, id)."""
        self._journal.fold()
        owners = scopes.of_place(self._db, query.place)
        at, last = query.after or (_ENDLESS, "")
        rows = self._db.of(query.place.tenant).first_of_each(
            bind(_SQL["delivery_rows"], at=at, id=last),
            "at DESC, id",
            each={"shelf": list(owners)},
            limit=query.limit,
        )
        first = heapq.nsmallest(query.limit, rows, key=lambda row: (-row[8], row[0]))
        return [delivery_of(row, owners) for row in first]
