"""Failures by signature in PostgreSQL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hardwon.core.values.report import day_number
from hardwon.storage.sql.dialect import Statement
from hardwon.storage.stores.postgres import scopes

if TYPE_CHECKING:
    from datetime import datetime

    from hardwon.core.values.scope import Scope
    from hardwon.storage.postgres.database import Database

_MET = """
INSERT INTO hardwon.failures AS f
(tenant, shelf, signature, text, met_count, first_at, last_at)
VALUES (:tenant, :shelf, :signature, :text, 1, :at, :at)
ON CONFLICT (tenant, shelf, signature)
DO UPDATE SET met_count = f.met_count + 1, last_at = excluded.last_at RETURNING met_count
"""
_MET_THAT_DAY = """
INSERT INTO hardwon.failure_days AS d (tenant, shelf, day, signature, met)
VALUES (:tenant, :shelf, :day, :signature, 1)
ON CONFLICT (tenant, shelf, day, signature) DO UPDATE SET met = d.met + 1
"""
_COMMONEST = f"""
SELECT min(text), sum(met_count)::bigint AS met FROM hardwon.failures
WHERE {scopes.HERE}
GROUP BY signature ORDER BY met DESC, min(text) LIMIT :limit
"""


class PostgresFailures:
    """How often each failure was met."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def met(self, scope: Scope, signature: str, text: str, now: datetime) -> int:
        with self._db:
            shelf = scopes.ensure(self._db, scope)
            place = {"shelf": shelf, "signature": signature}
            count_rows, _ = self._db.of(scope.tenant).ask(
                Statement(_MET, {**place, "text": text, "at": now.timestamp()}),
                Statement(_MET_THAT_DAY, {**place, "day": day_number(now)}),
            )
            return int(count_rows[0][0])

    def commonest(self, scope: Scope, *, limit: int) -> list[tuple[str, int]]:
        seen = scopes.visible(self._db, scope)
        rows = self._db.of(scope.tenant).rows(_COMMONEST, shelves=seen.ids, limit=limit)
        return [(text, met) for text, met in rows]
