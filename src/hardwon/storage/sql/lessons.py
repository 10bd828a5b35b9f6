"""Lessons in SQL, with the index that recall reads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import datetime
from typing import Any

from hardwon.core.errors import NotFound
from hardwon.core.values.lesson import (
    LIVE,
    MINED,
    SHELVED,
    Lesson,
    Status,
    quarantine_lesson,
    statuses,
)
from hardwon.core.values.lesson_formats import check_lesson, mend_lesson
from hardwon.core.values.scope import Scope
from hardwon.knowledge.ranking.query import Match, MatchTally, Query, index, index_parts
from hardwon.storage.sql import scopes
from hardwon.storage.sql.dialect import Row, SqlDatabase, Tenancy, bind, read_queries, values_clause
from hardwon.storage.sql.rows import COLUMNS, NAMES, SEARCHED, damage, lesson_of, values_of
from hardwon.storage.sql.scopes import Visible

_SEARCHED = 200  # lessons searched per query
_CHECKED = 1000  # lessons checked per query

_HITS = 2 + NAMES.index("hit_count")  # its place in a row
_ACTIVE = list(statuses(Status.ACTIVE))
_SQL = read_queries(
    __file__,
    COLUMNS=COLUMNS,
    VALUES=values_clause(NAMES),
    ASSIGNED=", ".join(f"{name} = :{name}" for name in NAMES if name != "hit_count"),
    SEEN=scopes.SEEN,
    SEARCHED=SEARCHED,
    MINED=MINED,
)


class LessonIndex:
    """The index of lessons by key."""

    def note(
        self, tenancy: Tenancy, shelf: int, lesson: int, entries: dict[str, int], *, is_new: bool
    ) -> None:
        """Set the keys by which a lesson is found. Call inside `with database:`."""
        raise NotImplementedError

    def touch(self, tenancy: Tenancy, shelf: int) -> None:
        """Note that a lesson of a shelf has changed, even if its keys have not."""

    def settle(self, tenancy: Tenancy, shelf: int) -> None:
        """Merge the waiting entries of a shelf into the dictionary."""
        raise NotImplementedError

    def look_ahead(self, scope: Scope, queries: Sequence[Query]) -> None:
        """Prepare `tally` for these queries, which the open transaction is about to ask."""

    def snapshot(self) -> AbstractContextManager[object]:
        """What `tally` needs to read several tables as of one moment."""
        return nullcontext()

    def tally(self, scope: Scope, query: Query) -> tuple[Visible, MatchTally]:
        """The shelves visible from a scope, and the scores of the lessons there.

        They come from postings of the query's rarest keys, within a limit.
        """
        raise NotImplementedError


class SqlLessons:
    """The lessons of all scopes. Every change of one is indexed in the same commit.

    Every call names a scope, and nothing outside it is read or changed.
    """

    def __init__(self, database: SqlDatabase, lesson_index: LessonIndex) -> None:
        self._db = database
        self.index = lesson_index
        # Each with the state of the database at that time
        self._current: tuple[object, dict[object, Any]] = None, {}
        self._read: tuple[object, dict[int, Lesson]] = None, {}  # the lessons of the last search

    def add(self, lesson: Lesson) -> Lesson:
        """Store durably; the lesson with its id. A job stored before gets its first lesson back."""
        check_lesson(lesson)
        with self._db:
            tenancy = self._db.of(lesson.scope.tenant)
            shelf = scopes.ensure(self._db, lesson.scope)
            number = None if lesson.job else tenancy.reserve_lesson()
            if number is not None:  # nothing to wait for: no job can have stored it before
                tenancy.run(_SQL["insert_numbered"], id=number, shelf=shelf, **values_of(lesson))
            elif inserted := tenancy.row(_SQL["insert"], shelf=shelf, **values_of(lesson)):
                number = inserted[0]
            else:
                ((*before,),) = tenancy.rows(_SQL["of_job"], shelf=shelf, job=lesson.job)
                return lesson_of(tuple(before), {shelf: lesson.scope})
            stored = lesson._replace(id=number)
            self.index.note(tenancy, shelf, stored.id, index(stored), is_new=True)
            if stored.guard:
                self.publish_guards()
            return stored

    def get(self, scope: Scope, number: int) -> Lesson:
        """The lesson with this id if it is visible from the scope, else NotFound."""
        found = self.get_all(scope, [number])
        if not found:
            raise NotFound("lesson", number)
        return found[0]

    def get_all(self, scope: Scope, numbers: Sequence[int]) -> list[Lesson]:
        """The lessons with these ids that are visible from the scope."""
        current = {} if self._db.is_open else self._current_notes()
        if unread := [number for number in numbers if (scope, number) not in current]:
            asked = self._db.of(scope.tenant).of_each(bind(_SQL["get"]), id=unread)
            visible, rows = scopes.read(self._db, scope, asked.sql, **asked.values)
            lessons = (lesson_of(row, visible.scopes) for row in rows)
            current.update(((scope, lesson.id), lesson) for lesson in lessons)
        known = (current.get((scope, number)) for number in numbers)
        return [self._remember(lesson, scope) for lesson in known if lesson is not None]

    def _current_notes(self) -> dict[object, Any]:
        """What was read since the last change by anybody; empty where that is not known."""
        state = self._db.state()  # before anything is read
        known, notes = self._current
        if state is None or state != known:
            notes = {}
            self._current = state, notes
        return notes

    def update(self, lesson: Lesson) -> None:
        """Replace the stored lesson of that id and scope, else NotFound."""
        check_lesson(lesson)
        with self._db:
            tenancy = self._db.of(lesson.scope.tenant)
            shelf, before = self._own(lesson.scope, lesson.id)
            values = {"shelf": shelf, "known_hits": before.hits, **values_of(lesson)}
            tenancy.run(_SQL["update"], id=lesson.id, **values)
            self._remember(lesson, lesson.scope)
            self.index.touch(tenancy, shelf)
            if index_parts(lesson) != index_parts(before):
                self.index.note(tenancy, shelf, lesson.id, index(lesson), is_new=False)
            if before.guard or lesson.guard:
                self.publish_guards()

    def delete(self, scope: Scope, number: int) -> None:
        """Remove the lesson for good, else NotFound."""
        with self._db:
            tenancy = self._db.of(scope.tenant)
            shelf, before = self._own(self.get(scope, number).scope, number)
            self.index.note(tenancy, shelf, number, {}, is_new=False)
            self.index.settle(tenancy, shelf)
            tenancy.run(_SQL["delete"], id=number, shelf=shelf)
            self._db.lesson_notes.pop(number, None)
            if before.guard:
                self.publish_guards()

    def recent(self, scope: Scope, *, status: str, limit: int) -> list[Lesson]:
        """Those visible from the scope, newest-consulted first."""
        allowed = list(statuses(status))
        with self.index.snapshot():
            visible = scopes.visible(self._db, scope)
            rows = self._db.of(scope.tenant).first_of_each(
                bind(_SQL["recent"]),
                "last_seen_at DESC, id DESC",
                each={"shelf": visible.ids, "status": allowed},
                limit=limit,
            )
        lessons = [lesson_of(row, visible.scopes) for row in rows]
        lessons.sort(key=lambda one: (one.last_seen_at, one.id), reverse=True)
        return [lesson for lesson in lessons[:limit] if lesson.status in allowed]  # undamaged

    def search(self, scope: Scope, text: str, *, limit: int) -> list[Lesson]:
        """Those whose situation, mistake, correction or tags contain the text, case aside."""
        with self._db.snapshot():
            visible, tenancy = scopes.visible(self._db, scope), self._db.of(scope.tenant)
            condition, values = self._db.text_filter(text)
            places = {"shelves": visible.ids, "statuses": _ACTIVE}
            rows = tenancy.rows(_SQL["search"].format(condition), **places, **values)
            lessons: list[Lesson] = []
            for start in range(0, len(rows), _SEARCHED):
                numbers = [number for (number,) in rows[start : start + _SEARCHED]]
                lessons += with_text(tenancy, numbers, visible.scopes, text.lower())
                if len(lessons) >= limit:
                    break
            return lessons[:limit]

    def match(self, scope: Scope, query: Query, *, now: datetime, limit: int) -> list[Match]:
        """The deliverable lessons that share something with the query, best first."""
        with self.index.snapshot():
            visible, tally = self.index.tally(scope, query)
            usual = self._usual(scope.tenant, visible, query.usual)
            best = list(dict.fromkeys((*tally.best(limit), *usual)))
            if not best:
                return []
            values = {"mined": tally.mined_ids(query, best), "shelves": visible.ids}
            statement = bind(_SQL["matched"], now=now.timestamp(), statuses=list(LIVE), **values)
            tenancy = self._db.of(scope.tenant)
            (rows,) = tenancy.ask(tenancy.of_each(statement, id=best))
        lessons = {row[0]: lesson_of(row, visible.scopes) for row in rows}
        matched = [self._remember(lessons[number], scope) for number in best if number in lessons]
        return [tally.match(lesson) for lesson in matched if lesson.status in LIVE]  # undamaged

    def _usual(self, tenant: str, visible: Visible, limit: int) -> list[int]:
        """The lessons met most often; among equals the latest first."""
        if not limit:
            return []
        rows = self._db.of(tenant).first_of_each(
            bind(_SQL["usual"], status=Status.PROVEN),
            "met_count DESC, updated_at DESC, id DESC",
            each={"shelf": visible.ids},
            limit=limit,
        )
        return [number for *_, number in sorted(rows, reverse=True)[:limit]]

    def guards(self, scope: Scope) -> list[Lesson]:
        """The lessons visible from the scope that forbid calls, by id."""
        current = self._current_notes()
        if scope not in current:
            visible, rows = scopes.read(self._db, scope, _SQL["guards"], shelved=list(SHELVED))
            current[scope] = [lesson_of(row, visible.scopes) for row in sorted(rows)]
        guards: list[Lesson] = current[scope]
        return guards

    def publish_guards(self) -> None:
        """Called when a lesson that forbids calls has changed, in the same transaction."""

    def quarantine_damaged(self, tenant: str) -> list[str]:
        """Move every damaged lesson to quarantine; a message about each."""
        messages = []
        with self._db:
            tenancy, owners = self._db.of(tenant), scopes.of_tenant(self._db, tenant)
            for row in every_row(tenancy, list(owners)):
                if problem := self._damage(row, owners):
                    lesson = quarantine_lesson(
                        mend_lesson(lesson_of(row, owners)), f"damaged: {problem}"
                    )
                    values = {"shelf": row[1], "known_hits": row[_HITS], **values_of(lesson)}
                    tenancy.run(_SQL["update"], id=lesson.id, **values)
                    self.index.note(tenancy, row[1], lesson.id, {}, is_new=False)
                    messages.append(
                        f"lesson {lesson.id} was damaged ({problem}): now in quarantine"
                    )
        return messages

    def _damage(self, row: Row, owners: dict[int, Scope]) -> str:
        return damage(row, owners)

    def _remember(self, lesson: Lesson, seen_from: Scope) -> Lesson:
        """Keep a lesson while nobody else can change it, or the state is known; returns it."""
        if self._db.is_alone:
            self._db.lesson_notes[lesson.id] = lesson
        elif (state := self._db.last_state(seen_from)) is not None:
            read = self._read  # other threads may read another state meanwhile
            if read[0] != state:
                read = self._read = state, {}
            read[1][lesson.id] = lesson
        return lesson

    def _own(self, scope: Scope, number: int) -> tuple[int, Lesson]:
        """The shelf of exactly this scope, and its lesson, locked for an update."""
        shelf = scopes.own(self._db, scope)
        known: Lesson | None = None  # as it is stored, if nobody else can change it
        if self._db.is_alone:
            (state, read), notes = self._read, self._db.lesson_notes
            is_current = state is not None and state == self._db.last_state(scope)
            known = notes.get(number) or (read.get(number) if is_current else None)
        if shelf is not None and known is not None and known.scope == scope:
            return shelf, known
        row = self._db.of(scope.tenant).row(_SQL["own"], id=number, shelf=shelf)
        if shelf is None or row is None:
            raise NotFound("lesson", number)
        return shelf, lesson_of(row, {shelf: scope})


def with_text(
    tenancy: Tenancy, numbers: list[int], owners: dict[int, Scope], text: str
) -> list[Lesson]:
    """The lessons of these numbers that are on the shelves and contain the text, in order."""
    (rows,) = tenancy.ask(tenancy.of_each(bind(_SQL["with_text"]), id=numbers))
    lessons = {
        row[0]: lesson_of(row[:-1], owners)
        for row in rows
        if row[1] in owners and text in row[-1].lower()
    }
    return [lessons[number] for number in numbers if number in lessons]


def every_row(tenancy: Tenancy, shelves: list[int]) -> Iterator[Row]:
    """All lesson rows of these shelves, ordered by id."""
    last = 0
    while rows := tenancy.rows(_SQL["every"], shelves=shelves, after=last, limit=_CHECKED):
        yield from rows
        last = rows[-1][0]


def active_page(
    tenancy: Tenancy, owners: dict[int, Scope], *, after: int, limit: int
) -> list[Lesson]:
    """The active lessons of these shelves with an id over `after`, ordered by id."""
    values = {"shelves": list(owners), "statuses": _ACTIVE, "after": after, "limit": limit}
    lessons = (lesson_of(row, owners) for row in tenancy.rows(_SQL["page"], **values))
    return [lesson for lesson in lessons if lesson.is_active]
