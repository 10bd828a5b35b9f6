"""Deliveries in SQLite."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from hardwon.core.values.scope import Scope
from hardwon.storage.stores.journal import DeliveryNotes
from hardwon.storage.stores.rows import DELIVERY, delivery_of
from hardwon.storage.stores.sqlite import scopes

if TYPE_CHECKING:
    from hardwon.core.values.delivery import Delivery
    from hardwon.storage.stores.journal import Journal
    from hardwon.storage.stores.sqlite.database import Database


class SqliteDeliveries(DeliveryNotes):
    """Deliveries are noted in the journal and folded in off the agent's path."""

    def __init__(self, database: Database, journal: Journal) -> None:
        self._db = database
        self._journal = journal
        journal.on("delivery", self._fold_deliveries)
        journal.on("outcome", self._fold_outcomes)
        journal.on("settled", self._fold_settled)

    def recent(self, scope: Scope, *, limit: int) -> list[Delivery]:
        self._journal.fold()
        visible = scopes.Visible(self._db, scope)
        rows = self._db.rows(
            f"SELECT {DELIVERY} FROM deliveries WHERE shelf IN ({visible.marks})"
            " ORDER BY at DESC, id DESC LIMIT ?",
            (*visible.ids, limit),
        )
        return [delivery_of(row, visible.scopes) for row in rows]

    def _fold_deliveries(self, records: list[list[Any]]) -> None:
        for values in records:
            self._fold_delivery(values)

    def _fold_outcomes(self, records: list[list[Any]]) -> None:
        for values in records:
            self._fold_outcome(values)

    def _fold_settled(self, records: list[list[Any]]) -> None:
        for values in records:
            self._fold_outcome(values, "AND outcome = ''")

    def _fold_delivery(self, values: list[Any]) -> None:
        number, tenant, agent, project, *columns = values
        shelf = scopes.ensure(self._db, Scope(tenant, agent, project))
        self._db.run(
            "INSERT OR IGNORE INTO deliveries VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (number, shelf, *columns),
        )
        visible = scopes.Visible(self._db, Scope(tenant, agent, project))
        at = columns[6]
        self._db.run_many(
            "UPDATE lessons SET hit_count = hit_count + 1, last_seen_at = max(last_seen_at, ?)"
            f" WHERE id = ? AND shelf IN ({visible.marks})",
            [(at, lesson, *visible.ids) for lesson in json.loads(columns[2])],
        )

    def _fold_outcome(self, values: list[Any], only: str = "") -> None:
        tenant, agent, project, delivery, outcome = values
        shelf = scopes.own(self._db, Scope(tenant, agent, project))
        self._db.run(
            f"UPDATE deliveries SET outcome = ? WHERE id = ? AND shelf = ? {only}",
            (outcome, delivery, shelf),
        )
