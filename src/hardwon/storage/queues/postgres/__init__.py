"""The queue for many machines: a table that workers take jobs from, with notifications."""

from hardwon.storage.queues.postgres.queue import PostgresQueue
from hardwon.storage.queues.postgres.upkeep import TableLimits

__all__ = ["PostgresQueue", "TableLimits"]
