"""Vectors of lessons in SQL, with their codes in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hardwon.core._fork import OUTER, ForkLock
from hardwon.core.values.lesson import Wording
from hardwon.storage.sql import scopes
from hardwon.storage.sql.dialect import bind
from hardwon.storage.vector_codes import Codes, pack_vector

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from hardwon.core.values.scope import Scope
    from hardwon.storage.sql.dialect import Row, SqlDatabase, Tenancy

_DEPTH = 160  # vectors compared exactly; codes alone are only approximate
_GONE = 0.25  # share of missing vectors after which all codes are read again
_OF_TENANT = "(SELECT id FROM hardwon.shelves WHERE shelves.tenant = :tenant)"
_ABLE = f"status IN ('candidate', 'proven') AND /*+*/shelf IN {_OF_TENANT}"
_LACKING = f"""
SELECT id, situation, mistake, correction FROM hardwon.lessons AS l
WHERE l.tenant = :tenant AND id > :after AND {_ABLE} AND NOT EXISTS (
    SELECT 1 FROM hardwon.lesson_vectors AS v
    WHERE v.tenant = :tenant AND v.lesson = l.id AND v.embedder = :embedder
) ORDER BY id LIMIT :limit
"""
# The shelf's row is locked before a vector gets its number, so that the vectors of one shelf
# become visible in the order of their numbers.
_LOCK = """
SELECT id FROM hardwon.shelves WHERE shelves.tenant = :tenant AND id IN (
    SELECT shelf FROM hardwon.lessons WHERE tenant = :tenant AND id IN (:ids)
) ORDER BY id FOR UPDATE
"""
_ADD = f"""
INSERT INTO hardwon.lesson_vectors (tenant, lesson, shelf, embedder, vector)
SELECT :tenant, id, shelf, :embedder, :vector FROM hardwon.lessons
WHERE tenant = :tenant AND id = :lesson AND situation = :situation AND mistake = :mistake
AND correction = :correction AND {_ABLE}
"""
_REPLACE = """
DELETE FROM hardwon.lesson_vectors
WHERE tenant = :tenant AND shelf IN (:shelves) AND lesson IN (:ids)
"""
_DROP_OTHER_LENGTHS = f"""
DELETE FROM hardwon.lesson_vectors WHERE tenant = :tenant AND embedder = :embedder
AND shelf IN {_OF_TENANT} AND length(vector) NOT IN (:lengths)
"""
_COUNTS = f"""
SELECT (
    SELECT count(*) FROM hardwon.lesson_vectors
    WHERE tenant = :tenant AND embedder = :embedder AND shelf IN {_OF_TENANT}
), (SELECT count(*) FROM hardwon.lessons WHERE tenant = :tenant AND {_ABLE})
"""
_ADDED = """
SELECT id, vector FROM hardwon.lesson_vectors WHERE tenant = :tenant AND embedder = :embedder
AND shelf = :shelf AND id > :last AND length(vector) = :length ORDER BY id
"""
_EXACT = "SELECT lesson, vector FROM hardwon.lesson_vectors WHERE tenant = :tenant AND id = :id"


class SqlVectors:
    """One vector a lesson; the codes of each scope that was searched stay in memory."""

    def __init__(self, database: SqlDatabase) -> None:
        self._db = database
        self._views: dict[tuple[object, ...], _View] = {}
        self._lock = ForkLock(rank=OUTER)
        # By embedder: the state of the database when no vector was missing
        self._complete: dict[str, object] = {}

    def lacking(self, embedder: str, *, after: int = 0, limit: int) -> list[Wording]:
        state = self._db.state()
        if state is not None and self._complete.get(embedder) == state:
            return []
        values = {"embedder": embedder, "after": after, "limit": limit}
        wordings = [
            Wording(*row)
            for tenant in self._db.tenants()
            for row in self._db.of(tenant).rows(_LACKING, **values)
        ]
        if not wordings and after == 0:
            self._complete[embedder] = state
        return sorted(wordings)[:limit]

    def save(self, embedder: str, embedded: Iterable[tuple[Wording, Sequence[float]]]) -> None:
        vectors = [(words, pack_vector(vector)) for words, vector in embedded]
        ids = [words.lesson for words, _ in vectors]
        lengths = sorted({len(vector) for _, vector in vectors})
        with self._db:
            for tenancy in map(self._db.of, self._db.tenants()):
                if shelves := [shelf for (shelf,) in tenancy.rows(_LOCK, ids=ids)]:
                    tenancy.run(_REPLACE, shelves=shelves, ids=ids)
                    tenancy.run(_DROP_OTHER_LENGTHS, embedder=embedder, lengths=lengths)
                    for words, vector in vectors:
                        tenancy.run(_ADD, embedder=embedder, vector=vector, **words._asdict())

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
        tenancies = map(self._db.of, self._db.tenants())
        rows = [tenancy.rows(_COUNTS, embedder=embedder)[0] for tenancy in tenancies]
        return sum(row[0] for row in rows), sum(row[1] for row in rows)


class _View:
    """The codes visible from one scope. Replaced or deleted rows are just not found."""

    def __init__(
        self, tenancy: Tenancy, embedder: str, shelves: Sequence[int], length: int
    ) -> None:
        self._which = {"embedder": embedder, "length": length}
        self._lasts = dict.fromkeys(shelves, 0)
        rows = self._read_added(tenancy)
        self._codes = Codes([row[0] for row in rows], [row[1] for row in rows])
        self.is_stale = False  # whether many vectors of the last search were gone

    @property
    def is_outgrown(self) -> bool:
        """Whether all codes should be read again."""
        return self._codes.is_outgrown

    def nearest(self, tenancy: Tenancy, vector: Sequence[float]) -> list[tuple[int, float, float]]:
        """Lessons with both cosines, nearest first, including the newest."""
        rows = self._read_added(tenancy)
        self._codes.add([row[0] for row in rows], [row[1] for row in rows])
        ids = self._codes.nearest(vector, _DEPTH)
        (exact,) = tenancy.ask(tenancy.of_each(bind(_EXACT), id=ids))
        self.is_stale = len(ids) - len(exact) > _GONE * len(ids)
        ids, stored = [row[0] for row in exact], [row[1] for row in exact]
        return self._codes.background.nearest(vector, ids, stored)

    def _read_added(self, tenancy: Tenancy) -> list[Row]:
        """The vectors since the last call, ordered by number."""
        lasts = self._lasts.items()
        groups = tenancy.ask(
            *(bind(_ADDED, shelf=shelf, last=last, **self._which) for shelf, last in lasts)
        )
        for shelf, rows in zip(self._lasts, groups, strict=True):
            self._lasts[shelf] = rows[-1][0] if rows else self._lasts[shelf]
        return sorted(row for rows in groups for row in rows)
