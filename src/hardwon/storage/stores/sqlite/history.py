"""Earlier versions of lessons, in SQLite."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hardwon.core.values.lesson import CHANGES_KEPT, Change
from hardwon.storage.stores.records import lesson_record, recorded_lesson
from hardwon.storage.stores.rows import moment
from hardwon.storage.stores.sqlite import scopes

if TYPE_CHECKING:
    from hardwon.core.values.scope import Scope
    from hardwon.storage.stores.sqlite.database import Database


class SqliteHistory:
    """Changes, newest last; the oldest are dropped."""

    def __init__(self, database: Database, kept: int = CHANGES_KEPT) -> None:
        self._db = database
        self._kept = kept

    def note(self, change: Change) -> None:
        with self._db as db:
            shelf = scopes.ensure(db, change.before.scope)
            db.run(
                "INSERT INTO lesson_history (shelf, lesson, act, before, at)"
                " VALUES (?, ?, ?, ?, ?)",
                (
                    shelf,
                    change.before.id,
                    change.act,
                    lesson_record(change.before),
                    change.at.timestamp(),
                ),
            )
            db.run(
                "DELETE FROM lesson_history WHERE shelf = ? AND id NOT IN (SELECT id FROM"
                " lesson_history WHERE shelf = ? ORDER BY id DESC LIMIT ?)",
                (shelf, shelf, self._kept),
            )

    def of(self, scope: Scope, lesson: int | None) -> list[Change]:
        visible = scopes.Visible(self._db, scope)
        rows = self._db.rows(
            "SELECT shelf, before, act, at, id FROM lesson_history"
            f" WHERE shelf IN ({visible.marks}) AND (? IS NULL OR lesson = ?) ORDER BY id DESC",
            (*visible.ids, lesson, lesson),
        )
        return [
            Change(
                before=before,
                act=row[2],
                at=moment(row[3]),
                id=row[4],
            )
            for row in rows
            if (before := recorded_lesson(row[1], visible.scopes[row[0]]))
        ]

    def forget(self, scope: Scope, change: Change) -> None:
        visible = scopes.Visible(self._db, scope)
        with self._db as db:
            db.run(
                f"DELETE FROM lesson_history WHERE id = ? AND shelf IN ({visible.marks})",
                (change.id, *visible.ids),
            )
