"""Lists over many scopes in PostgreSQL, merged from the first rows of each shelf."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hardwon.core.errors import NotFound
from hardwon.core.values.lesson import statuses
from hardwon.core.values.report import day_number
from hardwon.storage.stores.postgres import scopes
from hardwon.storage.stores.postgres.lessons import holding, sure_piece
from hardwon.storage.stores.postgres.statistics import met_on
from hardwon.storage.stores.records import kinds_of
from hardwon.storage.stores.rows import DELIVERY, SEARCHED, delivery_of

if TYPE_CHECKING:
    from datetime import datetime

    from hardwon.core.values.delivery import Delivery
    from hardwon.core.values.lesson import Lesson
    from hardwon.core.values.listing import ListQuery, Place
    from hardwon.core.values.report import FailureKind
    from hardwon.core.values.scope import Scope
    from hardwon.storage.postgres.database import Database
    from hardwon.storage.stores.journal import Journal

_WALKED = 200  # lessons read per query
_ENDLESS = float("inf")
# The order of the index `lessons_recent`.
_LESSONS = f"""
SELECT l.last_seen_at, l.id FROM unnest(:shelves::bigint[]) AS seen (shelf),
unnest(:statuses::text[]) AS asked (status), LATERAL (
    SELECT last_seen_at, id FROM hardwon.lessons
    WHERE tenant = :tenant AND shelf = seen.shelf AND status = asked.status
    AND last_seen_at <= :at AND (last_seen_at < :at OR id > :id)
    AND (:piece = '' OR strpos(lower({SEARCHED}), :piece) > 0)
    ORDER BY last_seen_at DESC, id LIMIT :limit
) AS l ORDER BY l.last_seen_at DESC, l.id LIMIT :limit
"""
_DELIVERIES = f"""
SELECT d.* FROM unnest(:shelves::bigint[]) AS seen (shelf), LATERAL (
    SELECT {DELIVERY} FROM hardwon.deliveries
    WHERE tenant = :tenant AND shelf = seen.shelf
    AND at <= :at AND (at < :at OR id > :id) ORDER BY at DESC, id LIMIT :limit
) AS d ORDER BY d.at DESC, d.id LIMIT :limit
"""
_COUNTS = f"SELECT status, count(*) FROM hardwon.lessons WHERE {scopes.HERE} GROUP BY status"
_KINDS = f"""
SELECT signature, met FROM (
    SELECT signature, sum(met)::bigint AS met FROM hardwon.failure_days
    WHERE {scopes.HERE} AND day >= :first AND (:text = '' OR signature IN (
        SELECT signature FROM hardwon.failures
        WHERE {scopes.HERE} AND strpos(lower(text), :text) > 0
    )) GROUP BY signature
) AS k WHERE met <= :met AND (met < :met OR signature > :kind)
ORDER BY met DESC, signature LIMIT :limit
"""
_FACTS = f"""
SELECT signature, text, first_at, last_at, shelf FROM hardwon.failures
WHERE {scopes.HERE} AND signature = ANY(:kinds::text[]) ORDER BY last_at
"""


class PostgresListing:
    """Pages of lists; each reads few rows beyond those it shows."""

    def __init__(self, database: Database, journal: Journal) -> None:
        self._db = database
        self._journal = journal

    def scopes(self, tenant: str) -> list[Scope]:
        every = scopes.of_tenant(self._db, tenant).values()
        return sorted(every, key=lambda scope: (scope.agent, scope.project or ""))

    def lesson(self, place: Place, number: int) -> Lesson:
        self._journal.fold()
        by_id = holding(self._db.of(place.tenant), [number], scopes.of_place(self._db, place), "")
        if not by_id:
            raise NotFound("lesson", number)
        return by_id[number]

    def lessons(self, query: ListQuery) -> list[Lesson]:
        self._journal.fold()
        shelves, text = scopes.of_place(self._db, query.place), query.text.lower()
        tenancy = self._db.of(query.place.tenant)
        lessons: list[Lesson] = []
        limit = max(_WALKED, query.limit) if text else query.limit
        at, number = query.after or (_ENDLESS, "0")
        while len(lessons) < query.limit:
            rows = tenancy.rows(
                _LESSONS,
                shelves=list(shelves),
                statuses=list(statuses(query.status)),
                piece=sure_piece(text),
                at=at,
                id=int(number),
                limit=limit,
            )
            ids = [row[1] for row in rows]
            matching = holding(tenancy, ids, shelves, text)
            lessons += [matching[lesson_id] for lesson_id in ids if lesson_id in matching]
            if len(rows) < limit:
                break
            at, number = rows[-1]
        return lessons[: query.limit]

    def counts(self, place: Place) -> dict[str, int]:
        shelves = list(scopes.of_place(self._db, place))
        return dict(self._db.of(place.tenant).rows(_COUNTS, shelves=shelves))

    def failures(self, query: ListQuery, since: datetime) -> list[FailureKind]:
        shelves, first = scopes.of_place(self._db, query.place), day_number(since)
        tenancy = self._db.of(query.place.tenant)
        met, kind = query.after or (_ENDLESS, "")
        values = {"shelves": list(shelves), "first": first, "text": query.text.lower()}
        rows = tenancy.rows(_KINDS, met=met, kind=kind, limit=query.limit, **values)
        counts: dict[str, int] = dict(rows)
        days = met_on(tenancy, list(shelves), first, list(counts))
        facts = tenancy.rows(_FACTS, shelves=list(shelves), kinds=list(counts))
        by_kind = kinds_of(facts, shelves)
        return [
            by_kind[digest]._replace(met=counts[digest], days=tuple(days[digest]))
            for digest in counts
        ]

    def deliveries(self, query: ListQuery) -> list[Delivery]:
        self._journal.fold()
        shelves = scopes.of_place(self._db, query.place)
        at, last = query.after or (_ENDLESS, "")
        values = {"shelves": list(shelves), "at": at, "id": last, "limit": query.limit}
        rows = self._db.of(query.place.tenant).rows(_DELIVERIES, **values)
        return [delivery_of(row, shelves) for row in rows]
