"""Reflections in PostgreSQL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hardwon.core.values.reflection import RUNS_KEPT, Likeness, is_known, leaving
from hardwon.knowledge.ranking.reflections import (
    CANDIDATES,
    HOLDERS_READ,
    best_held,
    by_relevance,
    words_of,
)
from hardwon.storage.stores.postgres import scopes
from hardwon.storage.stores.records import REFLECTION, reflection_of, reflection_values

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from hardwon.core.values.reflection import Reflection
    from hardwon.core.values.scope import Scope
    from hardwon.storage.postgres.database import Database, Row, Tenancy

_NAMES = REFLECTION.split(", ")
_SELECT = f"SELECT {REFLECTION}, shelf, id FROM hardwon.reflections WHERE tenant = :tenant"
_ALIVE = "(expires_at IS NULL OR expires_at > :now)"
_ABOUT = f"""
{_SELECT} AND shelf = ANY(:shelves::bigint[]) AND kind = :kind AND subject = :subject
ORDER BY id
"""
_RECENT = f"""
SELECT r.* FROM unnest(:shelves::bigint[]) AS seen (shelf), LATERAL (
    {_SELECT} AND shelf = seen.shelf AND kind = :kind AND {_ALIVE}
    ORDER BY created_at DESC, id DESC LIMIT :limit
) AS r ORDER BY r.created_at DESC, r.id DESC LIMIT :limit
"""
_HOLDERS = """
SELECT asked.word, w.reflection FROM unnest(:words::text[]) AS asked (word),
unnest(:shelves::bigint[]) AS seen (shelf), LATERAL (
    SELECT reflection FROM hardwon.reflection_words WHERE tenant = :tenant
    AND shelf = seen.shelf AND kind = :kind AND word = asked.word
    ORDER BY reflection DESC LIMIT :limit
) AS w
"""
_INSERT = f"""
INSERT INTO hardwon.reflections (tenant, shelf, kind, {REFLECTION})
VALUES (:tenant, :shelf, :kind, {", ".join(f":{name}" for name in _NAMES)})
RETURNING id
"""
_INDEX = """
INSERT INTO hardwon.reflection_words (tenant, shelf, kind, word, reflection)
SELECT :tenant, :shelf, :kind, word, :id FROM unnest(:words::text[]) AS word
"""
_REMOVE = """
DELETE FROM hardwon.reflections WHERE tenant = :tenant AND id = ANY(:ids::bigint[])
"""
_EXPIRE = """
DELETE FROM hardwon.reflections WHERE tenant = :tenant AND shelf = :shelf
AND kind = :kind AND expires_at <= :now
"""
_CAP = """
DELETE FROM hardwon.reflections WHERE tenant = :tenant AND id IN (
    SELECT id FROM hardwon.reflections
    WHERE tenant = :tenant AND shelf = :shelf AND kind = :kind
    ORDER BY created_at DESC, id DESC OFFSET :cap
)
"""


class PostgresReflections:
    """Reflections of one kind; with `cap` only the newest of a scope are kept."""

    is_shared = False

    def __init__(self, database: Database, kind: str = "goal", *, cap: int = 0) -> None:
        self._db = database
        self._kind = kind
        self._cap = cap

    def save(self, reflection: Reflection, *, keep: int = 0) -> bool:
        with self._db:
            scopes.lock(self._db, reflection.scope)  # two processes may reflect on the same goal
            tenancy = self._db.of(reflection.scope.tenant)
            shelf = scopes.ensure(self._db, reflection.scope)
            rows = self._about(tenancy, [shelf], reflection.subject)
            stored = [reflection_of(row, reflection.scope) for row in rows]
            if is_known(stored, reflection):
                return False
            dropped = [rows[at][-1] for at in leaving(stored, reflection, keep=keep)]
            tenancy.run(_REMOVE, ids=dropped)
            self._insert(tenancy, shelf, reflection)
            self._prune(tenancy, shelf, reflection.created_at)
            return True

    def about(self, scope: Scope, subject: str) -> list[Reflection]:
        visible = scopes.visible(self._db, scope)
        rows = self._about(self._db.of(scope.tenant), visible.ids, subject)
        return [reflection_of(row, visible.scopes[row[-2]]) for row in rows]

    def recent(self, scope: Scope, *, now: datetime, limit: int) -> list[Reflection]:
        owners = scopes.visible(self._db, scope).scopes
        return self._newest(scope.tenant, owners, now, limit)

    def every(self, scope: Scope, *, now: datetime, limit: int) -> list[Reflection]:
        return self._newest(scope.tenant, scopes.of_agent(self._db, scope), now, limit)

    def _newest(
        self, tenant: str, owners: Mapping[int, Scope], now: datetime, limit: int
    ) -> list[Reflection]:
        values = {"shelves": list(owners), "kind": self._kind, "limit": limit}
        rows = self._db.of(tenant).rows(_RECENT, now=now.timestamp(), **values)
        return [reflection_of(row, owners[row[-2]]) for row in rows]

    def alike(
        self, scope: Scope, words: Sequence[str], *, now: datetime, limit: int
    ) -> list[Likeness]:
        tenancy, visible = self._db.of(scope.tenant), scopes.visible(self._db, scope)
        parameters = {"words": list(words), "shelves": visible.ids, "kind": self._kind}
        postings: dict[str, list[int]] = {word: [] for word in words}
        for word, number in tenancy.rows(_HOLDERS, limit=HOLDERS_READ, **parameters):
            postings[word].append(number)
        best = best_held(postings, limit=CANDIDATES)
        sql = f"{_SELECT} AND id = ANY(:ids::bigint[]) AND {_ALIVE}"
        rows = tenancy.rows(sql, ids=list(best), now=now.timestamp())
        likenesses = [
            Likeness(reflection_of(row, visible.scopes[row[-2]]), best[row[-1]]) for row in rows
        ]
        return by_relevance(likenesses)[:limit]

    def _about(self, tenancy: Tenancy, shelves: list[int], subject: str) -> list[Row]:
        return tenancy.rows(_ABOUT, shelves=shelves, kind=self._kind, subject=subject)

    def _insert(self, tenancy: Tenancy, shelf: int, reflection: Reflection) -> None:
        place = {"shelf": shelf, "kind": self._kind}
        values = dict(zip(_NAMES, reflection_values(reflection), strict=True))
        number = tenancy.rows(_INSERT, **place, **values)[0][0]
        tenancy.run(_INDEX, id=number, words=sorted(words_of(reflection)), **place)

    def _prune(self, tenancy: Tenancy, shelf: int, now: datetime) -> None:
        """Remove expired reflections, and the oldest over the cap."""
        tenancy.run(_EXPIRE, shelf=shelf, kind=self._kind, now=now.timestamp())
        if self._cap:
            tenancy.run(_CAP, shelf=shelf, kind=self._kind, cap=self._cap)


def on_runs(database: Database) -> PostgresReflections:
    """The reflections on runs, which need no goal and no model."""
    return PostgresReflections(database, "run", cap=RUNS_KEPT)
