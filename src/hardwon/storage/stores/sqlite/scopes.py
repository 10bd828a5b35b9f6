"""The rows that belong to a scope. No other module builds this part of a query."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hardwon.core.values.scope import Scope
from hardwon.storage.stores.sqlite.database import marks

if TYPE_CHECKING:
    from hardwon.core.values.report import Place, Window
    from hardwon.storage.stores.sqlite.database import Database

_VISIBLE = """
SELECT s.id, s.project, s.active FROM shelves AS s JOIN tenants AS t ON t.id = s.tenant
WHERE t.name = ? AND s.agent_id = ? AND s.project IN (?, ?, '')
"""
_OWN = """
SELECT s.id FROM shelves AS s JOIN tenants AS t ON t.id = s.tenant
WHERE t.name = ? AND s.agent_id = ? AND s.project = ?
"""


class Visible:
    """The shelves visible from a scope: ids, their scopes, and the number of active lessons."""

    def __init__(self, database: Database, scope: Scope) -> None:
        claimed = scope.claimed() or scope
        values = (scope.tenant, scope.agent, scope.project or "", claimed.project or "")
        rows = database.rows(_VISIBLE, values)
        self.scopes = {row[0]: scope._replace(project=row[1] or None) for row in rows}
        self.active = sum(row[2] for row in rows)
        self.ids = tuple(self.scopes)
        self.marks = marks(self.ids)


def visible(database: Database, scope: Scope) -> Visible:
    """The shelves visible from a scope; read once in a transaction that writes."""
    if not database.is_writing:
        return Visible(database, scope)
    if scope not in database.visible:
        database.visible[scope] = Visible(database, scope)
    return database.visible[scope]


def own(database: Database, scope: Scope) -> int | None:
    """The shelf of exactly this scope, if there is one."""
    row = database.row(_OWN, (scope.tenant, scope.agent, scope.project or ""))
    return int(row[0]) if row else None


def ensure(database: Database, scope: Scope) -> int:
    """The shelf of exactly this scope, created if missing. Call inside `with database:`."""
    shelf = database.shelves.get(scope)
    if shelf is None:
        shelf = database.shelves[scope] = own(database, scope) or _created(database, scope)
    return shelf


def _created(database: Database, scope: Scope) -> int:
    database.forget_shelves()
    database.run("INSERT OR IGNORE INTO tenants (name) VALUES (?)", (scope.tenant,))
    return database.run(
        "INSERT INTO shelves (tenant, agent_id, project)"
        " SELECT id, ?, ? FROM tenants WHERE name = ?",
        (scope.agent, scope.project or "", scope.tenant),
    )


def of_agent(database: Database, scope: Scope) -> dict[int, Scope]:
    """Every shelf of an agent, in all projects."""
    rows = database.rows(
        "SELECT s.id, s.project FROM shelves AS s JOIN tenants AS t ON t.id = s.tenant"
        " WHERE t.name = ? AND s.agent_id = ? ORDER BY s.id",
        (scope.tenant, scope.agent),
    )
    return {row[0]: scope._replace(project=row[1] or None) for row in rows}


def of_tenant(database: Database, tenant: str) -> dict[int, Scope]:
    """Every shelf of a tenant."""
    rows = database.rows(
        "SELECT s.id, s.agent_id, s.project FROM shelves AS s JOIN tenants AS t"
        " ON t.id = s.tenant WHERE t.name = ? ORDER BY s.id",
        (tenant,),
    )
    return {row[0]: Scope(tenant, row[1], row[2] or None) for row in rows}


def of_place(database: Database, place: Place) -> dict[int, Scope]:
    """Every shelf of a tenant, or of one agent or project of it."""
    every = of_tenant(database, place.tenant)
    return {shelf: scope for shelf, scope in every.items() if place.covers(scope)}


def covered(database: Database, window: Window, *, seen: bool = False) -> tuple[int, ...]:
    """The shelves that a window covers; with `seen` also those whose lessons are shown there."""
    holds = window.sees if seen else window.covers
    scopes = of_tenant(database, window.scope.tenant)
    return tuple(shelf for shelf, scope in scopes.items() if holds(scope))


def every(database: Database) -> dict[int, Scope]:
    """Every shelf of every tenant."""
    rows = database.rows(
        "SELECT s.id, t.name, s.agent_id, s.project FROM shelves AS s"
        " JOIN tenants AS t ON t.id = s.tenant"
    )
    return {row[0]: Scope(row[1], row[2], row[3] or None) for row in rows}
