"""How jobs are processed: how long each may take, and when it is retried."""

from __future__ import annotations

from datetime import timedelta
from typing import NamedTuple

from hardwon.core.errors import StorageError, TransientError


class Backoff(NamedTuple):
    """How long to wait between attempts, and how many there are."""

    first: timedelta = timedelta(seconds=1)
    limit: timedelta = timedelta(minutes=5)
    spread: float = 0.2
    attempts: int = 5

    def delay(self, attempts: int, *, noise: float = 0.0) -> timedelta:
        """How long to wait after `attempts` failed tries; `noise` is in -1 … 1."""
        grown = min(self.first * 2.0 ** min(attempts - 1, 32), self.limit)  # 2.0**1025 overflows
        return min(grown * (1 + self.spread * noise), self.limit)

    def sensible(self) -> Backoff:
        """The same back-off with every value in its valid range."""
        first = self.first if self.first > timedelta(0) else timedelta(seconds=1)
        limit = self.limit if self.limit > timedelta(0) else timedelta(minutes=5)
        attempts = self.attempts if self.attempts >= 1 else 5
        return Backoff(first, max(first, limit), min(max(self.spread, 0.0), 0.5), attempts)


class Policy(NamedTuple):
    """How jobs are processed."""

    backoff: Backoff = Backoff()
    timeout: timedelta = timedelta(minutes=2)
    workers: int = 2
    grace: timedelta = timedelta(seconds=30)  # for jobs in flight when the worker stops


def is_transient(error: Exception) -> bool:
    """Whether the job may succeed later: a busy or slow server, a failing disk."""
    return isinstance(error, TransientError | TimeoutError | StorageError | OSError)
