"""A store for many machines: everything in PostgreSQL, a spool in the home."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from hardwon.core.errors import Unavailable
from hardwon.storage.postgres import schema
from hardwon.storage.postgres.connection import patient
from hardwon.storage.postgres.database import POOL, Database
from hardwon.storage.sql.journal import Journal, server_spool
from hardwon.storage.sql.store import SqlStore
from hardwon.storage.stores.postgres import checking
from hardwon.storage.stores.postgres.index import FRESH
from hardwon.storage.stores.postgres.lessons import PostgresLessons

if TYPE_CHECKING:
    from hardwon.core.values.scope import Scope

log = logging.getLogger("hardwon")
_DUE = """
INSERT INTO hardwon.folded (batch) VALUES (:batch) ON CONFLICT DO NOTHING RETURNING batch
"""


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
        self.lessons = PostgresLessons(database, fresh)
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
        return self.fold() + self.lessons.index.settle_all()

    @patient()
    def move(self, scope: Scope, target: Scope) -> None:
        super().move(scope, target)

    @patient()
    def forget(self, tenant: str) -> None:
        super().forget(tenant)

    @patient()
    def check(self) -> list[str]:
        self.fold()
        return [
            problem
            for tenant in self.database.tenants()
            for problem in (
                *checking.find_miscounts(self.database.of(tenant)),
                *self.lessons.quarantine_damaged(tenant),
            )
        ]

    def close(self) -> None:
        if self._journal.is_full:
            self.fold()
        self.database.close()

    def _is_due(self, batch: str) -> bool:
        return bool(self.database.rows(_DUE, batch=batch))
