"""Lessons in PostgreSQL, with the index that recall reads."""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING

from hardwon.core.errors import NotFound
from hardwon.core.values.lesson import LIVE, MINED, SHELVED, Lesson, Status, statuses
from hardwon.core.values.lesson_check import checked, mended
from hardwon.core.values.provenance import with_reason
from hardwon.knowledge.ranking.query import Match, Query, index, indexed
from hardwon.storage.postgres.database import uncounted
from hardwon.storage.sql.dialect import Statement
from hardwon.storage.stores.postgres import scopes as shelves
from hardwon.storage.stores.postgres import versions
from hardwon.storage.stores.postgres.answer_cache import AnswerCache
from hardwon.storage.stores.postgres.index import FRESH, Index
from hardwon.storage.stores.rows import COLUMNS, SEARCHED, damage, lesson_of, values_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from hardwon.core.values.scope import Scope
    from hardwon.storage.postgres.database import Database, Row, Tenancy
    from hardwon.storage.stores.postgres.scopes import Visible

_SEARCHED = 200  # lessons searched per query
_CHECKED = 1000  # lessons checked per query
_NAMES = COLUMNS.split(", ")
_READ = f"SELECT id, shelf, {COLUMNS}"
_SELECT = f"{_READ} FROM hardwon.lessons WHERE tenant = :tenant"
_INSERT = f"""
INSERT INTO hardwon.lessons (tenant, shelf, {COLUMNS})
VALUES (:tenant, :shelf, {", ".join(f":{name}" for name in _NAMES)})
ON CONFLICT (tenant, shelf, job) WHERE job <> '' DO NOTHING RETURNING id
"""
_UPDATE = f"""
UPDATE hardwon.lessons SET {", ".join(f"{name} = :{name}" for name in _NAMES)}
WHERE tenant = :tenant AND id = :id AND shelf = :shelf
"""
_GET = f"{_SELECT} AND id = :id AND shelf IN {shelves.SEEN}"
_RECENT = f"""
{_SELECT} AND shelf IN {shelves.SEEN} AND status = ANY(:statuses::text[])
ORDER BY last_seen_at DESC, created_at DESC, id DESC LIMIT :limit
"""
_SEARCH = f"""
SELECT id FROM hardwon.lessons WHERE {shelves.HERE}
AND status = ANY(:statuses::text[]) AND strpos(lower({SEARCHED}), :piece) > 0
ORDER BY hit_count DESC, last_seen_at DESC, id DESC
"""
_HOLDING = f"""
{_READ}, {SEARCHED} FROM hardwon.lessons
WHERE tenant = :tenant AND id = ANY(:ids::bigint[])
"""
_MATCHED = f"""
{_SELECT} AND id = {uncounted("ids")} AND shelf = {uncounted("shelves")}
AND status = ANY(:statuses::text[]) AND (expires_at IS NULL OR expires_at > :now)
AND (origin <> '{MINED}' OR id = {uncounted("mined")})
"""
_USUAL = """
SELECT u.id FROM unnest(:shelves::bigint[]) AS asked (shelf), LATERAL (
    SELECT met_count, updated_at, id FROM hardwon.lessons
    WHERE tenant = :tenant AND shelf = asked.shelf AND status = :status AND met_count > 1
    ORDER BY met_count DESC, updated_at DESC LIMIT :limit
) AS u ORDER BY met_count DESC, updated_at DESC, id DESC LIMIT :limit
"""
_EVERY = f"{_SELECT} AND id > :after ORDER BY id LIMIT :limit"
_GUARDS = f"""
{_SELECT} AND shelf IN {shelves.SEEN} AND guard
AND status <> ALL(:shelved::text[]) ORDER BY id
"""
_PAGE = f"""
{_SELECT} AND shelf = ANY(:shelves::bigint[]) AND status = ANY(:statuses::text[])
AND id > :after ORDER BY id LIMIT :limit
"""


