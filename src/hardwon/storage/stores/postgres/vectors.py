"""Vectors of lessons in PostgreSQL, with their codes in memory."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from hardwon.core.text.embedding_text import Wording
from hardwon.storage.stores.postgres import scopes
from hardwon.storage.stores.vectors import Codes, packed

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from hardwon.core.values.scope import Scope
    from hardwon.storage.postgres.database import Database, Row, Tenancy

_DEPTH = 160  # vectors compared exactly; codes alone are only approximate
_GONE = 0.25  # share of missing vectors after which all codes are read again
_ABLE = "status IN ('candidate', 'proven')"
_LACKING = f"""
SELECT id, situation, mistake, correction FROM hardwon.lessons AS l
WHERE tenant = :tenant AND id > :after AND {_ABLE} AND NOT EXISTS (
    SELECT 1 FROM hardwon.lesson_vectors AS v
    WHERE v.tenant = :tenant AND v.lesson = l.id AND v.embedder = :embedder
) ORDER BY id LIMIT :limit
"""
# The shelf's row is locked before a vector gets its number, so that the vectors of one shelf
# become visible in the order of their numbers.
_HOLD = """
SELECT id FROM hardwon.shelves WHERE tenant = :tenant AND id IN (
    SELECT shelf FROM hardwon.lessons WHERE tenant = :tenant AND id = ANY(:ids::bigint[])
) ORDER BY id FOR UPDATE
"""
_SAVE = f"""
INSERT INTO hardwon.lesson_vectors (tenant, lesson, shelf, embedder, vector)
SELECT :tenant, l.id, l.shelf, :embedder, :vector FROM hardwon.lessons AS l
WHERE tenant = :tenant AND id = :lesson AND situation = :situation
AND mistake = :mistake AND correction = :correction AND {_ABLE}
"""
_REPLACE = """
DELETE FROM hardwon.lesson_vectors WHERE tenant = :tenant AND (
    lesson = ANY(:ids::bigint[])
    OR embedder = :embedder AND length(vector) <> ALL(:lengths::int[])
)
"""
_COUNTS = f"""
SELECT (
    SELECT count(*) FROM hardwon.lesson_vectors
    WHERE tenant = :tenant AND embedder = :embedder
), (SELECT count(*) FROM hardwon.lessons WHERE tenant = :tenant AND {_ABLE})
"""
_ADDED = """
SELECT v.shelf, v.id, v.vector FROM unnest(:shelves::bigint[], :lasts::bigint[])
    AS seen (shelf, last)
JOIN hardwon.lesson_vectors AS v ON v.tenant = :tenant AND v.embedder = :embedder
    AND v.shelf = seen.shelf AND v.id > seen.last
WHERE length(v.vector) = :length ORDER BY v.id
"""
_EXACT = """
SELECT lesson, vector FROM hardwon.lesson_vectors
WHERE tenant = :tenant AND id = ANY(:ids::bigint[])
"""


class PostgresVectors:
    """The vector store of many machines."""

    def __init__(self, database: Database) -> None:
        self._db = database
        self._views: dict[tuple[object, ...], _View] = {}
        self._lock = threading.Lock()

    def lacking(self, embedder: str, *, after: int = 0, limit: int) -> list[Wording]:
        wordings = [
            Wording(*row)
            for tenant in scopes.tenants(self._db)
            for row in self._db.of(tenant).rows(
                _LACKING, embedder=embedder, after=after, limit=limit
            )
        ]
        return sorted(wordings)[:limit]

    def save(self, embedder: str, embedded: Iterable[tuple[Wording, Sequence[float]]]) -> None:
        vectors = [(words, packed(vector)) for words, vector in embedded]
        parameters = {"ids": [words.lesson for words, _ in vectors]}
        lengths = sorted({len(vector) for _, vector in vectors})
        with self._db:
            for tenant in scopes.tenants(self._db):
                tenancy = self._db.of(tenant)
                if not tenancy.rows(_HOLD, **parameters):
                    continue
                tenancy.run(_REPLACE, embedder=embedder, lengths=lengths, **parameters)
                for words, vector in vectors:
                    tenancy.run(_SAVE, embedder=embedder, vector=vector, **words._asdict())

    def nearest(
        self, scope: Scope, embedder: str, vector: Sequence[float], *, limit: int
    ) -> list[tuple[int, float, float]]:
        tenancy, shelves = self._db.of(scope.tenant), scopes.visible(self._db, scope).ids
        key = (scope.tenant, embedder, *shelves, len(vector))
        with self._lock:
            view = self._views.get(key)
            if view is None or view.is_outgrown:
                view = self._views[key] = _View(tenancy, embedder, shelves, len(vector))
            nearest = view.nearest(tenancy, vector)
            if view.is_stale:
                view = self._views[key] = _View(tenancy, embedder, shelves, len(vector))
                nearest = view.nearest(tenancy, vector)
        return nearest[:limit]

    def counts(self, embedder: str) -> tuple[int, int]:
        rows = [
            self._db.of(tenant).rows(_COUNTS, embedder=embedder)[0]
            for tenant in scopes.tenants(self._db)
        ]
        return sum(row[0] for row in rows), sum(row[1] for row in rows)


class _View:
    """The codes visible from one scope. Replaced or deleted rows are just not found."""

    def __init__(
        self, tenancy: Tenancy, embedder: str, shelves: Sequence[int], length: int
    ) -> None:
        self._which = {"embedder": embedder, "length": length}
        self._lasts = dict.fromkeys(shelves, 0)
        rows = self._added(tenancy)
        self._codes = Codes([row[1] for row in rows], [row[2] for row in rows])
        self.is_stale = False  # whether many vectors of the last search were gone

    @property
    def is_outgrown(self) -> bool:
        """Whether all codes should be read again."""
        return self._codes.is_outgrown

    def nearest(self, tenancy: Tenancy, vector: Sequence[float]) -> list[tuple[int, float, float]]:
        """Lessons with both cosines, nearest first, including the newest."""
        rows = self._added(tenancy)
        self._codes.add([row[1] for row in rows], [row[2] for row in rows])
        ids = self._codes.nearest(vector, _DEPTH)
        exact = tenancy.rows(_EXACT, ids=ids)
        self.is_stale = len(ids) - len(exact) > _GONE * len(ids)
        ids, stored = [row[0] for row in exact], [row[1] for row in exact]
        return self._codes.background.nearest(vector, ids, stored)

    def _added(self, tenancy: Tenancy) -> list[Row]:
        shelves, lasts = list(self._lasts), list(self._lasts.values())
        rows = tenancy.rows(_ADDED, shelves=shelves, lasts=lasts, **self._which)
        for shelf, number, _ in rows:
            self._lasts[shelf] = max(self._lasts[shelf], number)
        return rows
