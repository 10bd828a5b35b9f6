"""The `lessons` table of a tenant store: one signature and one text per row.

Only the rows of one tenant are read, of one agent or of each for itself: lessons never cross
either.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from urllib.parse import quote

from hardwon.core.errors import InvalidInput
from hardwon.core.values.lesson import Evidence, Lesson
from hardwon.core.values.scope import Scope
from hardwon.learn.imports.fields import moment

EVERY_AGENT = "*"
_OWNERS = "SELECT DISTINCT tenant_id, agent_id FROM lessons"
_ROWS = (
    "SELECT id, agent_id, signature, lesson_text, hit_count, created_at, updated_at, last_seen_at"
    " FROM lessons WHERE tenant_id = ? AND (agent_id = ? OR ? = '*') ORDER BY id"
)


def read(path: str, scope: Scope, *, tenant: str = "", agent: str = "") -> Iterator[Lesson]:
    """The rows of a tenant and an agent, by default of those that the scope names.

    `*` stands for all agents; then each lesson belongs to the agent that learnt it.
    """
    # Quoted: a `?` in the name would begin the options, and SQLite would open another file.
    connection = sqlite3.connect(f"file:{quote(path)}?mode=ro", uri=True)
    try:
        owners = connection.execute(_OWNERS).fetchall()
        names = _names(connection)
        tenant_id = _tenant(owners, names, tenant or scope.tenant, is_asked=bool(tenant))
        agents = [name for owner, name in owners if owner == tenant_id]
        chosen = _agent(agents, agent or scope.agent, is_asked=bool(agent))
        rows = connection.execute(_ROWS, (tenant_id, chosen, chosen)).fetchall()
    except sqlite3.Error as error:
        raise InvalidInput(f"{path!r} holds no table of lessons: {error}") from error
    finally:
        connection.close()
    is_every = chosen == EVERY_AGENT
    return (_lesson(row, scope._replace(agent=row[1]) if is_every else scope) for row in rows)


def _names(connection: sqlite3.Connection) -> dict[str, int]:
    """The tenants by name, where the store names them."""
    columns = {row[1] for row in connection.execute("PRAGMA table_info(tenants)")}
    if not {"id", "name"} <= columns:
        return {}
    return {
        str(name): number for number, name in connection.execute("SELECT id, name FROM tenants")
    }


def _tenant(
    owners: Iterable[tuple[int, str]], names: dict[str, int], asked: str, *, is_asked: bool
) -> int:
    """The number of a tenant by its name or number; without a name the only tenant."""
    tenants = {str(number): number for number, _ in owners}
    numbers = {**tenants, **{name: n for name, n in names.items() if n in tenants.values()}}
    if asked in numbers:
        return numbers[asked]
    if not is_asked and asked == Scope().tenant and len(tenants) == 1:
        return next(iter(tenants.values()))
    raise InvalidInput(f"no lessons of tenant {asked!r}; --from-tenant takes: {_join(numbers)}")


def _agent(agents: list[str], asked: str, *, is_asked: bool) -> str:
    """The agent whose rows are read."""
    if asked in agents or (is_asked and asked == EVERY_AGENT):
        return asked
    if not is_asked and asked == Scope().agent and len(agents) == 1:
        return agents[0]
    raise InvalidInput(f"no lessons of agent {asked!r}; --from-agent takes: {_join(agents)}, *")


def _join(names: Iterable[str]) -> str:
    return ", ".join(sorted(names)) or "none: there are no lessons"


def _lesson(row: tuple[int, str, str, str, int, float, float, float], scope: Scope) -> Lesson:
    number, _, signature, text, hits, created, updated, seen = row
    return Lesson(
        scope,
        situation=signature,
        correction=text,
        origin=f"import:arbiter:{number}",
        evidence=(Evidence("arbiter", f"{number}"),),
        hits=hits,
        created_at=moment(created),
        updated_at=moment(updated),
        last_seen_at=moment(seen or created),
    )
