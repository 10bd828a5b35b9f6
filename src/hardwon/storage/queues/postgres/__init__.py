"""The queue for many machines: a table that workers take jobs from, with notifications."""

from hardwon.storage.queues.postgres.queue import PostgresQueue, TableLimits

__all__ = ["PostgresQueue", "TableLimits"]
