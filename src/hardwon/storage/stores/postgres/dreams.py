"""Dreams in PostgreSQL: `dream_log`, which is never pruned, and each dream's changes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from hardwon.core.errors import NotFound
from hardwon.core.values.dream import DreamChange
from hardwon.storage.stores.postgres import scopes as shelves
from hardwon.storage.stores.postgres.lessons import page
from hardwon.storage.stores.postgres.transaction import LockingTransaction
from hardwon.storage.stores.records import DREAM, dream_of, dream_values
from hardwon.storage.stores.rows import listed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hardwon.core.values.dream import Dream
    from hardwon.core.values.lesson import Lesson
    from hardwon.core.values.scope import Scope
    from hardwon.storage.postgres.database import Database, Tenancy

_PAGE = 1000
_NAMES = DREAM.split(", ")
_SAVE = f"""
INSERT INTO hardwon.dream_log (tenant, shelf, created_at, {DREAM})
VALUES (:tenant, :shelf, :started_at, {", ".join(f":{name}" for name in _NAMES)})
ON CONFLICT (tenant, id) DO UPDATE SET duration_seconds = excluded.duration_seconds,
    memories_consolidated = excluded.memories_consolidated, reflection = excluded.reflection,
    improvements_proposed = excluded.improvements_proposed,
    improvements_json = excluded.improvements_json, report = excluded.report,
    state = excluded.state
"""
_NOTE = """
INSERT INTO hardwon.dream_changes
(tenant, dream, kind, lesson, project, reason, before, after, tags)
VALUES (:tenant, :dream, :kind, :lesson, :project, :reason, :before,
    :after, :tags)
"""
_CHANGES = """
SELECT kind, lesson, project, reason, before, after, tags FROM hardwon.dream_changes
WHERE tenant = :tenant AND dream = :dream ORDER BY number
"""
_OF_AGENT = f"SELECT {DREAM} FROM hardwon.dream_log WHERE tenant = :tenant AND shelf = :shelf"


class PostgresDreams:
    """The log of dreams of many machines."""

    def __init__(self, database: Database) -> None:
        self._db = database
        self._tenants: dict[str, str] = {}  # the tenant of each dream met so far

    def save(self, dream: Dream) -> None:
        with self._db:
            shelf = shelves.ensure(self._db, dream.scope.everywhere())
            values = dict(zip(_NAMES, dream_values(dream), strict=True))
            self._db.of(dream.scope.tenant).run(_SAVE, shelf=shelf, **values)
        self._tenants[dream.id] = dream.scope.tenant

    def get(self, scope: Scope, dream: str) -> Dream:
        shelf = shelves.own(self._db, scope.everywhere())
        sql = f"{_OF_AGENT} AND starts_with(id, :dream)"
        tenancy = self._db.of(scope.tenant)
        rows = tenancy.rows(sql, shelf=shelf, dream=dream)
        if len(rows) != 1 or not dream:
            raise NotFound("dream", dream)
        self._tenants[rows[0][0]] = scope.tenant
        return dream_of(rows[0], scope)

    def recent(self, scope: Scope, *, limit: int) -> list[Dream]:
        shelf = shelves.own(self._db, scope.everywhere())
        sql = f"{_OF_AGENT} ORDER BY started_at DESC, number DESC LIMIT :limit"
        rows = self._db.of(scope.tenant).rows(sql, shelf=shelf, limit=limit)
        return [dream_of(row, scope) for row in rows]

    def note(self, dream: str, changes: Sequence[DreamChange]) -> None:
        with self._db:
            tenancy = self._owner(dream)
            if tenancy is None:
                raise NotFound("dream", dream)
            for change in changes:
                values = change._asdict() | {"tags": json.dumps(change.tags), "dream": dream}
                tenancy.run(_NOTE, **values)

    def changes(self, dream: str) -> list[DreamChange]:
        tenancy = self._owner(dream)
        rows = tenancy.rows(_CHANGES, dream=dream) if tenancy else ()
        return [DreamChange._make((*row[:6], listed(row[6]))) for row in rows]

    def scopes(self, scope: Scope) -> list[Scope]:
        return list(shelves.of_agent(self._db, scope).values())

    def lessons(self, scope: Scope) -> Iterator[Lesson]:
        tenancy, last = self._db.of(scope.tenant), 0
        scopes = shelves.of_agent(self._db, scope)
        while lessons := page(tenancy, scopes, after=last, limit=_PAGE):
            yield from lessons
            last = lessons[-1].id

    def together(self) -> LockingTransaction:
        return LockingTransaction(self._db)

    def _owner(self, dream: str) -> Tenancy | None:
        """The tenant of a dream: the id does not say, and only that tenant can see it."""
        for tenant in (self._tenants.get(dream), *shelves.tenants(self._db)):
            sql = "SELECT 1 FROM hardwon.dream_log WHERE tenant = :tenant AND id = :id"
            if tenant is not None and self._db.of(tenant).rows(sql, id=dream):
                self._tenants[dream] = tenant
                return self._db.of(tenant)
        return None
