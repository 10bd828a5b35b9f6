"""A store for many machines: everything in PostgreSQL, a spool in the home."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from hardwon.core.errors import Unavailable
from hardwon.core.values.lesson import Lesson
from hardwon.core.values.scope import Scope
from hardwon.storage.postgres import schema
from hardwon.storage.postgres.connection import patient
from hardwon.storage.postgres.database import POOL, Database
from hardwon.storage.sql.dialect import Row, Tenancy, read_queries
from hardwon.storage.sql.journal import Journal, server_spool
from hardwon.storage.sql.lessons import SqlLessons
from hardwon.storage.sql.rows import COLUMNS, lesson_of
from hardwon.storage.sql.store import SqlStore
from hardwon.storage.stores.postgres.index import FRESH, Index

_SQL = read_queries(__file__, COLUMNS=COLUMNS)
log = logging.getLogger("hardwon")
_FORGOTTEN = "forgotten "  # among the names of batches: the mark of a tenant follows


class PostgresStore(SqlStore):
    """Everything in one database; records of the agent's path wait in a file of the home."""

    database: Database

    def __init__(
        self,
        url: str,
        home: str,
        *,
        migrate: str = schema.AUTO,
        pool: int = POOL,
        fresh: int = FRESH,
    ) -> None:
        database = Database(
            url, pool=pool, prepare=lambda database: schema.ensure(database, migrate)
        )
        super().__init__(database, Journal(database, server_spool(home, url), self._is_due))
        self.index = Index(database, fresh)
        self.lessons = SqlLessons(database, self.index)
        self._open()

    def _open(self) -> None:
        """Make sure the tables exist; if the server is away, this is repeated at first use."""
        try:
            self.database.ready()
        except Unavailable as error:
            log.warning("%s; lessons wait here until it answers", error)
        except BaseException:
            self.database.close()
            raise

    def fold(self) -> int:
        """Move records of the agents' path into the database."""
        return self._journal.fold()

    @property
    def is_told(self) -> bool:
        """Whether the database has all records of this machine."""
        return self._journal.is_empty

    def tend(self) -> int:
        return self.fold() + self.index.settle_all()

    @patient()
    def move(self, scope: Scope, target: Scope) -> None:
        super().move(scope, target)

    @patient()
    def forget(self, tenant: str) -> None:
        super().forget(tenant)

    def note_forgotten(self, mark: str) -> None:
        self.database.rows(_SQL["note_forgotten"], batch=f"{_FORGOTTEN}{mark}")

    def forgotten(self) -> dict[str, float]:
        rows = self.database.rows(_SQL["forgotten"], batch=f"{_FORGOTTEN}%")
        return {batch.removeprefix(_FORGOTTEN): at for batch, at in rows}

    @patient()
    def check(self) -> list[str]:
        self.fold()
        return [
            problem
            for tenant in self.database.tenants()
            for problem in (
                *find_miscounts(self.database.of(tenant)),
                *self.lessons.quarantine_damaged(tenant),
            )
        ]

    def _is_due(self, batch: str) -> bool:
        return bool(self.database.rows(_SQL["due"], batch=batch))


def find_miscounts(tenancy: Tenancy) -> list[str]:
    """Problems of a tenant's index, in words."""
    with tenancy.database.snapshot():
        terms, entries, shelves = (
            int(tenancy.rows(sql)[0][0])
            for sql in (_SQL["terms"], _SQL["entries"], _SQL["shelves"])
        )
    problems = {
        f"{terms} keys of the index have wrong counts": terms,
        f"the index lacks {entries} entries": entries,
        f"{shelves} shelves have a wrong count of lessons": shelves,
    }
    return [f"tenant {tenancy.tenant!r}: {text}" for text, count in problems.items() if count]


class ShelfReader:
    """Reads whole shelves, part by part; changes meanwhile are read the next time."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def salt(self) -> str:
        """The salt of the hold-out, shared by all machines."""
        return str(self._db.rows(_SQL["salt"])[0][0])

    def states(self, scopes: Sequence[Scope]) -> dict[Scope, int]:
        """The version of each scope, raised by every change of a lesson."""
        states = dict.fromkeys(scopes, 0)
        agents = list({scope.agent for scope in scopes})
        projects = list({scope.project or "" for scope in scopes})
        for tenant in {scope.tenant for scope in scopes}:
            values = {"agents": agents, "projects": projects}
            for agent, project, version in self._db.of(tenant).rows(_SQL["states"], **values):
                scope = Scope(tenant, agent, project or None)
                if scope in states:
                    states[scope] = version
        return states

    def marks(self, scope: Scope) -> dict[int, int]:
        """A mark for every lesson of the scope, which changes with the lesson."""
        return dict(self._rows(_SQL["marks"], scope))

    def lessons(self, scope: Scope, numbers: Sequence[int]) -> list[Lesson]:
        """These lessons, without those that are gone."""
        rows = self._rows(_SQL["lessons"], scope, ids=list(numbers))
        return [lesson_of(row, {row[1]: scope}) for row in rows]

    def vectors(
        self, scope: Scope, *, after: int, lessons: Sequence[int]
    ) -> list[tuple[int, int, str, bytes]]:
        """The vectors with a number over `after`, and those of these lessons."""
        rows = self._rows(_SQL["vectors"], scope, after=after, lessons=list(lessons))
        return [(number, lesson, name, bytes(vector)) for number, lesson, name, vector in rows]

    def share(self, tenant: str) -> float | None:
        """The share of runs from which lessons are withheld, if the proof has set one."""
        row = self._db.of(tenant).row(_SQL["share"])
        return float(row[0]) if row else None

    def _rows(self, sql: str, scope: Scope, **values: object) -> list[Row]:
        place = {"agent": scope.agent, "project": scope.project or ""}
        return self._db.of(scope.tenant).rows(sql, **place, **values)
