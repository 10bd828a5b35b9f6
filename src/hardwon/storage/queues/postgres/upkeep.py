"""Periodic upkeep of the table of jobs, in bounded steps."""

from __future__ import annotations

from datetime import timedelta
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

from hardwon.storage.queues.postgres import statements
from hardwon.storage.sql.dialect import Statement, bind

if TYPE_CHECKING:
    from datetime import datetime

_AT_ONCE = 1000  # rows
_PAUSE = 60.0  # seconds between two rounds
_REMEMBERED = timedelta(days=30)  # how long a forwarded record is remembered
STALE = "stale: waited longer than queue.stale_after"


class TableLimits(NamedTuple):
    """Time limits for jobs."""

    lease: timedelta = timedelta(seconds=150)  # then another worker may claim the job
    stale_after: timedelta = timedelta(days=7)  # zero: never
    longest_wait: timedelta = timedelta(days=1)  # even if the clock jumps


class TableUpkeep:
    """Decides what upkeep is due; one per process that works the queue."""

    def __init__(self, limits: TableLimits) -> None:
        self._limits = limits
        self._next = 0.0
        self._is_first = True

    def due(self, now: datetime) -> list[Statement]:
        """The statements to send along with the next claim."""
        if monotonic() < self._next:
            return []
        most, limits = _AT_ONCE, self._limits
        statements_due = [
            bind(statements.WRONG_CLOCKS, now=now, longest=limits.longest_wait, most=most),
            bind(statements.FORGET_FORWARDED, age=_REMEMBERED, most=most),
        ]
        if self._is_first and limits.stale_after:
            before = now - limits.stale_after
            statements_due.append(bind(statements.STALE, before=before, reason=STALE, most=most))
        return statements_due

    def done(self) -> None:
        """Note that the statements were run."""
        self._next, self._is_first = monotonic() + _PAUSE, False
