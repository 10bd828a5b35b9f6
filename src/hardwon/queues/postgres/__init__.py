"""The queue for many machines: a table that workers take jobs from, with notifications."""

from hardwon.queues.postgres.queue import PostgresQueue
from hardwon.queues.postgres.upkeep import TableLimits

__all__ = ["PostgresQueue", "TableLimits"]
