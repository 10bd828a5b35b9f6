"""The queue of many machines: a table that workers take jobs from, and a bell that wakes them."""

from hardwon.queues.postgres.queue import PostgresQueue
from hardwon.queues.postgres.upkeep import Limits

__all__ = ["Limits", "PostgresQueue"]
