"""Lists over many scopes in SQLite, merged from the first rows of each shelf."""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING

from hardwon.core.errors import NotFound
from hardwon.core.values.lesson import Lesson, statuses
from hardwon.core.values.report import FailureKind, ListQuery, Place, day_number
from hardwon.storage.stores.records import days_of, kinds_of
from hardwon.storage.stores.rows import COLUMNS, DELIVERY, SEARCHED, delivery_of, lesson_of
from hardwon.storage.stores.sqlite import scopes
from hardwon.storage.stores.sqlite.database import marks
from hardwon.storage.stores.sqlite.lessons import candidates

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import datetime

    from hardwon.core.values.delivery import Delivery
    from hardwon.core.values.scope import Scope
    from hardwon.storage.stores.journal import Journal
    from hardwon.storage.stores.sqlite.database import Database, Row

_FEW = 2_000  # candidates for a text: up to this many are sorted, more are read in order
_WALKED = 200  # lessons read per query
_ENDLESS = float("inf")
# The order of the index `lessons_recent`.
_LESSONS = """
SELECT last_seen_at, id FROM lessons
WHERE shelf = ? AND status = ? AND last_seen_at <= ? AND (last_seen_at < ? OR id > ?)
ORDER BY last_seen_at DESC, id LIMIT ?
"""
_HOLDING = """
SELECT last_seen_at, id FROM lessons
WHERE {0} AND +shelf IN ({1}) AND +status IN ({2}) AND last_seen_at <= ?
AND (last_seen_at < ? OR id > ?) ORDER BY last_seen_at DESC, id
"""
_DELIVERIES = """
SELECT at, id FROM deliveries WHERE shelf = ? AND at <= ? AND (at < ? OR id > ?)
ORDER BY at DESC, id LIMIT ?
"""
_KINDS = """
SELECT signature, met FROM (
    SELECT signature, sum(met) AS met FROM failure_days WHERE shelf IN ({0}) AND day >= ?
    {1} GROUP BY signature
) WHERE met <= ? AND (met < ? OR signature > ?) ORDER BY met DESC, signature LIMIT ?
"""
_HOLDS_TEXT = """
AND signature IN (SELECT signature FROM failures WHERE shelf IN ({0}) AND instr(lower(text), ?))
"""
_FACTS = """
SELECT signature, text, first_at, last_at, shelf FROM failures
WHERE shelf IN ({0}) AND signature IN ({1}) ORDER BY last_at
"""
_DAYS = """
SELECT signature, day, sum(met) FROM failure_days
WHERE shelf IN ({0}) AND day >= ? AND signature IN ({1}) GROUP BY signature, day ORDER BY day
"""


