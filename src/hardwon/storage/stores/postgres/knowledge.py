"""The part of the store that keeps lessons, vectors, history, reflections and dreams."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hardwon.core._fork import cached_property
from hardwon.core.values.scope import Scope
from hardwon.storage.stores.postgres import vectors
from hardwon.storage.stores.postgres.dreams import PostgresDreams
from hardwon.storage.stores.postgres.history import PostgresHistory
from hardwon.storage.stores.postgres.lessons import PostgresLessons
from hardwon.storage.stores.postgres.reflections import PostgresReflections, on_runs

if TYPE_CHECKING:
    from hardwon.storage.ports import VectorStore
    from hardwon.storage.postgres.database import Database

_SHELVES = """
SELECT s.agent_id, s.project, count(*) FROM hardwon.lessons AS l
JOIN hardwon.shelves AS s ON s.tenant = l.tenant AND s.id = l.shelf
WHERE l.tenant = :tenant AND l.status IN ('candidate', 'proven')
GROUP BY s.agent_id, s.project ORDER BY count(*) DESC, s.agent_id, s.project
"""


class PostgresKnowledge:
    """Lessons, their vectors and history, reflections and dreams."""

    def __init__(self, database: Database, fresh: int) -> None:
        self.database = database
        self.lessons = PostgresLessons(database, fresh)
        self.reflections = PostgresReflections(database)
        self.runs = on_runs(database)
        self.history = PostgresHistory(database)
        self.dreams = PostgresDreams(database)

    @cached_property
    def vectors(self) -> VectorStore:
        return vectors.PostgresVectors(self.database)

    def shelves(self, tenant: str) -> dict[Scope, int]:
        rows = self.database.of(tenant).rows(_SHELVES)
        return {Scope(tenant, agent, project or None): active for agent, project, active in rows}
