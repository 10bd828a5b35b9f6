"""Failures by signature in SQLite."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hardwon.storage.stores.sqlite import scopes

if TYPE_CHECKING:
    from datetime import datetime

    from hardwon.core.values.scope import Scope
    from hardwon.storage.stores.sqlite.database import Database

_DAY = 86400  # seconds


class SqliteFailures:
    """How often each failure was met."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def met(self, scope: Scope, signature: str, text: str, now: datetime) -> int:
        with self._db as db:
            shelf = scopes.ensure(db, scope)
            at = now.timestamp()
            db.run(
                "INSERT INTO failures VALUES (?, ?, ?, 1, ?, ?) ON CONFLICT (shelf, signature)"
                " DO UPDATE SET met_count = met_count + 1,"
                " first_at = min(first_at, excluded.first_at),"
                " last_at = max(last_at, excluded.last_at)",
                (shelf, signature, text, at, at),
            )
            db.run(
                "INSERT INTO failure_days VALUES (?, ?, ?, 1)"
                " ON CONFLICT (shelf, day, signature) DO UPDATE SET met = met + 1",
                (shelf, int(at // _DAY), signature),
            )
            ((count,),) = db.rows(
                "SELECT met_count FROM failures WHERE shelf = ? AND signature = ?",
                (shelf, signature),
            )
            return int(count)

    def commonest(self, scope: Scope, *, limit: int) -> list[tuple[str, int]]:
        visible = scopes.Visible(self._db, scope)
        rows = self._db.rows(
            "SELECT text, sum(met_count) AS met FROM failures"
            f" WHERE shelf IN ({visible.marks}) GROUP BY signature ORDER BY met DESC, text LIMIT ?",
            (*visible.ids, limit),
        )
        return [(text, met) for text, met in rows]
