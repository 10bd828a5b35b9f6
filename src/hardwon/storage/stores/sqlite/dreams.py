"""Dreams in SQLite: `dream_log`, which is never pruned, and each dream's changes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from hardwon.core.errors import NotFound
from hardwon.core.values.dream import DreamChange
from hardwon.storage.stores.records import DREAM, dream_of, dream_values
from hardwon.storage.stores.rows import listed
from hardwon.storage.stores.sqlite import scopes as shelves
from hardwon.storage.stores.sqlite.lessons import page

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hardwon.core.values.dream import Dream
    from hardwon.core.values.lesson import Lesson
    from hardwon.core.values.scope import Scope
    from hardwon.storage.stores.sqlite.database import Database

_PAGE = 1000
_MORE_CACHE = "PRAGMA cache_size = -65536"  # KiB: a dream reads and writes all over the file


class SqliteDreams:
    """The log of dreams of the embedded default."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def save(self, dream: Dream) -> None:
        with self._db as db:
            shelf = shelves.ensure(db, dream.scope.everywhere())
            db.run(
                f"INSERT INTO dream_log (shelf, created_at, {DREAM})"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET"
                " duration_seconds = excluded.duration_seconds,"
                " memories_consolidated = excluded.memories_consolidated,"
                " reflection = excluded.reflection,"
                " improvements_proposed = excluded.improvements_proposed,"
                " improvements_json = excluded.improvements_json,"
                " report = excluded.report, state = excluded.state",
                (shelf, dream.started_at.timestamp(), *dream_values(dream)),
            )

    def get(self, scope: Scope, dream: str) -> Dream:
        shelf = shelves.own(self._db, scope.everywhere())
        rows = self._db.rows(
            f"SELECT {DREAM} FROM dream_log WHERE shelf = ? AND substr(id, 1, ?) = ?",
            (shelf, len(dream), dream),
        )
        if len(rows) != 1 or not dream:
            raise NotFound("dream", dream)
        return dream_of(rows[0], scope)

    def recent(self, scope: Scope, *, limit: int) -> list[Dream]:
        shelf = shelves.own(self._db, scope.everywhere())
        rows = self._db.rows(
            f"SELECT {DREAM} FROM dream_log WHERE shelf = ?"
            " ORDER BY started_at DESC, rowid DESC LIMIT ?",
            (shelf, limit),
        )
        return [dream_of(row, scope) for row in rows]

    def note(self, dream: str, changes: Sequence[DreamChange]) -> None:
        with self._db as db:
            db.run_many(
                "INSERT INTO dream_changes VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                [(dream, *change[:6], json.dumps(change.tags)) for change in changes],
            )

    def changes(self, dream: str) -> list[DreamChange]:
        rows = self._db.rows(
            "SELECT kind, lesson, project, reason, before, after, tags FROM dream_changes"
            " WHERE dream = ? ORDER BY rowid",
            (dream,),
        )
        return [DreamChange._make((*row[:6], listed(row[6]))) for row in rows]

    def scopes(self, scope: Scope) -> list[Scope]:
        return list(shelves.of_agent(self._db, scope).values())

    def lessons(self, scope: Scope) -> Iterator[Lesson]:
        self._db.rows(_MORE_CACHE)
        scopes, last = shelves.of_agent(self._db, scope), 0
        while lessons := page(self._db, scopes, after=last, limit=_PAGE):
            yield from lessons
            last = lessons[-1].id

    def together(self) -> Database:
        return self._db
