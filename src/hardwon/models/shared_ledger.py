"""The spending of models on all machines that share a PostgreSQL database."""

from __future__ import annotations

import threading

from hardwon.core.errors import Unavailable
from hardwon.models.budget import Spent
from hardwon.storage.postgres.database import EVERY_TENANT, Database
from hardwon.storage.sql.dialect import Row, Statement

_PATIENCE = 3.0  # seconds to wait for the server
_MORE = """
ON CONFLICT (day, tenant, model) DO UPDATE SET calls = known.calls + excluded.calls,
    tokens = known.tokens + excluded.tokens, money = known.money + excluded.money
"""
_ADD = f"""
INSERT INTO hardwon.spending AS known (day, tenant, model, calls, tokens, money)
VALUES (:day, :whose, :model, :calls, :tokens, :money) {_MORE}
"""
_ROWS = """
SELECT tenant, model, calls, tokens, money FROM hardwon.spending WHERE day = :day
ORDER BY tenant, model
"""
_FORGET = f"""
WITH gone AS (
    DELETE FROM hardwon.spending WHERE tenant = :whose AND tenant <> ''
    RETURNING day, model, calls, tokens, money
)
INSERT INTO hardwon.spending AS known (day, tenant, model, calls, tokens, money)
SELECT day, '', model, calls, tokens, money FROM gone {_MORE}
"""


class SharedLedger:
    """A ledger that all machines write to.

    A call that cannot be booked is not made. Failing to record the cost never loses an answer: if
    the server is away, the cost is recorded with the next one.
    """

    def __init__(self, url: str) -> None:
        self._db = Database(url, pool=1, patience=_PATIENCE)
        self._lock = threading.Lock()
        self._unsent: list[Statement] = []

    def add(self, day: str, tenant: str, model: str, spent: Spent) -> None:
        values = {"day": day, "whose": tenant, "model": model, **spent._asdict()}
        row = Statement(_ADD, values)
        with self._lock:
            unsent, self._unsent = self._unsent, []
        try:
            self._ask(*unsent, row)
        except Unavailable:
            is_booking = spent.calls > 0
            with self._lock:
                self._unsent += unsent if is_booking else [*unsent, row]
            if is_booking:
                raise

    def rows(self, day: str) -> list[tuple[str, str, Spent]]:
        (rows,) = self._ask(Statement(_ROWS, {"day": day}))
        return [(tenant, model, Spent(*spent)) for tenant, model, *spent in rows]

    def forget(self, tenant: str) -> None:
        self._ask(Statement(_FORGET, {"whose": tenant}))

    def close(self) -> None:
        """Close the connection; a later call opens another."""
        self._db.close()

    def _ask(self, *statements: Statement) -> list[list[Row]]:
        return self._db.ask(EVERY_TENANT, *statements)
