"""The embedded default: one SQLite file in the home directory, a spool beside it."""

from __future__ import annotations

import os

from hardwon.backends.sqlite.spool import Spool
from hardwon.backends.sqlite.database import Database
from hardwon.backends.sqlite.lessons import SqliteLessons
from hardwon.backends.sqlite.logs import SqliteDeliveries, SqliteFailures, SqliteReflections


class SqliteStore:
    """Everything in `<home>/hardwon.db`."""

    def __init__(self, home: str) -> None:
        self._db = Database(os.path.join(home, "hardwon.db"))
        self.lessons = SqliteLessons(self._db)
        self.reflections = SqliteReflections(self._db)
        self.deliveries = SqliteDeliveries(self._db, Spool(os.path.join(home, "deliveries.spool")))
        self.failures = SqliteFailures(self._db)

    def forget(self, tenant: str) -> None:
        self.deliveries.fold()
        with self._db as db:
            db.run("DELETE FROM tenants WHERE name = ?", (tenant,))

    def close(self) -> None:
        self.deliveries.close()
        self._db.close()
