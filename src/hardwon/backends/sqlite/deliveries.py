"""Deliveries in SQLite."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from hardwon.backends.sqlite import shelves
from hardwon.domain.delivery import Delivery
from hardwon.domain.scope import Scope

if TYPE_CHECKING:
    from hardwon.backends.sqlite.database import Database
    from hardwon.backends.sqlite.spool import Spool

SPOOL_LIMIT = 1 << 20  # bytes after which a closing process folds the spool in


class SqliteDeliveries:
    """The log is written to a spool beside the database and folded in off the agent's path."""

    def __init__(self, database: Database, spool: Spool) -> None:
        self._db = database
        self._spool = spool

    def log(self, delivery: Delivery) -> None:
        self._spool.append(["delivery", *_plain(delivery)])

    def report(self, scope: Scope, delivery: str, outcome: str) -> None:
        self._spool.append(["outcome", *scope, delivery, outcome])

    def recent(self, scope: Scope, *, limit: int) -> list[Delivery]:
        self.fold()
        seen = shelves.Visible(self._db, scope)
        rows = self._db.rows(
            "SELECT id, shelf, door, query, lessons, scores, tokens, micros, at, outcome"
            f" FROM deliveries WHERE shelf IN ({seen.marks}) ORDER BY at DESC, id DESC LIMIT ?",
            (*seen.ids, limit),
        )
        return [_delivery((row[0], seen.scopes[row[1]], *row[2:])) for row in rows]

    def fold(self) -> int:
        """Move what was spooled into the database; how many records there were."""
        if not self._spool.size():
            return 0
        with self._spool.take() as records, self._db:
            for kind, *values in records:
                (self._fold_outcome if kind == "outcome" else self._fold_delivery)(values)
            return len(records)

    def close(self) -> None:
        """Keep the spool small even where no worker ever runs."""
        if self._spool.size() > SPOOL_LIMIT:
            self.fold()

    def _fold_delivery(self, values: list[Any]) -> None:
        number, tenant, agent, project, *rest = values
        shelf = shelves.ensure(self._db, Scope(tenant, agent, project))
        self._db.run(
            "INSERT OR IGNORE INTO deliveries VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (number, shelf, *rest),
        )
        seen = shelves.Visible(self._db, Scope(tenant, agent, project))
        at = rest[6]
        self._db.run_many(
            "UPDATE lessons SET hit_count = hit_count + 1, last_seen_at = max(last_seen_at, ?)"
            f" WHERE id = ? AND shelf IN ({seen.marks})",
            [(at, lesson, *seen.ids) for lesson in json.loads(rest[2])],
        )

    def _fold_outcome(self, values: list[Any]) -> None:
        tenant, agent, project, delivery, outcome = values
        shelf = shelves.own(self._db, Scope(tenant, agent, project))
        self._db.run(
            "UPDATE deliveries SET outcome = ? WHERE id = ? AND shelf = ?",
            (outcome, delivery, shelf),
        )


def _plain(delivery: Delivery) -> list[object]:
    return [
        delivery.id,
        *delivery.scope,
        delivery.door,
        delivery.query,
        json.dumps(delivery.lessons),
        json.dumps(delivery.scores),
        delivery.tokens,
        delivery.micros,
        delivery.at.timestamp(),
        delivery.outcome,
    ]


def _delivery(row: tuple[Any, ...]) -> Delivery:
    return Delivery(
        id=row[0],
        scope=row[1],
        door=row[2],
        query=row[3],
        lessons=tuple(json.loads(row[4])),
        scores=tuple(json.loads(row[5])),
        tokens=row[6],
        micros=row[7],
        at=datetime.fromtimestamp(row[8], UTC),
        outcome=row[9],
    )
