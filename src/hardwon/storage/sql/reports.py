"""Statistics and lists over many scopes, computed by the database."""

from __future__ import annotations

import heapq
import json
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
from hardwon.storage.sql.dialect import Row, Statement, bind, read_queries
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
        rows = self._rows(_SQL["met"], window, first=day_number(window.since))
        return [(day_of(day), count) for day, count in rows]

    def failures(self, window: Window, *, limit: int) -> list[FailureKind]:
        """The kinds that were met most often, with their days."""
        values = {"first": day_number(window.since)}
        kinds = list(map(kind_of, self._rows(_SQL["kinds"], window, limit=limit, **values)))
        names = [kind.kind for kind in kinds]
        days = days_of(self._rows(_SQL["days"], window, kinds=names, **values), names)
        return [kind._replace(days=tuple(days[kind.kind])) for kind in kinds]

    def stopped_failures(
        self, window: Window, *, before: datetime, limit: int
    ) -> list[FailureKind]:
        """The kinds met at least twice, last within the window and before a moment."""
        times = {"since": window.since.timestamp(), "before": before.timestamp()}
        return [kind_of(row) for row in self._rows(_SQL["stopped"], window, limit=limit, **times)]

    def deliveries(self, window: Window) -> list[Deliveries]:
        """What was shown, by door, outcome and day; all that was logged before counts."""
        rows = self._rows(_SQL["deliveries"], window, first=day_number(window.since))
        return [Deliveries._make((*row[:2], day_of(row[2]), *row[3:])) for row in rows]

    def lessons(self, window: Window, *, new: datetime) -> list[LessonState]:
        """How many lessons are in each state, and how many of them were made since `new`."""
        shelves = scopes.covered_shelves(self._db, window, seen=True)
        totals, added = self._db.of(window.scope.tenant).ask(
            bind(_SQL["lessons"], shelves=shelves),
            bind(_SQL["new_lessons"], shelves=shelves, new=new.timestamp()),
        )
        fresh: dict[str, int] = dict(added)
        return [
            LessonState(status, count, fresh.get(status, 0)) for status, count in sorted(totals)
        ]

    def open_failures(self, window: Window, *, limit: int) -> list[OpenFailure]:
        """The failures without a fix that were met at least twice, the commonest first."""
        rows = self._rows(_SQL["unsolved"], window, since=window.since.timestamp(), limit=limit)
        return [OpenFailure(number, text, met, moment(at)) for number, text, met, at in rows]

    def strata(self, window: Window) -> list[Stratum]:
        """The units of a hold-out by project, door, author of the lesson and share in force."""
        rows = self._rows(_SQL["strata"], window, since=window.since.timestamp())
        return [Stratum._make((*row[:4], Arms(*row[4:]))) for row in sorted(rows)]

    def exposures(self, scope: Scope, lesson: int) -> list[Exposure]:
        """Where this lesson was shown to the agent of a scope, in all its projects."""
        self._journal.fold()
        shelves = list(scopes.of_agent(self._db, scope))
        rows = self._db.of(scope.tenant).rows(_SQL["exposures"], shelves=shelves, lesson=lesson)
        return [Exposure(door, outcome, count, moment(at)) for door, outcome, count, at in rows]


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
        tenancy, owners = self._at(place)
        for lesson in with_text(tenancy, [number], owners, ""):
            return lesson
        raise NotFound("lesson", number)

    def lessons(self, query: ListQuery) -> list[Lesson]:
        """In the wanted order, then by id. Their marks: (last_seen_at or met, id)."""
        (tenancy, owners), text = self._at(query.place), query.text.lower()
        lessons: list[Lesson] = []
        limit = max(_WALKED, query.limit) if text else query.limit
        page = query._replace(limit=limit)
        while len(lessons) < query.limit:
            contained = self._db.text_filter(query.text or query.tag)
            rows = self._first_ids(page, list(owners), contained)
            lessons += with_text(tenancy, [number for _, number in rows], owners, text)
            if len(rows) < limit:
                break
            page = page._replace(after=(rows[-1][0], str(rows[-1][1])))
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
        tenancy, owners = self._at(place)
        return dict(tenancy.rows(_SQL["lessons"], shelves=list(owners)))

    def failures(self, query: ListQuery, since: datetime) -> list[FailureKind]:
        """The kinds met since a day, commonest first, with days and scope. Marks: (met, kind)."""
        tenancy, owners = self._at(query.place)
        met, kind = query.after or (_ENDLESS, "")
        place = {"shelves": list(owners), "first": day_number(since)}
        values = {"text": query.text.lower(), "met": met, "kind": kind, "only": query.kind}
        rows = tenancy.rows(_SQL["kinds_page"], limit=query.limit, **place, **values)
        names = [name for name, _ in rows]
        facts, days = tenancy.ask(
            bind(_SQL["facts"], kinds=names, **place), bind(_SQL["days"], kinds=names, **place)
        )
        kinds, by_day = kinds_of(facts, owners), days_of(days, names)
        return [kinds[name]._replace(met=count, days=tuple(by_day[name])) for name, count in rows]

    def deliveries(self, query: ListQuery) -> list[Delivery]:
        """Newest first, then by id; all that were logged before count. Marks: (at, id)."""
        tenancy, owners = self._at(query.place)
        at, last = query.after or (_ENDLESS, "")
        rows = tenancy.first_of_each(
            bind(_SQL["delivery_rows"], at=at, id=last),
            "at DESC, id",
            each={"shelf": list(owners)},
            limit=query.limit,
        )
        first = heapq.nsmallest(query.limit, rows, key=lambda row: (-row[8], row[0]))
        return [delivery_of(row, owners) for row in first]
