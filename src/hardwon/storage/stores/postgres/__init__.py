"""A store for many machines: everything in PostgreSQL, a spool in the home."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from hardwon.core.errors import Unavailable
from hardwon.storage.postgres import schema
from hardwon.storage.postgres.database import POOL, Database
from hardwon.storage.postgres.deadline import patient
from hardwon.storage.stores.journal import Journal, server_spool
from hardwon.storage.stores.postgres import checking, moving, scopes
from hardwon.storage.stores.postgres.index import FRESH
from hardwon.storage.stores.postgres.knowledge import PostgresKnowledge
from hardwon.storage.stores.postgres.logs import PostgresLogs
from hardwon.storage.stores.postgres.transaction import LockingTransaction

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from hardwon.core.values.scope import Scope

log = logging.getLogger("hardwon")
_DUE = """
INSERT INTO hardwon.folded (batch) VALUES (%(batch)s) ON CONFLICT DO NOTHING RETURNING batch
"""


class PostgresStore(PostgresKnowledge, PostgresLogs):
    """Everything in one database; records of the agent's path wait in a file of the home."""

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
        PostgresKnowledge.__init__(self, database, fresh)
        self._journal = Journal(database, server_spool(home, url), self._is_due)
        PostgresLogs.__init__(self, database, self._journal)
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

    def together(self) -> LockingTransaction:
        return LockingTransaction(self.database)

    def on(self, kind: str, fold: Callable[[list[list[Any]]], None]) -> None:
        """Register a handler for records of a kind that the store itself does not handle."""
        self._journal.on(kind, fold)

    def receive(self, batch: str, records: Sequence[Sequence[object]]) -> None:
        """Fold in the records of another machine, once."""
        self._journal.receive(batch, records)

    def fold(self) -> int:
        """Move records of the agents' path into the database."""
        return self._journal.fold()

    @property
    def is_told(self) -> bool:
        """Whether the database has all records of this machine."""
        return self._journal.is_empty

    def tend(self) -> int:
        return self.fold() + self.lessons.index.settle_all()

    def scopes(self, tenant: str, project: str) -> list[Scope]:
        self.fold()
        every = scopes.of_tenant(self.database, tenant).values()
        return [scope for scope in every if scope.project == project]

    @patient()
    def move(self, scope: Scope, target: Scope) -> None:
        self.fold()
        with self.together():
            old, new = scopes.own(self.database, scope), scopes.ensure(self.database, target)
            if old is not None:
                moving.move(self.database.of(scope.tenant), old, new)

    @patient()
    def forget(self, tenant: str) -> None:
        self.fold()
        self.database.of(tenant).run("DELETE FROM hardwon.tenants WHERE name = %(tenant)s")

    @patient()
    def check(self) -> list[str]:
        self.fold()
        return [
            problem
            for tenant in scopes.tenants(self.database)
            for problem in (
                *checking.miscounted(self.database.of(tenant)),
                *self.lessons.quarantine_damaged(tenant),
            )
        ]

    def close(self) -> None:
        if self._journal.is_full:
            self.fold()
        self.database.close()

    def _is_due(self, batch: str) -> bool:
        return bool(self.database.rows(_DUE, batch=batch))
