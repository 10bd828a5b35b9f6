"""Deliveries in PostgreSQL."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from hardwon.core.values.scope import Scope
from hardwon.storage.stores.journal import DeliveryNotes
from hardwon.storage.stores.postgres import scopes
from hardwon.storage.stores.rows import DELIVERY, delivery_of

if TYPE_CHECKING:
    from typing import Any

    from hardwon.core.values.delivery import Delivery
    from hardwon.storage.postgres.database import Database
    from hardwon.storage.stores.journal import Journal

_NAMES = DELIVERY.split(", ")
_INSERT = f"""
INSERT INTO hardwon.deliveries (tenant, {DELIVERY})
VALUES (:tenant, {", ".join(f":{name}" for name in _NAMES)}) ON CONFLICT DO NOTHING
"""
_HIT = """
UPDATE hardwon.lessons SET hit_count = hit_count + 1,
    last_seen_at = greatest(last_seen_at, :at)
WHERE tenant = :tenant AND id = :lesson AND shelf = ANY(:shelves::bigint[])
"""
_OUTCOME = """
UPDATE hardwon.deliveries SET outcome = :outcome
WHERE tenant = :tenant AND id = :id AND shelf = :shelf
AND (outcome = '' OR :anyway::boolean)
"""


class PostgresDeliveries(DeliveryNotes):
    """Deliveries are noted in the journal and folded in off the agent's path."""

    def __init__(self, database: Database, journal: Journal) -> None:
        self._db = database
        self._journal = journal
        journal.on("delivery", self._fold_deliveries)
        journal.on("outcome", lambda records: self._fold_outcomes(records, anyway=True))
        journal.on("settled", lambda records: self._fold_outcomes(records, anyway=False))

    def recent(self, scope: Scope, *, limit: int) -> list[Delivery]:
        self._journal.fold()
        seen = scopes.visible(self._db, scope)
        rows = self._db.of(scope.tenant).rows(
            f"SELECT {DELIVERY} FROM hardwon.deliveries WHERE tenant = :tenant"
            " AND shelf = ANY(:shelves::bigint[]) ORDER BY at DESC, id DESC LIMIT :limit",
            shelves=seen.ids,
            limit=limit,
        )
        return [delivery_of(row, seen.scopes) for row in rows]

    def _fold_deliveries(self, records: list[list[Any]]) -> None:
        hits = []
        for number, tenant, agent, project, *columns in records:
            scope = Scope(tenant, agent, project)
            shelf = scopes.ensure(self._db, scope)
            values = dict(zip(_NAMES, (number, shelf, *columns), strict=True))
            self._db.of(tenant).run(_INSERT, **values)
            hits += [(tenant, lesson, scope, values["at"]) for lesson in json.loads(columns[2])]
        seen = {scope: scopes.visible(self._db, scope).ids for _, _, scope, _ in hits}
        # In the same order everywhere, so that transactions do not deadlock.
        for tenant, lesson, scope, at in sorted(hits, key=lambda hit: hit[:2]):
            self._db.of(tenant).run(_HIT, lesson=lesson, shelves=seen[scope], at=at)

    def _fold_outcomes(self, records: list[list[Any]], *, anyway: bool) -> None:
        for tenant, agent, project, delivery, outcome in records:
            shelf = scopes.own(self._db, Scope(tenant, agent, project))
            values = {"outcome": outcome, "id": delivery, "shelf": shelf}
            self._db.of(tenant).run(_OUTCOME, anyway=anyway, **values)
