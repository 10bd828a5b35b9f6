"""Read a server's shelves, to keep a local copy of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hardwon.core.values.scope import Scope
from hardwon.storage.sql.rows import COLUMNS, lesson_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hardwon.core.values.lesson import Lesson
    from hardwon.storage.postgres.database import Database
    from hardwon.storage.sql.dialect import Row

_SHELF = """
(SELECT id FROM hardwon.shelves
WHERE tenant = :tenant AND agent_id = :agent AND project = :project)
"""
_STATES = """
SELECT agent_id, project, version FROM hardwon.shelves
WHERE tenant = :tenant AND agent_id = ANY(:agents) AND project = ANY(:projects)
"""
# Every change of a row changes its xmin: a free version mark.
_MARKS = f"""
SELECT id, xmin::text::bigint FROM hardwon.lessons
WHERE tenant = :tenant AND shelf = {_SHELF}
"""
_LESSONS = f"""
SELECT id, shelf, {COLUMNS} FROM hardwon.lessons
WHERE tenant = :tenant AND shelf = {_SHELF} AND id = ANY(:ids::bigint[]) ORDER BY id
"""
_VECTORS = f"""
SELECT id, lesson, embedder, vector FROM hardwon.lesson_vectors
WHERE tenant = :tenant AND shelf = {_SHELF}
AND (id > :after OR lesson = ANY(:lessons::bigint[])) ORDER BY id
"""


class ShelfReader:
    """Reads whole shelves, part by part; changes meanwhile are read the next time."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def salt(self) -> str:
        """The salt of the hold-out, shared by all machines."""
        return str(self._db.rows("SELECT salt FROM hardwon.proof_salt")[0][0])

    def states(self, scopes: Sequence[Scope]) -> dict[Scope, int]:
        """The version of each scope, raised by every change of a lesson."""
        states = dict.fromkeys(scopes, 0)
        agents = list({scope.agent for scope in scopes})
        projects = list({scope.project or "" for scope in scopes})
        for tenant in {scope.tenant for scope in scopes}:
            values = {"agents": agents, "projects": projects}
            for agent, project, version in self._db.of(tenant).rows(_STATES, **values):
                scope = Scope(tenant, agent, project or None)
                if scope in states:
                    states[scope] = version
        return states

    def marks(self, scope: Scope) -> dict[int, int]:
        """A mark for every lesson of the scope, which changes with the lesson."""
        return dict(self._rows(_MARKS, scope))

    def lessons(self, scope: Scope, numbers: Sequence[int]) -> list[Lesson]:
        """These lessons, without those that are gone."""
        rows = self._rows(_LESSONS, scope, ids=list(numbers))
        return [lesson_of(row, {row[1]: scope}) for row in rows]

    def vectors(
        self, scope: Scope, *, after: int, lessons: Sequence[int]
    ) -> list[tuple[int, int, str, bytes]]:
        """The vectors with a number over `after`, and those of these lessons."""
        rows = self._rows(_VECTORS, scope, after=after, lessons=list(lessons))
        return [(number, lesson, name, bytes(vector)) for number, lesson, name, vector in rows]

    def share(self, tenant: str) -> float | None:
        """The share of runs from which lessons are withheld, if the proof has set one."""
        sql = "SELECT share FROM hardwon.proof_shares WHERE tenant = :tenant"
        row = self._db.of(tenant).row(sql)
        return float(row[0]) if row else None

    def _rows(self, sql: str, scope: Scope, **values: object) -> list[Row]:
        place = {"agent": scope.agent, "project": scope.project or ""}
        return self._db.of(scope.tenant).rows(sql, **place, **values)
