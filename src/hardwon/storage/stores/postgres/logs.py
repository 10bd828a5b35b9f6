"""The part of the store that logs deliveries, failures, calls and the hold-out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hardwon.storage.stores.postgres.deliveries import PostgresDeliveries
from hardwon.storage.stores.postgres.ended_runs import PostgresEndedRuns
from hardwon.storage.stores.postgres.failures import PostgresFailures
from hardwon.storage.stores.postgres.listing import PostgresListing
from hardwon.storage.stores.postgres.statistics import PostgresStatistics
from hardwon.storage.stores.postgres.units import PostgresUnits

if TYPE_CHECKING:
    from hardwon.storage.postgres.database import Database
    from hardwon.storage.stores.journal import Journal


class PostgresLogs:
    """Logs of what happened, lists and statistics of them."""

    def __init__(self, database: Database, journal: Journal) -> None:
        self.units = PostgresUnits(database, journal)
        self.deliveries = PostgresDeliveries(database, journal)
        self.failures = PostgresFailures(database)
        self.statistics = PostgresStatistics(database, journal)
        self.listing = PostgresListing(database, journal)
        self.ended_runs = PostgresEndedRuns(database, journal)
