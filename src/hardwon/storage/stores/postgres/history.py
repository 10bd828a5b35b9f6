"""Earlier versions of lessons, in PostgreSQL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hardwon.core.values.history import KEPT, Change
from hardwon.storage.stores.postgres import scopes
from hardwon.storage.stores.records import lesson_record, recorded_lesson
from hardwon.storage.stores.rows import moment

if TYPE_CHECKING:
    from hardwon.core.values.scope import Scope
    from hardwon.storage.postgres.database import Database

_NOTE = """
INSERT INTO hardwon.lesson_history (tenant, shelf, lesson, act, before, at)
VALUES (:tenant, :shelf, :lesson, :act, :before, :at)
"""
_PRUNE = """
DELETE FROM hardwon.lesson_history WHERE tenant = :tenant AND shelf = :shelf AND id IN (
    SELECT id FROM hardwon.lesson_history WHERE tenant = :tenant AND shelf = :shelf
    ORDER BY id DESC OFFSET :kept
)
"""
_OF = f"""
SELECT shelf, before, act, at, id FROM hardwon.lesson_history
WHERE {scopes.HERE}
AND (:lesson::bigint IS NULL OR lesson = :lesson::bigint) ORDER BY id DESC
"""
_FORGET = f"""
DELETE FROM hardwon.lesson_history
WHERE {scopes.HERE} AND id = :id
"""


class PostgresHistory:
    """Changes, newest last; the oldest are dropped."""

    def __init__(self, database: Database, kept: int = KEPT) -> None:
        self._db = database
        self._kept = kept

    def note(self, change: Change) -> None:
        before = change.before
        with self._db:
            tenancy, shelf = self._db.of(before.scope.tenant), scopes.ensure(self._db, before.scope)
            tenancy.run(
                _NOTE,
                shelf=shelf,
                lesson=before.id,
                act=change.act,
                before=lesson_record(before),
                at=change.at.timestamp(),
            )
            tenancy.run(_PRUNE, shelf=shelf, kept=self._kept)

    def of(self, scope: Scope, lesson: int | None) -> list[Change]:
        visible = scopes.visible(self._db, scope)
        rows = self._db.of(scope.tenant).rows(_OF, shelves=visible.ids, lesson=lesson)
        return [
            Change(before=before, act=act, at=moment(at), id=number)
            for shelf, record, act, at, number in rows
            if (before := recorded_lesson(record, visible.scopes[shelf]))
        ]

    def forget(self, scope: Scope, change: Change) -> None:
        visible = scopes.visible(self._db, scope)
        self._db.of(scope.tenant).run(_FORGET, shelves=visible.ids, id=change.id)
