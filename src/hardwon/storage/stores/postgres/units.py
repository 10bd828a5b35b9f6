"""The two arms of a hold-out in PostgreSQL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hardwon.core.values.scope import Scope
from hardwon.core.values.unit import EXCLUDED, Unit
from hardwon.knowledge.proof import arms as counts
from hardwon.storage.stores.journal import UnitNotes
from hardwon.storage.stores.postgres import scopes

if TYPE_CHECKING:
    from typing import Any

    from hardwon.core.values.report import Window
    from hardwon.storage.postgres.database import Database, Row
    from hardwon.storage.stores.journal import Journal

_NAMES = Unit._fields[1:]  # all but the scope
_INSERT = f"""
INSERT INTO hardwon.units (tenant, shelf, {", ".join(_NAMES)})
VALUES (:tenant, :shelf, {", ".join(f":{name}" for name in _NAMES)})
ON CONFLICT DO NOTHING
"""
# The counts of units by outcome: the columns, and where they come from.
ARMS = f"""
    count(*) FILTER (WHERE known AND NOT withheld),
    count(*) FILTER (WHERE repeated AND NOT withheld),
    count(*) FILTER (WHERE known AND withheld),
    count(*) FILTER (WHERE repeated AND withheld),
    count(*) FILTER (WHERE NOT known)
FROM (
    SELECT *, outcome = 'repeated' AS repeated, outcome IN ('repeated', 'not met') AS known
    FROM hardwon.units
    WHERE {scopes.HERE} AND at >= :since
) AS u
"""
_COUNTED = f"SELECT {{0}}, {ARMS} GROUP BY {{1}} ORDER BY {{1}}"
_SET_SHARE = """
INSERT INTO hardwon.proof_shares VALUES (:tenant, :share)
ON CONFLICT (tenant) DO UPDATE SET share = excluded.share
"""
_EXCLUDE = """
UPDATE hardwon.units SET outcome = :outcome
WHERE tenant = :tenant AND shelf = :shelf AND family = ANY(:families::text[])
AND outcome = '' AND at <= :now
"""
_SETTLE = """
UPDATE hardwon.units SET outcome = :outcome
WHERE tenant = :tenant AND shelf = :shelf AND run = :run AND family = :family
AND outcome = ''
"""


class PostgresUnits(UnitNotes):
    """Units are noted in the journal and folded in off the agent's path."""

    def __init__(self, database: Database, journal: Journal) -> None:
        self._db = database
        self._journal = journal
        journal.on("unit", self._fold)
        journal.on("unit excluded", self._fold_excluded)
        journal.on("unit settled", self._fold_settled)

    def salt(self) -> str:
        return str(self._db.rows("SELECT salt FROM hardwon.proof_salt")[0][0])

    def share(self, tenant: str) -> float | None:
        sql = "SELECT share FROM hardwon.proof_shares WHERE tenant = :tenant"
        row = self._db.of(tenant).row(sql)
        return float(row[0]) if row else None

    def set_share(self, tenant: str, share: float) -> None:
        with self._db:
            tenancy = self._db.of(tenant)
            tenancy.run("INSERT INTO hardwon.tenants VALUES (:tenant) ON CONFLICT DO NOTHING")
            tenancy.run(_SET_SHARE, share=share)

    def arms(self, window: Window) -> list[counts.Arms]:
        rows = self._counted(window, "door", by="door, share")
        return [counts.Arms(*row[1:]) for row in rows]

    def treatments(self, window: Window) -> list[counts.Treatment]:
        rows = self._counted(window, "min(shelf), lesson, wording", by="lesson, wording, share")
        owners = scopes.of_tenant(self._db, window.scope.tenant)
        return counts.treatments(rows, owners)

    def _counted(self, window: Window, columns: str, *, by: str) -> list[Row]:
        """The counts of both arms in each stratum, after these columns."""
        self._journal.fold()
        return self._db.of(window.scope.tenant).rows(
            _COUNTED.format(columns, by),
            shelves=scopes.covered(self._db, window),
            since=window.since.timestamp(),
        )

    def _fold(self, records: list[list[Any]]) -> None:
        for scope, *values in records:
            unit_scope = Scope(*scope)
            shelf = scopes.ensure(self._db, unit_scope)
            facts = dict(zip(_NAMES, values, strict=False))
            self._db.of(unit_scope.tenant).run(_INSERT, shelf=shelf, **facts)

    def _fold_excluded(self, records: list[list[Any]]) -> None:
        """Fold in exclusions, before the outcomes of those units."""
        for scope, families, now in records:
            values = {"outcome": EXCLUDED, "families": families, "now": now}
            self._run(_EXCLUDE, Scope(*scope), values)

    def _fold_settled(self, records: list[list[Any]]) -> None:
        for scope, run, family, outcome in records:
            values = {"outcome": outcome, "run": run, "family": family}
            self._run(_SETTLE, Scope(*scope), values)

    def _run(self, sql: str, scope: Scope, values: dict[str, object]) -> None:
        self._db.of(scope.tenant).run(sql, shelf=scopes.own(self._db, scope), **values)
