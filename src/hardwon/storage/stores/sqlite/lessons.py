"""Lessons in SQLite, with the index that recall reads."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

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
from hardwon.knowledge.ranking.query import Match, Query, index, indexed
from hardwon.storage.stores import guard_file
from hardwon.storage.stores.rows import ALL_TEXT, COLUMNS, SEARCHED, damage, lesson_of, values_of
from hardwon.storage.stores.sqlite import scopes as shelves
from hardwon.storage.stores.sqlite.database import marks
from hardwon.storage.stores.sqlite.inverted.search import FRESH, Index

if TYPE_CHECKING:
    from datetime import datetime

    from hardwon.core.values.scope import Scope
    from hardwon.storage.stores.sqlite.database import Database

_SEARCHED = 100  # lessons searched per query
_LETTERS = 60  # most trigrams per query; more would not narrow the result

_ACTIVE = ", ".join(f"'{status}'" for status in statuses(Status.ACTIVE))
_LIVE = ", ".join(f"'{status}'" for status in LIVE)
_READ = f"SELECT id, shelf, {COLUMNS}"
_SELECT = f"{_READ} FROM lessons"
_GUARDS = f"guard = 1 AND status NOT IN ({marks(SHELVED)})"
_INSERT = f"INSERT INTO lessons (shelf, {COLUMNS}) VALUES (?{', ?' * 23})"
_INSERT_AS = _INSERT.replace("(shelf, ", "(id, shelf, ").replace("VALUES (?", "VALUES (?, ?")
# The last condition lets SQLite use the partial index.
_OF_JOB = f"{_SELECT} WHERE shelf = ? AND job = ? AND job <> ''"
_UPDATE = (
    "UPDATE lessons SET "
    + ", ".join(f"{column} = ?" for column in COLUMNS.split(", "))
    + " WHERE id = ? AND shelf = ?"
)


class SqliteLessons:
    """The lesson store of the embedded default."""

    def __init__(self, database: Database, fresh: int = FRESH) -> None:
        self._db = database
        self._home = os.path.dirname(database.path)
        self._index = Index(database, fresh)

    def add(self, lesson: Lesson) -> Lesson:
        check_lesson(lesson)
        with self._db as db:
            shelf = shelves.ensure(db, lesson.scope)
            row = lesson.job and db.row(_OF_JOB, (shelf, lesson.job))
            if row:
                return lesson_of(row, {shelf: lesson.scope})
            stored = lesson._replace(id=db.run(_INSERT, (shelf, *values_of(lesson))))
            self._index.note(shelf, stored.id, index(stored), is_new=True)
            self._publish(stored)
            return stored

    def place(self, lesson: Lesson) -> None:
        """Store a lesson under the number that another store gave it; `settle` must follow.

        A lesson of the same job under another number is replaced.
        """
        db, shelf = self._db, shelves.ensure(self._db, lesson.scope)
        rows = db.rows(f"{_SELECT} WHERE id = ?", (lesson.id,))
        rows += db.rows(_OF_JOB, (shelf, lesson.job)) if lesson.job else []
        replaced = {row[:2] for row in rows} - {(lesson.id, shelf)}
        for number, old_shelf in replaced:
            self.delete(shelves.every(db)[old_shelf], number)
        if len(rows) > len(replaced):
            self.update(lesson)
            return
        highest = db.rows("SELECT coalesce(max(id), 0) FROM lessons")[0][0]
        db.run(_INSERT_AS, (lesson.id, shelf, *values_of(lesson)))
        is_highest = lesson.id > highest
        self._index.place(shelf, lesson.id, index(lesson), is_highest=is_highest)
        self._publish(lesson)

    def settle(self) -> None:
        """Merge everything into the dictionary. Call inside `with database:`, like `place`."""
        self._index.settle()

    def get(self, scope: Scope, number: int) -> Lesson:
        visible = shelves.Visible(self._db, scope)
        row = self._db.row(
            f"{_SELECT} WHERE id = ? AND shelf IN ({visible.marks})", (number, *visible.ids)
        )
        if row is None:
            raise NotFound("lesson", number)
        return lesson_of(row, visible.scopes)

    def update(self, lesson: Lesson) -> None:
        check_lesson(lesson)
        with self._db as db:
            shelf, before = self._own(lesson.scope, lesson.id)
            db.run(_UPDATE, (*values_of(lesson), lesson.id, shelf))
            if indexed(lesson) != indexed(before):
                self._index.note(shelf, lesson.id, index(lesson), is_new=False)
            self._publish(before, lesson)

    def delete(self, scope: Scope, number: int) -> None:
        with self._db as db:
            shelf, before = self._own(self.get(scope, number).scope, number)
            self._index.note(shelf, number, {}, is_new=False)
            self._index.settle()
            db.run("DELETE FROM lessons WHERE id = ? AND shelf = ?", (number, shelf))
            self._publish(before)

    def recent(self, scope: Scope, *, status: str, limit: int) -> list[Lesson]:
        visible = shelves.Visible(self._db, scope)
        allowed = statuses(status)
        rows = self._db.rows(
            f"{_SELECT} WHERE shelf IN ({visible.marks}) AND status IN ({marks(allowed)})"
            " ORDER BY last_seen_at DESC, created_at DESC, id DESC LIMIT ?",
            (*visible.ids, *allowed, limit),
        )
        return [
            lesson for row in rows if (lesson := lesson_of(row, visible.scopes)).status in allowed
        ]

    def search(self, scope: Scope, text: str, *, limit: int) -> list[Lesson]:
        with self._db.snapshot():
            visible = shelves.Visible(self._db, scope)
            where, values = candidates(text)
            rows = self._db.rows(
                f"SELECT id FROM lessons WHERE {where} AND +shelf IN ({visible.marks})"
                f" AND +status IN ({_ACTIVE}) ORDER BY hit_count DESC, last_seen_at DESC, id DESC",
                (*values, *visible.ids),
            )
            return self._holding(text.lower(), [number for (number,) in rows], visible, limit)

    def _holding(
        self, text: str, numbers: list[int], visible: shelves.Visible, limit: int
    ) -> list[Lesson]:
        """The first lessons that contain the text; reads no more than needed."""
        lessons: list[Lesson] = []
        while numbers and len(lessons) < limit:
            part, numbers = numbers[:_SEARCHED], numbers[_SEARCHED:]
            rows = self._db.rows(
                f"{_READ}, {SEARCHED} FROM lessons WHERE id IN ({marks(part)})", part
            )
            matching = {
                row[0]: lesson_of(row[:-1], visible.scopes)
                for row in rows
                if text in row[-1].lower()
            }
            lessons += [matching[number] for number in part if number in matching]
        return lessons[:limit]

    def match(self, scope: Scope, query: Query, *, now: datetime, limit: int) -> list[Match]:
        with self._db.snapshot():
            visible = shelves.visible(self._db, scope)
            tally = self._index.tally(visible, query)
            best = list(dict.fromkeys((*tally.best(limit), *self._usual(visible, query.usual))))
            if not best:
                return []
            mined = tally.mined(query, best)
            rows = self._db.rows(
                f"{_SELECT} WHERE id IN ({marks(best)}) AND +shelf IN ({visible.marks})"
                f" AND +status IN ({_LIVE}) AND (expires_at IS NULL OR expires_at > ?)"
                f" AND (origin <> ? OR id IN ({marks(mined)}))",
                (*best, *visible.ids, now.timestamp(), MINED, *mined),
            )
        lessons = {row[0]: lesson_of(row, visible.scopes) for row in rows}
        found = [lessons[number] for number in best if number in lessons]
        return [tally.match(lesson) for lesson in found if lesson.status in LIVE]  # undamaged

    def guards(self, scope: Scope) -> list[Lesson]:
        visible = shelves.Visible(self._db, scope)
        rows = self._db.rows(
            f"{_SELECT} WHERE shelf IN ({visible.marks}) AND {_GUARDS} ORDER BY id",
            (*visible.ids, *SHELVED),
        )
        return [lesson_of(row, visible.scopes) for row in rows]

    def publish_guards(self) -> None:
        """Rewrite the file of forbidden calls. Call inside `with database:`."""
        scopes = shelves.every(self._db)
        rows = self._db.rows(f"{_SELECT} WHERE {_GUARDS} ORDER BY id", SHELVED)
        guard_file.write(self._home, [lesson_of(row, scopes) for row in rows])

    def _publish(self, *changed: Lesson) -> None:
        if any(lesson.guard for lesson in changed):
            self.publish_guards()

    def _usual(self, visible: shelves.Visible, limit: int) -> list[int]:
        """The lessons met most often; among equals the latest first."""
        if not limit:
            return []
        rows = [
            row
            for shelf in visible.ids
            for row in self._db.rows(
                "SELECT met_count, updated_at, id FROM lessons WHERE shelf = ? AND status = ?"
                " AND met_count > 1 ORDER BY met_count DESC, updated_at DESC LIMIT ?",
                (shelf, Status.PROVEN, limit),
            )
        ]
        return [number for *_, number in sorted(rows, reverse=True)[:limit]]

    def quarantine_damaged(self) -> list[str]:
        """Move every damaged lesson to quarantine; what was done, in words."""
        messages = []
        with self._db as db:
            scopes, illegible = shelves.every(db), self._illegible()
            for row in db.rows(_SELECT):
                problem = "not UTF-8" if row[0] in illegible else damage(row, scopes)
                if problem:
                    lesson = mend_lesson(lesson_of(row, scopes))
                    lesson = quarantine_lesson(lesson, f"damaged: {problem}")
                    db.run(_UPDATE, (*values_of(lesson), lesson.id, row[1]))
                    self._index.note(row[1], lesson.id, {}, is_new=False)
                    messages.append(
                        f"lesson {lesson.id} was damaged ({problem}): now in quarantine"
                    )
        return messages

    def _illegible(self) -> set[int]:
        """The lessons with bytes that are not UTF-8."""
        rows = self._db.rows(f"SELECT id, CAST({ALL_TEXT} AS BLOB) FROM lessons")
        return {number for number, raw in rows if not _is_utf8(raw)}

    def _own(self, scope: Scope, number: int) -> tuple[int, Lesson]:
        """The shelf of exactly this scope, and its lesson."""
        shelf = shelves.own(self._db, scope)
        row = self._db.row(f"{_SELECT} WHERE id = ? AND shelf = ?", (number, shelf))
        if shelf is None or row is None:
            raise NotFound("lesson", number)
        return shelf, lesson_of(row, {shelf: scope})


def _is_utf8(raw: bytes) -> bool:
    try:
        raw.decode()
    except UnicodeDecodeError:
        return False
    return True


def candidates(text: str) -> tuple[str, tuple[object, ...]]:
    """The SQL condition for lessons that may contain the text; the index needs 3 characters."""
    if len(text) < 3:
        return "TRUE", ()
    trigrams = {text[at : at + 3].replace('"', '""') for at in range(len(text) - 2)}
    return (
        "(id IN (SELECT rowid FROM lesson_text WHERE lesson_text MATCH ?)"
        " OR id > (SELECT last FROM lesson_text_reach))",
        (" AND ".join(f'"{trigram}"' for trigram in sorted(trigrams)[:_LETTERS]),),
    )


def page(db: Database, scopes: dict[int, Scope], *, after: int, limit: int) -> list[Lesson]:
    """The active lessons of these shelves with an id over `after`, ordered by id."""
    rows = db.rows(
        f"{_SELECT} WHERE id > ? AND +shelf IN ({marks(scopes)})"
        f" AND +status IN ({_ACTIVE}) ORDER BY id LIMIT ?",
        (after, *scopes, limit),
    )
    return [lesson for row in rows if (lesson := lesson_of(row, scopes)).is_active]
