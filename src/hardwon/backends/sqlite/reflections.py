"""Reflections in SQLite."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from hardwon.backends.sqlite import shelves
from hardwon.domain.reflection import Reflection

if TYPE_CHECKING:
    from hardwon.backends.sqlite.database import Database
    from hardwon.domain.scope import Scope


class SqliteReflections:
    """Reflections on loops and goals."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def save(self, reflection: Reflection) -> None:
        expires = reflection.expires_at
        with self._db as db:
            db.run(
                "INSERT INTO reflections (shelf, subject, title, insight, state, importance,"
                " detail, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    shelves.ensure(db, reflection.scope),
                    *(reflection.subject, reflection.title, reflection.insight, reflection.state),
                    *(reflection.importance, reflection.detail),
                    *(reflection.created_at.timestamp(), expires and expires.timestamp()),
                ),
            )

    def about(self, scope: Scope, subject: str) -> list[Reflection]:
        return self._found(scope, "subject = ? ORDER BY id", (subject,))

    def recent(self, scope: Scope, *, now: datetime, limit: int) -> list[Reflection]:
        return self._found(
            scope,
            "(expires_at IS NULL OR expires_at > ?) ORDER BY created_at DESC, id DESC LIMIT ?",
            (now.timestamp(), limit),
        )

    def _found(self, scope: Scope, where: str, values: tuple[object, ...]) -> list[Reflection]:
        seen = shelves.Visible(self._db, scope)
        rows = self._db.rows(
            "SELECT shelf, subject, title, insight, state, importance, detail, created_at,"
            f" expires_at FROM reflections WHERE shelf IN ({seen.marks}) AND {where}",
            (*seen.ids, *values),
        )
        return [
            Reflection(
                scope=seen.scopes[row[0]],
                subject=row[1],
                title=row[2],
                insight=row[3],
                state=row[4],
                importance=row[5],
                detail=row[6],
                created_at=datetime.fromtimestamp(row[7], UTC),
                expires_at=row[8] and datetime.fromtimestamp(row[8], UTC),
            )
            for row in rows
        ]
