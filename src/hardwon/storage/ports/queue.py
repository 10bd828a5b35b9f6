"""Jobs that wait."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Protocol

from hardwon.core.values.job import Job, QueueCounts


class Queue(Protocol):
    """Holds jobs until they are done. Survives a crash unless it says otherwise.

    Only the attempt that holds a job settles it, and once: `done`, `retry` and `bury` by an
    attempt that was settled before, or lost its job to a later one, change and count nothing.
    """

    def put(self, job: Job) -> bool:
        """Store the job durably; False when it is already waiting."""

    def claim(self, now: datetime, *, slots: int = 1) -> Job | None:
        """The job that is due first, its attempt counted; None when nothing is due.

        `slots`: how many the caller is about to claim; a server may hand them over at once.
        """

    def done(self, job: Job) -> None:
        """Remove a claimed job that has been worked."""

    def retry(self, job: Job) -> None:
        """Keep a claimed job for another attempt at its due time."""

    def bury(self, job: Job, reason: str) -> None:
        """Move a claimed job to the dead letters."""

    def waiting(self) -> list[Job]:
        """The jobs that are pending or in flight, oldest first."""

    def dead(self) -> list[Job]:
        """The dead letters, oldest first."""

    def close(self) -> None:
        """Let another process work the queue; waiting jobs stay. The next claim takes it again."""


class QueueOperations(Protocol):
    """The queue for operators. Any process may call it at any time."""

    def revive(self, identity: str, now: datetime) -> None:
        """Make a dead job wait again as if it were new, else NotFound. Safe at any crash."""

    def purge(self, identity: str) -> None:
        """Remove a dead job for good, else NotFound."""

    def forget(self, job: Job) -> None:
        """Remove a job that waits or is claimed, unworked."""

    def counts(self) -> QueueCounts:
        """How many jobs wait, run and are dead, and how many were done or failed."""

    def worker(self) -> int | None:
        """The process that works the queue; None when there is none, or when it is this one."""

    def wakeups(self) -> Sequence[int]:
        """File descriptors that are readable when a job may have come."""

    def pause(self) -> timedelta:
        """How long an idle worker waits until it looks again."""


class WorkedQueue(Queue, QueueOperations, Protocol):
    """A queue that a worker works and operators look after."""
