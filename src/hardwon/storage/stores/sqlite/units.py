"""The two arms of a hold-out in SQLite."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hardwon.core.values.delivery import EXCLUDED
from hardwon.core.values.scope import Scope
from hardwon.knowledge.proof import arms as counts
from hardwon.storage.stores.journal import UnitNotes
from hardwon.storage.stores.sqlite import scopes
from hardwon.storage.stores.sqlite.database import marks

if TYPE_CHECKING:
    from hardwon.core.values.report import Window
    from hardwon.storage.stores.journal import Journal
    from hardwon.storage.stores.sqlite.database import Database, Row

_COUNTED = """
SELECT {1},
    sum(known AND NOT withheld), sum(repeated AND NOT withheld),
    sum(known AND withheld), sum(repeated AND withheld), sum(NOT known)
FROM (
    SELECT *, outcome = 'repeated' AS repeated, outcome IN ('repeated', 'not met') AS known
    FROM units WHERE shelf IN ({0}) AND at >= ?
) GROUP BY {2} ORDER BY {2}
"""
_SHARE = """
SELECT s.share FROM proof_shares AS s JOIN tenants AS t ON t.id = s.tenant WHERE t.name = ?
"""
_INSERT = """
INSERT OR IGNORE INTO units
(shelf, run, family, door, withheld, share, at, lesson, wording, position, score)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_SETTLE = """
UPDATE units SET outcome = ? WHERE shelf = ? AND run = ? AND family = ? AND outcome = ''
"""


class SqliteUnits(UnitNotes):
    """Units are noted in the journal and folded in off the agent's path."""

    def __init__(self, database: Database, journal: Journal) -> None:
        self._db = database
        self._journal = journal

    def salt(self) -> str:
        row = self._db.row("SELECT salt FROM proof_salt")
        return str(row[0]) if row else ""

    def share(self, tenant: str) -> float | None:
        row = self._db.row(_SHARE, (tenant,))
        return float(row[0]) if row else None

    def set_share(self, tenant: str, share: float) -> None:
        with self._db as db:
            db.run("INSERT OR IGNORE INTO tenants (name) VALUES (?)", (tenant,))
            db.run(
                "INSERT OR REPLACE INTO proof_shares SELECT id, ? FROM tenants WHERE name = ?",
                (share, tenant),
            )

    def arms(self, window: Window) -> list[counts.Arms]:
        rows = self._counted(window, "door", by="door, share")
        return [counts.Arms(*row[1:]) for row in rows]

    def treatments(self, window: Window) -> list[counts.Treatment]:
        by = "lesson, wording, share"
        rows = self._counted(window, "min(shelf), lesson, wording", by=by)
        return counts.treatments(rows, scopes.every(self._db))

    def _counted(self, window: Window, columns: str, *, by: str) -> list[Row]:
        """The counts of both arms in each stratum, after these columns."""
        self._journal.fold()
        shelves = scopes.covered(self._db, window)
        sql = _COUNTED.format(marks(shelves), columns, by)
        return self._db.rows(sql, (*shelves, window.since.timestamp()))

    def fold(self, records: list[list[Any]]) -> None:
        """Move noted units into the database."""
        owners = {tuple(scope) for scope, *_ in records}
        shelves = {owner: scopes.ensure(self._db, Scope(*owner)) for owner in owners}
        rows = [(shelves[tuple(scope)], *values) for scope, *values in records]
        self._db.run_many(_INSERT, rows)

    def fold_excluded(self, records: list[list[Any]]) -> None:
        """Move noted exclusions into the database, before the outcomes of those units."""
        for scope, families, now in records:
            self._db.run(
                f"UPDATE units SET outcome = ? WHERE shelf = ? AND family IN ({marks(families)})"
                " AND outcome = '' AND at <= ?",
                (EXCLUDED, scopes.own(self._db, Scope(*scope)), *families, now),
            )

    def fold_settled(self, records: list[list[Any]]) -> None:
        """Move noted outcomes into the database."""
        owners = {tuple(scope) for scope, *_ in records}
        shelves = {owner: scopes.own(self._db, Scope(*owner)) for owner in owners}
        rows = [
            (outcome, shelves[tuple(scope)], run, family) for scope, run, family, outcome in records
        ]
        self._db.run_many(_SETTLE, rows)