class SqliteListing:
    """Pages of lists; each reads few rows beyond those it shows."""

    def __init__(self, database: Database, journal: Journal) -> None:
        self._db = database
        self._journal = journal

    def scopes(self, tenant: str) -> list[Scope]:
        scopes_of_tenant = scopes.of_tenant(self._db, tenant).values()
        return sorted(scopes_of_tenant, key=lambda scope: (scope.agent, scope.project or ""))

    def lesson(self, place: Place, number: int) -> Lesson:
        self._journal.fold()
        shelves = scopes.of_place(self._db, place)
        lessons = self._read([number], shelves)
        if not lessons:
            raise NotFound("lesson", number)
        return lessons[0]

    def lessons(self, query: ListQuery) -> list[Lesson]:
        self._journal.fold()
        shelves = scopes.of_place(self._db, query.place)
        text = query.text.lower()
        lessons: list[Lesson] = []
        ordered = self._ordered(query, shelves)
        while part := [number for _, (_, number) in zip(range(_WALKED), ordered, strict=False)]:
            matching = self._read(part[: query.limit] if not text else part, shelves, text)
            lessons += matching
            if not text or len(lessons) >= query.limit:
                break
        return lessons[: query.limit]

    def counts(self, place: Place) -> dict[str, int]:
        shelves = tuple(scopes.of_place(self._db, place))
        sql = f"SELECT status, count(*) FROM lessons WHERE shelf IN ({marks(shelves)})"
        return dict(self._db.rows(f"{sql} GROUP BY status", shelves))

    def failures(self, query: ListQuery, since: datetime) -> list[FailureKind]:
        shelves, first = scopes.of_place(self._db, query.place), day_number(since)
        met, kind = query.after or (_ENDLESS, "")
        text = query.text.lower()
        where = _HOLDS_TEXT.format(marks(shelves)) if text else ""
        values = (*shelves, first, *((*shelves, text) if text else ()))
        sql = _KINDS.format(marks(shelves), where)
        counts: dict[str, int] = dict(self._db.rows(sql, (*values, met, met, kind, query.limit)))
        placeholders = marks(shelves), marks(counts)
        met_on = self._db.rows(_DAYS.format(*placeholders), (*shelves, first, *counts))
        facts = self._db.rows(_FACTS.format(*placeholders), (*shelves, *counts))
        days, kinds = days_of(met_on, counts), kinds_of(facts, shelves)
        return [kinds[kind]._replace(met=counts[kind], days=tuple(days[kind])) for kind in counts]

    def deliveries(self, query: ListQuery) -> list[Delivery]:
        self._journal.fold()
        shelves = scopes.of_place(self._db, query.place)
        at, last = query.after or (_ENDLESS, "")
        parameters = [(shelf, at, at, last, query.limit) for shelf in shelves]
        first = _first((self._db.rows(_DELIVERIES, values) for values in parameters), query.limit)
        ids = [identity for _, identity in first]
        sql = f"SELECT {DELIVERY} FROM deliveries WHERE id IN ({marks(ids)})"
        rows = {row[0]: row for row in self._db.rows(sql, ids)}
        return [delivery_of(rows[identity], shelves) for identity in ids]

    def _ordered(self, query: ListQuery, shelves: dict[int, Scope]) -> Iterator[Row]:
        """(last_seen_at, id) of the lessons that may match, in the order of the list."""
        where, values = candidates(query.text)
        allowed = statuses(query.status)
        if query.text and self._are_few(where, values):
            sql = _HOLDING.format(where, marks(shelves), marks(allowed))
            last_seen, number = query.after or (_ENDLESS, "0")
            yield from self._db.rows(
                sql, (*values, *shelves, *allowed, last_seen, last_seen, int(number))
            )
            return
        after = query.after
        while True:
            last_seen, number = after or (_ENDLESS, "0")
            places = [(shelf, status) for shelf in shelves for status in allowed]
            limit = max(_WALKED, query.limit) if query.text else query.limit
            ends = (last_seen, last_seen, int(number), limit)
            rows = _first((self._db.rows(_LESSONS, (*place, *ends)) for place in places), limit)
            yield from rows
            if len(rows) < limit:
                return
            after = rows[-1][0], str(rows[-1][1])

    def _are_few(self, where: str, values: tuple[object, ...]) -> bool:
        sql = f"SELECT count(*) FROM (SELECT 1 FROM lessons WHERE {where} LIMIT {_FEW + 1})"
        ((count,),) = self._db.rows(sql, values)
        return bool(count <= _FEW)

    def _read(
        self, numbers: Sequence[int], shelves: dict[int, Scope], text: str = ""
    ) -> list[Lesson]:
        """The lessons of these ids that are on the shelves and contain the text, in order."""
        rows = self._db.rows(
            f"SELECT id, shelf, {COLUMNS}, {SEARCHED} FROM lessons WHERE id IN ({marks(numbers)})",
            numbers,
        )
        lessons = {
            row[0]: lesson_of(row[:-1], shelves)
            for row in rows
            if row[1] in shelves and (not text or text in row[-1].lower())
        }
        return [lessons[number] for number in numbers if number in lessons]


def _first(groups: Iterable[list[Row]], limit: int) -> list[Row]:
    """The first rows of all groups: highest number first, then by id."""
    return heapq.nsmallest(limit, (row for rows in groups for row in rows), key=_order)


def _order(row: Row) -> tuple[float, object]:
    return -row[0], row[1]
