"""What a queue tells about itself."""

from typing import NamedTuple


class QueueCounts(NamedTuple):
    """How much is where, and what happened to what came in.

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


BUCKETS = (0.5, 1, 2, 5, 10, 20, 30, 60, 120)  # seconds; published
EVENTS = ("deduped", "rejected_full", "dropped_oldest", "corrupt", "stale", "storage_errors")


def since(start: QueueCounts, now: QueueCounts) -> QueueCounts:
    """The counts with the events that came after `start` only."""
    return now._replace(**{name: getattr(now, name) - getattr(start, name) for name in EVENTS})
