"""Vectors of lessons in SQLite, with their codes in memory."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from hardwon.core._fork import OUTER, ForkLock
from hardwon.core.values.lesson import Wording
from hardwon.storage.stores.sqlite import scopes
from hardwon.storage.stores.vectors import Codes, packed

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from hardwon.core.values.scope import Scope
    from hardwon.storage.stores.sqlite.database import Database, Row

_DEPTH = 160  # vectors compared exactly; codes alone are only approximate
_GONE = 0.25  # share of missing vectors after which all codes are read again
_LACKING = """
SELECT id, situation, mistake, correction FROM lessons AS l
WHERE id > ? AND status IN ('candidate', 'proven')
AND NOT EXISTS (SELECT 1 FROM lesson_vectors AS v WHERE v.lesson = l.id AND v.embedder = ?)
ORDER BY id LIMIT ?
"""
_SAVE = """
INSERT OR REPLACE INTO lesson_vectors (lesson, shelf, embedder, vector)
SELECT id, shelf, ?, ? FROM lessons
WHERE id = ? AND situation = ? AND mistake = ? AND correction = ?
AND status IN ('candidate', 'proven')
"""


class SqliteVectors:
    """The vector store of the embedded default."""

    def __init__(self, database: Database) -> None:
        self._db = database
        self._views: dict[tuple[object, ...], _View] = {}
        self._lock = ForkLock(rank=OUTER)
        # By embedder: the state of the store when no vector was missing
        self._complete: dict[str, object] = {}

    def lacking(self, embedder: str, *, after: int = 0, limit: int) -> list[Wording]:
        state = self._state()
        if self._complete.get(embedder) == state:
            return []
        rows = self._db.rows(_LACKING, (after, embedder, limit))
        if not rows and after == 0:
            self._complete[embedder] = state
        return [Wording(*row) for row in rows]

    def save(self, embedder: str, embedded: Iterable[tuple[Wording, Sequence[float]]]) -> None:
        with self._db as db:
            for words, vector in embedded:
                self._forget_other_lengths(embedder, len(vector))
                db.run(_SAVE, (embedder, packed(vector), *words))

    def nearest(
        self, scope: Scope, embedder: str, vector: Sequence[float], *, limit: int
    ) -> list[tuple[int, float, float]]:
        shelves = tuple(sorted(scopes.Visible(self._db, scope).ids))
        key = (embedder, shelves, len(vector))
        with self._lock:
            view = self._views.get(key)
            if view is None or view.is_outgrown:
                view = self._views[key] = _View(self._db, embedder, shelves, len(vector))
            nearest = view.nearest(vector)
            if view.is_stale:
                view = self._views[key] = _View(self._db, embedder, shelves, len(vector))
                nearest = view.nearest(vector)
        return nearest[:limit]

    def counts(self, embedder: str) -> tuple[int, int]:
        ((done, all_lessons),) = self._db.rows(
            "SELECT (SELECT count(*) FROM lesson_vectors WHERE embedder = ?),"
            " (SELECT count(*) FROM lessons WHERE status IN ('candidate', 'proven'))",
            (embedder,),
        )
        return done, all_lessons

    def _forget_other_lengths(self, embedder: str, length: int) -> None:
        """Drop vectors of another length: a server may give the same name to another model."""
        row = self._db.row(
            "SELECT length(vector) FROM lesson_vectors WHERE embedder = ? LIMIT 1", (embedder,)
        )
        if row and row[0] != length:
            self._db.run("DELETE FROM lesson_vectors WHERE embedder = ?", (embedder,))

    def _state(self) -> tuple[object, ...]:
        """A value that differs after every change by any process."""
        return self._db.row("PRAGMA data_version"), self._db.row("SELECT total_changes()")


class _View:
    """The codes visible from one scope. Replaced or deleted rows are just not found."""

    def __init__(
        self, database: Database, embedder: str, shelves: tuple[int, ...], length: int
    ) -> None:
        self._db = database
        self._which = (embedder, json.dumps(shelves), length)
        self._last = 0
        rows = self._added()
        self._codes = Codes([row[0] for row in rows], [row[1] for row in rows])
        self.is_stale = False  # whether many vectors of the last search were gone

    @property
    def is_outgrown(self) -> bool:
        """Whether all codes should be read again."""
        return self._codes.is_outgrown

    def nearest(self, vector: Sequence[float]) -> list[tuple[int, float, float]]:
        """Lessons with both cosines, nearest first, including the newest."""
        rows = self._added()
        self._codes.add([row[0] for row in rows], [row[1] for row in rows])
        ids = self._codes.nearest(vector, _DEPTH)
        exact = self._db.rows(
            "SELECT lesson, vector FROM lesson_vectors"
            " WHERE id IN (SELECT value FROM json_each(?))",
            (json.dumps(ids),),
        )
        self.is_stale = len(ids) - len(exact) > _GONE * len(ids)
        ids, stored = [row[0] for row in exact], [row[1] for row in exact]
        return self._codes.background.nearest(vector, ids, stored)

    def _added(self) -> list[Row]:
        rows = self._db.rows(
            "SELECT id, vector FROM lesson_vectors WHERE embedder = ?"
            " AND shelf IN (SELECT value FROM json_each(?)) AND length(vector) = ? AND id > ?"
            " ORDER BY id",
            (*self._which, self._last),
        )
        self._last = rows[-1][0] if rows else self._last
        return rows