class PostgresLessons:
    """The lesson store of many machines."""

    def __init__(self, database: Database, fresh: int = FRESH) -> None:
        self._db = database
        self.index = Index(database, fresh)
        self._guards: AnswerCache[list[Lesson]] = AnswerCache()

    def add(self, lesson: Lesson) -> Lesson:
        checked(lesson)
        with self._db:
            tenancy, shelf = (
                self._db.of(lesson.scope.tenant),
                shelves.ensure(self._db, lesson.scope),
            )
            inserted = tenancy.row(_INSERT, shelf=shelf, **_values(lesson))
            if inserted is None:
                sql = f"{_SELECT} AND shelf = :shelf AND job = :job"
                before = tenancy.rows(sql, shelf=shelf, job=lesson.job)
                return lesson_of(before[0], {shelf: lesson.scope})
            stored = lesson._replace(id=inserted[0])
            self.index.note(tenancy, shelf, stored.id, index(stored), is_new=True)
            return stored

    def get(self, scope: Scope, number: int) -> Lesson:
        visible, rows = shelves.read(self._db, scope, _GET, id=number)
        if not rows:
            raise NotFound("lesson", number)
        return lesson_of(rows[0], visible.scopes)

    def update(self, lesson: Lesson) -> None:
        checked(lesson)
        with self._db as transaction:
            tenancy = self._db.of(lesson.scope.tenant)
            shelf, before = self._own(lesson.scope, lesson.id)
            tenancy.run(_UPDATE, id=lesson.id, shelf=shelf, **_values(lesson))
            versions.touch(transaction, tenancy, shelf)
            if indexed(lesson) != indexed(before):
                self.index.note(tenancy, shelf, lesson.id, index(lesson), is_new=False)

    def delete(self, scope: Scope, number: int) -> None:
        with self._db:
            tenancy = self._db.of(scope.tenant)
            shelf, _ = self._own(self.get(scope, number).scope, number)
            self.index.note(tenancy, shelf, number, {}, is_new=False)
            self.index.settle(tenancy, shelf)
            tenancy.run(
                "DELETE FROM hardwon.lessons"
                " WHERE tenant = :tenant AND id = :id AND shelf = :shelf",
                id=number,
                shelf=shelf,
            )

    def recent(self, scope: Scope, *, status: str, limit: int) -> list[Lesson]:
        allowed = list(statuses(status))
        visible, rows = shelves.read(self._db, scope, _RECENT, statuses=allowed, limit=limit)
        return [
            lesson for row in rows if (lesson := lesson_of(row, visible.scopes)).status in allowed
        ]

    def search(self, scope: Scope, text: str, *, limit: int) -> list[Lesson]:
        with self._db.snapshot():
            visible = shelves.visible(self._db, scope)
            rows = self._db.of(scope.tenant).rows(
                _SEARCH,
                shelves=visible.ids,
                statuses=list(statuses(Status.ACTIVE)),
                piece=sure_piece(text),
            )
            return self._holding(text.lower(), [number for (number,) in rows], visible, limit)

    def _holding(self, text: str, numbers: list[int], visible: Visible, limit: int) -> list[Lesson]:
        """The first lessons that contain the text; reads no more than needed."""
        tenancy = self._db.of(next(iter(visible.scopes.values())).tenant) if visible.ids else None
        lessons: list[Lesson] = []
        while tenancy and numbers and len(lessons) < limit:
            part, numbers = numbers[:_SEARCHED], numbers[_SEARCHED:]
            matching = holding(tenancy, part, visible.scopes, text)
            lessons += [matching[number] for number in part if number in matching]
        return lessons[:limit]

    def match(self, scope: Scope, query: Query, *, now: datetime, limit: int) -> list[Match]:
        with self._db.snapshot():
            visible, tally = self.index.tally(scope, query)
            best = list(dict.fromkeys((*tally.best(limit), *self._usual(visible, query.usual))))
            mined = tally.mined(query, best)
            rows = self._matched(scope, best, mined, visible, now) if best else []
        lessons = {row[0]: lesson_of(row, visible.scopes) for row in rows}
        undamaged = {number: lesson for number, lesson in lessons.items() if lesson.status in LIVE}
        return [tally.match(undamaged[number]) for number in best if number in undamaged]

    def _matched(
        self, scope: Scope, ids: list[int], mined: list[int], visible: Visible, now: datetime
    ) -> list[Row]:
        values = {"ids": ids, "mined": mined, "shelves": visible.ids, "statuses": list(LIVE)}
        statement = Statement(_MATCHED, values | {"now": now.timestamp()})
        return self._db.ask_last(scope.tenant, statement)[0]

    def guards(self, scope: Scope) -> list[Lesson]:
        cached = self._guards.look(scope, shelves.noted(self._db, scope))
        if cached is not None:
            return cached
        visible, rows = shelves.read(self._db, scope, _GUARDS, shelved=list(SHELVED))
        guards = [lesson_of(row, visible.scopes) for row in rows]
        return guards if self._db.open else self._guards.keep(scope, visible, guards)

    def _usual(self, visible: Visible, limit: int) -> list[int]:
        """The lessons met most often; among equals the latest first."""
        if not limit or not visible.ids:
            return []
        tenancy = self._db.of(visible.shelves[0].scope.tenant)
        rows = tenancy.rows(_USUAL, shelves=visible.ids, status=Status.PROVEN, limit=limit)
        return [number for (number,) in rows]

    def quarantine_damaged(self, tenant: str) -> list[str]:
        """Move every damaged lesson to quarantine; what was done, in words."""
        messages = []
        with self._db:
            tenancy, scopes = self._db.of(tenant), shelves.of_tenant(self._db, tenant)
            for row in chain.from_iterable(pages(tenancy)):
                if problem := damage(row, scopes):
                    lesson = with_reason(mended(lesson_of(row, scopes)), f"damaged: {problem}")
                    tenancy.run(_UPDATE, id=lesson.id, shelf=row[1], **_values(lesson))
                    self.index.note(tenancy, row[1], lesson.id, {}, is_new=False)
                    messages.append(
                        f"lesson {lesson.id} was damaged ({problem}): now in quarantine"
                    )
        return messages

    def _own(self, scope: Scope, number: int) -> tuple[int, Lesson]:
        """The shelf of exactly this scope, and its lesson, locked for an update."""
        shelf = shelves.own(self._db, scope)
        row = self._db.of(scope.tenant).row(
            f"{_SELECT} AND id = :id AND shelf = :shelf FOR UPDATE", id=number, shelf=shelf
        )
        if shelf is None or row is None:
            raise NotFound("lesson", number)
        return shelf, lesson_of(row, {shelf: scope})


