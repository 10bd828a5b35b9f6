"""The rows that belong to a scope. No other module builds this part of a query."""

from __future__ import annotations

from typing import NamedTuple

from hardwon.core.values.report import Place, Window
from hardwon.core.values.scope import Scope
from hardwon.storage.sql.dialect import Row, SqlDatabase, Statement, read_queries

_SQL = read_queries(__file__)
SEEN, HERE = _SQL["seen"], _SQL["here"]


class Shelf(NamedTuple):
    """The shelf of one scope: a row that its lessons refer to."""

    id: int
    scope: Scope
    active: int  # lessons counted in the dictionary
    version: int
    added: int  # lessons not counted yet


class Visible:
    """The shelves visible from a scope."""

    def __init__(self, scope: Scope, rows: list[Row]) -> None:
        self.scope = scope
        self.shelves = [
            Shelf(number, scope._replace(project=project or None), active, version, added)
            for number, project, active, version, added in rows
        ]
        self.scopes = {shelf.id: shelf.scope for shelf in self.shelves}
        self.ids = list(self.scopes)
        self.total = sum(shelf.active + shelf.added for shelf in self.shelves)


def visible_query(database: SqlDatabase, scope: Scope) -> Statement:
    """The statement whose rows make a `Visible`."""
    projects = [seen.project or "" for seen in scope.visible()]
    sql = _SQL["visible"].format(database.shelf_state)
    return Statement(sql, {"agent": scope.agent, "projects": projects})


def visible(database: SqlDatabase, scope: Scope) -> Visible:
    """The shelves visible from a scope."""
    database.touch(scope)
    (rows,) = database.of(scope.tenant).ask(visible_query(database, scope))
    return Visible(scope, rows)


def read(
    database: SqlDatabase, scope: Scope, sql: str, **values: object
) -> tuple[Visible, list[Row]]:
    """The visible shelves and the rows of a statement about `SEEN`, in no order, as of one moment.

    The rows have a column `shelf`.
    """
    database.touch(scope)
    shelves = visible_query(database, scope)
    both = f"SELECT v.*, r.* FROM ({shelves.sql}) AS v LEFT JOIN ({sql}) AS r ON r.shelf = v.id"
    rows = database.of(scope.tenant).rows(both, **shelves.values, **values)
    shelf_rows = list(dict.fromkeys(row[:5] for row in rows))
    return Visible(scope, shelf_rows), [row[5:] for row in rows if row[5] is not None]


def forget_notes(database: SqlDatabase) -> None:
    """Read shelves again: they have changed."""
    database.lesson_notes.clear()
    database.shelf_notes.clear()


def own(database: SqlDatabase, scope: Scope) -> int | None:
    """The shelf of exactly this scope, if there is one."""
    database.touch(scope)
    shelf: int | None = database.shelf_notes.get(scope)
    if shelf is None:
        values = {"agent": scope.agent, "project": scope.project or ""}
        if row := database.of(scope.tenant).row(_SQL["own"], **values):
            shelf = database.shelf_notes[scope] = row[0]
    return shelf


def ensure(database: SqlDatabase, scope: Scope) -> int:
    """The shelf of exactly this scope, created if missing. Call inside `with database:`."""
    while (shelf := own(database, scope)) is None:
        values = {"agent": scope.agent, "project": scope.project or ""}
        database.of(scope.tenant).ask(
            Statement(_SQL["add_tenant"], {}), Statement(_SQL["add"], values)
        )
        forget_notes(database)
    return shelf


def ensure_tenant(database: SqlDatabase, tenant: str) -> None:
    """Create the row of a tenant if it is missing."""
    database.of(tenant).run(_SQL["add_tenant"])


def of_tenant(database: SqlDatabase, tenant: str) -> dict[int, Scope]:
    """Every shelf of a tenant."""
    rows = database.of(tenant).rows(_SQL["of_tenant"])
    return {number: Scope(tenant, agent, project or None) for number, agent, project in rows}


def every(database: SqlDatabase) -> dict[int, Scope]:
    """Every shelf of every tenant."""
    tenants = database.tenants()
    return {
        shelf: scope for tenant in tenants for shelf, scope in of_tenant(database, tenant).items()
    }


def of_agent(database: SqlDatabase, scope: Scope) -> dict[int, Scope]:
    """Every shelf of an agent, in all projects."""
    shelves = of_tenant(database, scope.tenant)
    return {number: owner for number, owner in shelves.items() if owner.agent == scope.agent}


def of_place(database: SqlDatabase, place: Place) -> dict[int, Scope]:
    """Every shelf of a tenant, or of one agent or project of it."""
    shelves = of_tenant(database, place.tenant)
    return {shelf: scope for shelf, scope in shelves.items() if place.covers(scope)}


def covered_shelves(database: SqlDatabase, window: Window, *, seen: bool = False) -> list[int]:
    """The shelves that a window covers; with `seen` also those whose lessons are shown there."""
    shelves = of_tenant(database, window.scope.tenant)
    holds = window.sees if seen else window.covers
    return [number for number, scope in shelves.items() if holds(scope)]
