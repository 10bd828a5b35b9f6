"""The two arms of a hold-out in SQLite."""

from __future__ import annotations

from hardwon._cold.lazy import lazy
from hardwon.stores.sqlite import scopes
from hardwon.stores.sqlite.database import marks
from hardwon.values.scope import Scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hardwon.proof import arms as counts
    from hardwon.stores.sqlite.database import Database
    from hardwon.stores.sqlite.journal import Journal
    from hardwon.values.report import Window
    from hardwon.values.unit import Unit
else:
    counts = lazy("hardwon.proof.arms")

_ARMS = """
SELECT
    sum(known AND NOT withheld), sum(repeated AND NOT withheld),
    sum(known AND withheld), sum(repeated AND withheld), sum(NOT known)
FROM (
    SELECT door, share, withheld, outcome = 'repeated' AS repeated,
        outcome IN ('repeated', 'not met') AS known
    FROM units WHERE shelf IN ({0}) AND at >= ?
) GROUP BY door, share ORDER BY door, share
"""


class SqliteUnits:
    """Units are noted in the journal and folded in off the agent's path."""

    def __init__(self, database: Database, journal: Journal) -> None:
        self._db = database
        self._journal = journal

    def salt(self) -> str:
        row = self._db.row("SELECT salt FROM proof_salt")
        return str(row[0]) if row else ""

    def log(self, unit: Unit) -> None:
        scope, *facts, at = unit
        self._journal.note("unit", scope, *facts, at.timestamp())

    def settle(self, scope: Scope, run: str, family: str, outcome: str) -> None:
        self._journal.note("unit settled", scope, run, family, outcome)

    def arms(self, window: Window) -> list[counts.Arms]:
        self._journal.fold()
        shelves = scopes.covered(self._db, window)
        rows = self._db.rows(_ARMS.format(marks(shelves)), (*shelves, window.since.timestamp()))
        return [counts.Arms(*row) for row in rows]

    def fold(self, records: list[list[Any]]) -> None:
        """Move noted units into the database."""
        for scope, *values in records:
            shelf = scopes.ensure(self._db, Scope(*scope))
            self._db.run(
                "INSERT OR IGNORE INTO units VALUES (?, ?, ?, ?, ?, ?, ?, '')", (shelf, *values)
            )

    def fold_settled(self, records: list[list[Any]]) -> None:
        """Move noted outcomes into the database."""
        for scope, run, family, outcome in records:
            self._db.run(
                "UPDATE units SET outcome = ?"
                " WHERE shelf = ? AND run = ? AND family = ? AND outcome = ''",
                (outcome, scopes.own(self._db, Scope(*scope)), run, family),
            )
