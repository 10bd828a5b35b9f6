"""The rows that belong to a scope. No other module builds this part of a query."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

from hardwon.core import _wait_budget
from hardwon.core.values.scope import Scope
from hardwon.storage.sql.dialect import Statement

if TYPE_CHECKING:
    from hardwon.core.values.listing import Place
    from hardwon.core.values.report import Window
    from hardwon.storage.postgres.database import Database, Row

_VISIBLE = """
SELECT id, project, active, version, (
    SELECT count(*) FROM hardwon.fresh AS f
    WHERE f.tenant = :tenant AND f.shelf = s.id AND f.is_new
) FROM hardwon.shelves AS s
WHERE tenant = :tenant AND agent_id = :agent AND project = ANY(:projects::text[])
ORDER BY id
"""
_OWN = """
SELECT id FROM hardwon.shelves
WHERE tenant = :tenant AND agent_id = :agent AND project = :project
"""
_OF_TENANT = """
SELECT id, agent_id, project FROM hardwon.shelves WHERE tenant = :tenant ORDER BY id
"""
# The rows of some shelves.
HERE = "tenant = :tenant AND shelf = ANY(:shelves::bigint[])"
# The shelves visible from a scope, for a statement with the values of `asked`.
SEEN = """(
    SELECT id FROM hardwon.shelves
    WHERE tenant = :tenant AND agent_id = :agent AND project = ANY(:projects::text[])
)"""
_SEEN = "shelves"  # key of the shelves that a turn has read
_SERIAL = "serial"  # key in transactions that lock the scopes they touch


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
        self.shelves = [
            Shelf(number, scope._replace(project=project or None), active, version, added)
            for number, project, active, version, added in rows
        ]
        self.scopes = {shelf.id: shelf.scope for shelf in self.shelves}
        self.ids = list(self.scopes)
        self.total = sum(shelf.active + shelf.added for shelf in self.shelves)
        self.versions = tuple((shelf.id, shelf.version) for shelf in self.shelves)


def asked(scope: Scope) -> Statement:
    """The statement whose rows make a `Visible`."""
    projects = [seen.project or "" for seen in scope.visible()]
    return Statement(_VISIBLE, {"agent": scope.agent, "projects": projects})


def visible(database: Database, scope: Scope) -> Visible:
    """The shelves visible from a scope."""
    hold(database, scope)
    return Visible(scope, database.of(scope.tenant).ask(asked(scope))[0])


def read(database: Database, scope: Scope, sql: str, **values: object) -> tuple[Visible, list[Row]]:
    """The visible shelves and the rows of a statement about `SEEN`, in one round trip."""
    hold(database, scope)
    shelves = asked(scope)
    shelf_rows, rows = database.of(scope.tenant).ask(
        shelves, Statement(sql, {**shelves.values, **values})
    )
    visible_shelves = Visible(scope, shelf_rows)
    if (notes := _wait_budget.notes()) is not None and database.open is None:
        notes[_SEEN, scope] = visible_shelves
    return visible_shelves, rows


def noted(database: Database, scope: Scope) -> Visible | None:
    """The shelves as read earlier in this agent's turn; None inside a transaction."""
    notes = _wait_budget.notes() if database.open is None else None
    noted_shelves = notes.get((_SEEN, scope)) if notes else None
    return noted_shelves if isinstance(noted_shelves, Visible) else None


def own(database: Database, scope: Scope) -> int | None:
    """The shelf of exactly this scope, if there is one."""
    hold(database, scope)
    row = database.of(scope.tenant).row(_OWN, agent=scope.agent, project=scope.project or "")
    return int(row[0]) if row else None


def ensure(database: Database, scope: Scope) -> int:
    """The shelf of exactly this scope, created if missing. Call inside `with database:`."""
    shelf = own(database, scope)
    if shelf is not None:
        return shelf
    tenancy = database.of(scope.tenant)
    tenancy.ask(
        Statement("INSERT INTO hardwon.tenants VALUES (:tenant) ON CONFLICT DO NOTHING", {}),
        Statement(
            "INSERT INTO hardwon.shelves (tenant, agent_id, project)"
            " VALUES (:tenant, :agent, :project) ON CONFLICT DO NOTHING",
            {"agent": scope.agent, "project": scope.project or ""},
        ),
    )
    return ensure(database, scope)


def of_tenant(database: Database, tenant: str) -> dict[int, Scope]:
    """Every shelf of a tenant."""
    rows = database.of(tenant).rows(_OF_TENANT)
    return {number: Scope(tenant, agent, project or None) for number, agent, project in rows}


def of_agent(database: Database, scope: Scope) -> dict[int, Scope]:
    """Every shelf of an agent, in all projects."""
    every = of_tenant(database, scope.tenant)
    return {number: owner for number, owner in every.items() if owner.agent == scope.agent}


def of_place(database: Database, place: Place) -> dict[int, Scope]:
    """Every shelf of a tenant, or of one agent or project of it."""
    every = of_tenant(database, place.tenant)
    return {shelf: scope for shelf, scope in every.items() if place.covers(scope)}


def covered(database: Database, window: Window, *, seen: bool = False) -> list[int]:
    """The shelves that a window covers; with `seen` also those whose lessons are shown there."""
    every = of_tenant(database, window.scope.tenant)
    holds = window.sees if seen else window.covers
    return [number for number, scope in every.items() if holds(scope)]


def tenants(database: Database) -> list[str]:
    """The names of all tenants."""
    return [name for (name,) in database.rows("SELECT name FROM hardwon.tenants ORDER BY name")]


def serialize(database: Database) -> None:
    """Make the open transaction lock each scope that it touches."""
    if database.open is not None:
        database.open.notes.setdefault(_SERIAL, set())


def hold(database: Database, scope: Scope) -> None:
    """Lock this scope if the transaction is serial and has not done so."""
    locked = database.open.notes.get(_SERIAL) if database.open else None
    if locked is not None and scope not in locked:
        locked.add(scope)
        lock(database, scope)


def lock(database: Database, scope: Scope) -> None:
    """Lock a scope until the transaction ends."""
    digest = blake2b("\0".join(part or "" for part in scope).encode(), digest_size=8).digest()
    key = int.from_bytes(digest, "big", signed=True)
    database.of(scope.tenant).rows("SELECT pg_advisory_xact_lock(:key::bigint)", key=key)
