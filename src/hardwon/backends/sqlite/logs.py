"""Deliveries, failures and reflections in SQLite."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from hardwon.backends.sqlite import shelves
from hardwon.domain.delivery import Delivery
from hardwon.domain.reflection import Reflection
from hardwon.domain.scope import Scope

if TYPE_CHECKING:
    from hardwon.backends.sqlite.spool import Spool
    from hardwon.backends.sqlite.database import Database

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


class SqliteFailures:
    """How often each failure was met."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def met(self, scope: Scope, signature: str, text: str, now: datetime) -> int:
        with self._db as db:
            shelf = shelves.ensure(db, scope)
            at = now.timestamp()
            db.run(
                "INSERT INTO failures VALUES (?, ?, ?, 1, ?, ?) ON CONFLICT (shelf, signature)"
                " DO UPDATE SET met_count = met_count + 1, last_at = excluded.last_at",
                (shelf, signature, text, at, at),
            )
            row = db.row(
                "SELECT met_count FROM failures WHERE shelf = ? AND signature = ?",
                (shelf, signature),
            )
            return int(row[0]) if row else 0

    def commonest(self, scope: Scope, *, limit: int) -> list[tuple[str, int]]:
        seen = shelves.Visible(self._db, scope)
        rows = self._db.rows(
            "SELECT text, sum(met_count) AS met FROM failures"
            f" WHERE shelf IN ({seen.marks}) GROUP BY signature ORDER BY met DESC, text LIMIT ?",
            (*seen.ids, limit),
        )
        return [(text, met) for text, met in rows]


class SqliteReflections:
    """Reflections on loops and goals."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def save(self, reflection: Reflection) -> None:
        expires = reflection.expires_at
        with self._db as db:
            db.run(
                "INSERT INTO reflections (shelf, subject, title, insight, state, importance,"
                " detail, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    shelves.ensure(db, reflection.scope),
                    *(reflection.subject, reflection.title, reflection.insight, reflection.state),
                    *(reflection.importance, reflection.detail),
                    *(reflection.created_at.timestamp(), expires and expires.timestamp()),
                ),
            )

    def about(self, scope: Scope, subject: str) -> list[Reflection]:
        return self._found(scope, "subject = ? ORDER BY id", (subject,))

    def recent(self, scope: Scope, *, now: datetime, limit: int) -> list[Reflection]:
        return self._found(
            scope,
            "(expires_at IS NULL OR expires_at > ?) ORDER BY created_at DESC, id DESC LIMIT ?",
            (now.timestamp(), limit),
        )

    def _found(self, scope: Scope, where: str, values: tuple[object, ...]) -> list[Reflection]:
        seen = shelves.Visible(self._db, scope)
        rows = self._db.rows(
            "SELECT shelf, subject, title, insight, state, importance, detail, created_at,"
            f" expires_at FROM reflections WHERE shelf IN ({seen.marks}) AND {where}",
            (*seen.ids, *values),
        )
        return [
            Reflection(
                scope=seen.scopes[row[0]],
                subject=row[1],
                title=row[2],
                insight=row[3],
                state=row[4],
                importance=row[5],
                detail=row[6],
                created_at=datetime.fromtimestamp(row[7], UTC),
                expires_at=row[8] and datetime.fromtimestamp(row[8], UTC),
            )
            for row in rows
        ]


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
