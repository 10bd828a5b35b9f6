"""Reflections in SQLite."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hardwon.core.values.reflection import RUNS_KEPT, Likeness, is_known, surplus_reflections
from hardwon.knowledge.ranking.reflections import (
    CANDIDATES,
    HOLDERS_READ,
    best_held,
    by_relevance,
    words_of,
)
from hardwon.storage.stores.records import REFLECTION, reflection_of, reflection_values
from hardwon.storage.stores.sqlite import scopes

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from hardwon.core.values.reflection import Reflection
    from hardwon.core.values.scope import Scope
    from hardwon.storage.stores.sqlite.database import Database, Row

_COLUMNS = f"{REFLECTION}, kind, shelf"
_SELECT = f"SELECT {_COLUMNS}, id FROM reflections"
_NEWEST = "ORDER BY created_at DESC, id DESC LIMIT ?"
_ALIVE = "(expires_at IS NULL OR expires_at > ?)"


class SqliteReflections:
    """Reflections of one kind; with `cap` only the newest of a scope are kept."""

    is_shared = False

    def __init__(self, database: Database, kind: str = "goal", *, cap: int = 0) -> None:
        self._db = database
        self._kind = kind
        self._cap = cap

    def save(self, reflection: Reflection, *, keep: int = 0) -> bool:
        with self._db as db:
            shelf = scopes.ensure(db, reflection.scope)
            rows = self._about(shelf, reflection.subject)
            stored = [reflection_of(row, reflection.scope) for row in rows]
            if is_known(stored, reflection):
                return False
            self._remove(rows[at][-1] for at in surplus_reflections(stored, reflection, keep=keep))
            self._insert(shelf, reflection)
            self._prune(shelf, reflection.created_at)
            return True

    def about(self, scope: Scope, subject: str) -> list[Reflection]:
        visible = scopes.Visible(self._db, scope)
        rows = [
            (row, owner)
            for shelf, owner in visible.scopes.items()
            for row in self._about(shelf, subject)
        ]
        rows.sort(key=lambda pair: pair[0][-1])
        return [reflection_of(row, owner) for row, owner in rows]

    def recent(self, scope: Scope, *, now: datetime, limit: int) -> list[Reflection]:
        return self._newest(scopes.Visible(self._db, scope).scopes, now, limit)

    def every(self, scope: Scope, *, now: datetime, limit: int) -> list[Reflection]:
        return self._newest(scopes.of_agent(self._db, scope), now, limit)

    def _newest(self, owners: Mapping[int, Scope], now: datetime, limit: int) -> list[Reflection]:
        rows_and_scopes = []
        # One shelf at a time: over several, SQLite would sort all rows instead of using the index.
        for shelf, owner in owners.items():
            rows = self._db.rows(
                f"{_SELECT} WHERE shelf = ? AND kind = ? AND {_ALIVE} {_NEWEST}",
                (shelf, self._kind, now.timestamp(), limit),
            )
            rows_and_scopes += [(row, owner) for row in rows]
        rows_and_scopes.sort(key=lambda pair: (pair[0][6], pair[0][-1]), reverse=True)
        return [reflection_of(row, owner) for row, owner in rows_and_scopes[:limit]]

    def alike(
        self, scope: Scope, words: Sequence[str], *, now: datetime, limit: int
    ) -> list[Likeness]:
        visible = scopes.Visible(self._db, scope)
        postings = {word: self._holders(visible, word) for word in words}
        best = best_held(postings, limit=CANDIDATES)
        rows = self._db.rows(
            f"{_SELECT} WHERE id IN ({','.join('?' * len(best))}) AND {_ALIVE}",
            (*best, now.timestamp()),
        )
        likenesses = [
            Likeness(reflection_of(row, visible.scopes[row[-2]]), best[row[-1]]) for row in rows
        ]
        return by_relevance(likenesses)[:limit]

    def _about(self, shelf: int, subject: str) -> list[Row]:
        return self._db.rows(
            f"{_SELECT} WHERE shelf = ? AND kind = ? AND subject = ? ORDER BY id",
            (shelf, self._kind, subject),
        )

    def _holders(self, visible: scopes.Visible, word: str) -> list[int]:
        return [
            row[0]
            for shelf in visible.ids
            for row in self._db.rows(
                "SELECT reflection FROM reflection_words WHERE shelf = ? AND kind = ? AND word = ?"
                " ORDER BY reflection DESC LIMIT ?",
                (shelf, self._kind, word, HOLDERS_READ),
            )
        ]

    def _insert(self, shelf: int, reflection: Reflection) -> None:
        number = self._db.run(
            f"INSERT INTO reflections ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (*reflection_values(reflection), self._kind, shelf),
        )
        self._db.run_many(
            "INSERT INTO reflection_words VALUES (?, ?, ?, ?)",
            [(shelf, self._kind, word, number) for word in words_of(reflection)],
        )

    def _prune(self, shelf: int, now: datetime) -> None:
        """Remove expired reflections, and the oldest over the cap."""
        place = (shelf, self._kind)
        rows = self._db.rows(
            "SELECT id FROM reflections WHERE shelf = ? AND kind = ? AND expires_at <= ?",
            (*place, now.timestamp()),
        )
        if self._cap:
            rows += self._db.rows(
                f"SELECT id FROM reflections WHERE shelf = ? AND kind = ? {_NEWEST} OFFSET ?",
                (*place, -1, self._cap),
            )
        self._remove(row[0] for row in rows)

    def _remove(self, numbers: Iterable[int]) -> None:
        self._db.run_many("DELETE FROM reflections WHERE id = ?", [(n,) for n in numbers])


def on_runs(database: Database) -> SqliteReflections:
    """The reflections on runs, which need no goal and no model."""
    return SqliteReflections(database, "run", cap=RUNS_KEPT)
