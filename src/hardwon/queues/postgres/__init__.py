"""The queue of many machines: a table that workers take jobs from and that wakes them."""

from hardwon.queues.postgres.queue import PostgresQueue
from hardwon.queues.postgres.upkeep import TableLimits

__all__ = ["PostgresQueue", "TableLimits"]