def _values(lesson: Lesson) -> dict[str, object]:
    return dict(zip(_NAMES, values_of(lesson), strict=True))


def sure_piece(text: str) -> str:
    """The longest ASCII part of a text, in lower case: every server lowers it alike."""
    return max(re.findall(r"[\x20-\x7e]+", text), key=len, default="").lower()


def holding(
    tenancy: Tenancy, numbers: list[int], scopes: dict[int, Scope], text: str
) -> dict[int, Lesson]:
    """The lessons among these that are on the shelves and contain the text."""
    return {
        row[0]: lesson_of(row[:-1], scopes)
        for row in tenancy.rows(_HOLDING, ids=numbers)
        if row[1] in scopes and text in row[-1].lower()
    }


def pages(tenancy: Tenancy) -> Iterator[list[Row]]:
    """All lesson rows of a tenant, in batches, ordered by id."""
    last = 0
    while rows := tenancy.rows(_EVERY, after=last, limit=_CHECKED):
        yield rows
        last = rows[-1][0]


def page(tenancy: Tenancy, scopes: dict[int, Scope], *, after: int, limit: int) -> list[Lesson]:
    """The active lessons of these shelves with an id over `after`, ordered by id."""
    allowed = list(statuses(Status.ACTIVE))
    rows = tenancy.rows(_PAGE, shelves=list(scopes), statuses=allowed, after=after, limit=limit)
    return [lesson for row in rows if (lesson := lesson_of(row, scopes)).is_active]
