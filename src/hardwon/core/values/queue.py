"""Counts of a queue and of its workers."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from datetime import datetime
    from typing import TypedDict

    class WorkerStatus(TypedDict, total=False):
        """The status that a worker process publishes."""

        pid: int
        at: str  # ISO 8601
        began: str  # the same
        done: int
        retried: int
        buried: int
        running: list[tuple[str, str, int, str]]  # job, task, attempt, start


class QueueCounts(NamedTuple):
    """The counts of a queue: jobs in each state, and events so far.

    From `accepted` to `set_aside`: since this process began to work the queue, and then
    `accepted == done + buried + set_aside + pending`. The others count over all processes, ever.
    """

    pending: int = 0
    dead: int = 0
    quarantined: int = 0
    in_memory: int = 0
    in_flight: int = 0
    accepted: int = 0
    done: int = 0
    buried: int = 0
    set_aside: int = 0
    deduped: int = 0
    rejected_full: int = 0
    dropped_oldest: int = 0
    corrupt: int = 0
    stale: int = 0
    storage_errors: int = 0


class WorkCounts(NamedTuple):
    """What a worker did since it began."""

    attempts: dict[str, int]  # by outcome: success, skipped, transient, permanent
    retries: dict[int, int]  # by the attempt that failed
    seconds: dict[str, float]  # by outcome
    buckets: dict[str, list[int]]  # by outcome: a count per bucket of BUCKETS, and one beyond
    persist_failures: int = 0


SKIPPED = "skipped"  # returned by a processor when there was nothing to learn
BUCKETS = (0.5, 1, 2, 5, 10, 20, 30, 60, 120)  # seconds; published
EVENTS = ("deduped", "rejected_full", "dropped_oldest", "corrupt", "stale", "storage_errors")


def since(start: QueueCounts, now: QueueCounts) -> QueueCounts:
    """The counts with the events that came after `start` only."""
    return now._replace(**{name: getattr(now, name) - getattr(start, name) for name in EVENTS})


class Tally(NamedTuple):
    """What a worker did."""

    done: int = 0
    retried: int = 0
    buried: int = 0

    def __add__(self, other: object) -> Tally:
        assert isinstance(other, Tally)
        return Tally(*(a + b for a, b in zip(self, other, strict=True)))

    def minus(self, other: Tally) -> Tally:
        """What was done since `other`."""
        return Tally(*(a - b for a, b in zip(self, other, strict=True)))


class Running(NamedTuple):
    """A job in flight."""

    id: str
    task: str
    attempt: int
    since: datetime


class WorkCounter:
    """What a worker counts while it works."""

    def __init__(self) -> None:
        self.tally = Tally()
        self.counts = WorkCounts({}, {}, {}, {})
        self.running: dict[str, Running] = {}
        self.is_stopping = False
        self.has_trouble = False  # the disk or the server failed when it was last used

    @property
    def is_ready(self) -> bool:
        """Whether new jobs will be processed."""
        return not self.is_stopping and not self.has_trouble

    def ended(self, outcome: str, seconds: float) -> None:
        """Count an attempt and its duration."""
        counts = self.counts
        counts.attempts[outcome] = counts.attempts.get(outcome, 0) + 1
        counts.seconds[outcome] = counts.seconds.get(outcome, 0.0) + seconds
        buckets = counts.buckets.setdefault(outcome, [0] * (len(BUCKETS) + 1))
        buckets[sum(seconds > edge for edge in BUCKETS)] += 1

    def retried(self, attempt: int) -> None:
        """Count a retry after this attempt."""
        self.counts.retries[attempt] = self.counts.retries.get(attempt, 0) + 1
        self.tally += Tally(retried=1)

    def not_kept(self) -> None:
        """Count a failure to store what was learnt."""
        failures = self.counts.persist_failures + 1
        self.counts = self.counts._replace(persist_failures=failures)
