"""Work: take jobs from the queue, have each processed, and settle what became of it."""

from __future__ import annotations

import asyncio
import logging
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from hardwon.errors import PermanentError, TransientError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from hardwon.domain.job import Job
    from hardwon.ports import Queue

log = logging.getLogger(__name__)


class Backoff(NamedTuple):
    """How long to wait between attempts, and how many there are."""

    first: timedelta
    limit: timedelta
    spread: float
    attempts: int

    def delay(self, attempts: int, *, noise: float = 0.0) -> timedelta:
        """How long to wait after `attempts` failed tries; `noise` is in -1 … 1."""
        grown = min(self.first * 2.0 ** min(attempts - 1, 32), self.limit)  # 2.0**1025 overflows
        return min(grown * (1 + self.spread * noise), self.limit)


class Tally(NamedTuple):
    """What a worker did."""

    done: int = 0
    retried: int = 0
    buried: int = 0

    def __add__(self, other: object) -> Tally:
        assert isinstance(other, Tally)
        return Tally(*(mine + theirs for mine, theirs in zip(self, other, strict=True)))


async def work_off(
    queue: Queue,
    process: Callable[[Job], Awaitable[None]],
    *,
    backoff: Backoff,
    timeout: timedelta,
    workers: int,
    clock: Callable[[], datetime],
    chance: Callable[[], float],
) -> Tally:
    """Work every job that is due, then return."""

    async def worker() -> Tally:
        tally = Tally()
        while job := queue.claim(clock()):
            tally += await settle(
                job, queue, process, backoff=backoff, timeout=timeout, clock=clock, chance=chance
            )
        return tally

    tallies = await asyncio.gather(*(worker() for _ in range(workers)))
    total = Tally()
    for tally in tallies:
        total += tally
    return total


async def settle(
    job: Job,
    queue: Queue,
    process: Callable[[Job], Awaitable[None]],
    *,
    backoff: Backoff,
    timeout: timedelta,
    clock: Callable[[], datetime],
    chance: Callable[[], float],
) -> Tally:
    """Process one claimed job: done, kept for later, or buried with the reason."""
    try:
        async with asyncio.timeout(timeout.total_seconds()):
            await process(job)
    except (TransientError, TimeoutError) as error:
        reason = str(error) or f"time limit of {timeout} reached"
        if job.attempts >= backoff.attempts:
            queue.bury(job, reason)
            return Tally(buried=1)
        wait = backoff.delay(job.attempts, noise=2 * chance() - 1)
        asked = timedelta(seconds=getattr(error, "retry_after", None) or 0)
        queue.retry(job.postponed(clock() + max(wait, asked), reason))
        return Tally(retried=1)
    except PermanentError as error:
        queue.bury(job, str(error))
        return Tally(buried=1)
    except Exception as error:
        log.exception("job %s crashed its processor", job.id)
        queue.bury(job, f"processor crashed: {error!r}")
        return Tally(buried=1)
    queue.done(job)
    return Tally(done=1)
