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
