"""What a queue and its workers count."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from datetime import datetime
    from typing import TypedDict

    class WorkerStatus(TypedDict, total=False):
        """What a worker process tells others about itself."""

        pid: int
        at: str  # ISO 8601
        began: str  # the same
        done: int
        retried: int
        buried: int
        running: list[tuple[str, str, int, str]]  # job, task, attempt, since when


class QueueCounts(NamedTuple):
    """The counts of a queue: jobs in each state, and events so far.

    From `accepted` to `set_aside`: since this process began to work the queue, and then
    `accepted == done + buried + set_aside + pending`. The rest: in all processes, ever.
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
    buckets: dict[str, list[int]]  # by outcome: one count a bucket of BUCKETS, and one over
    persist_failures: int = 0


SKIPPED = "skipped"  # what a processor returns when there was nothing to learn
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
        return Tally(*(mine + theirs for mine, theirs in zip(self, other, strict=True)))

    def minus(self, other: Tally) -> Tally:
        """What was done since `other`."""
        return Tally(*(mine - theirs for mine, theirs in zip(self, other, strict=True)))


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
        self.troubles = 0  # times in a row that the disk failed us

    @property
    def is_ready(self) -> bool:
        """Whether jobs that come now are worked."""
        return not self.is_stopping and self.troubles == 0

    def ended(self, outcome: str, seconds: float) -> None:
        """Note an attempt with its length."""
        counts = self.counts
        counts.attempts[outcome] = counts.attempts.get(outcome, 0) + 1
        counts.seconds[outcome] = counts.seconds.get(outcome, 0.0) + seconds
        buckets = counts.buckets.setdefault(outcome, [0] * (len(BUCKETS) + 1))
        buckets[sum(seconds > edge for edge in BUCKETS)] += 1

    def retried(self, attempt: int) -> None:
        """Note that another attempt follows."""
        self.counts.retries[attempt] = self.counts.retries.get(attempt, 0) + 1
        self.tally += Tally(retried=1)

    def not_kept(self) -> None:
        """Note that the disk did not take what was learnt."""
        failures = self.counts.persist_failures + 1
        self.counts = self.counts._replace(persist_failures=failures)
