"""Work: take jobs from the queue, process each, and settle it as done, retried or buried."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from time import monotonic
from typing import TYPE_CHECKING, Any

from hardwon.core.errors import HardwonError, NotTried, StorageError, Unavailable
from hardwon.core.values.job import SKIPPED, Job, Policy, Running, Tally, WorkCounter, is_transient
from hardwon.storage.ports import WorkedQueue

if TYPE_CHECKING:
    Process = Callable[[Job], Awaitable[Any]]

log = logging.getLogger(__name__)

_AFTER_TROUBLE = 1.0  # seconds until a disk or server that failed is tried again


def steady(wall: Callable[[], datetime]) -> Callable[[], datetime]:
    """A clock that starts at the wall-clock time and then runs steadily."""
    start, began = wall(), monotonic()
    return lambda: start + timedelta(seconds=monotonic() - began)


class WorkerPool:
    """Runs up to `policy.workers` jobs at a time, each with a time limit."""

    def __init__(
        self,
        queue: WorkedQueue,
        process: Process,
        *,
        policy: Policy,
        clock: Callable[[], datetime],
        chance: Callable[[], float],
        ledger: WorkCounter | None = None,
    ) -> None:
        self._queue = queue
        self._process = process
        self._policy = policy._replace(backoff=policy.backoff.sensible())
        self._clock = clock
        self._chance = chance
        self.ledger = ledger or WorkCounter()
        self._tasks: set[asyncio.Task[None]] = set()
        self._is_stopping = False
        self._ring: asyncio.Future[None]
        self._held: Job | None = None
        self._is_alone: bool | None = None

    async def until_idle(
        self, stop: asyncio.Event | None = None, *, is_once: bool = False
    ) -> Tally:
        """Work every job that is due, or one, then return; StorageError is raised."""
        async with self._until_stopped(stop or asyncio.Event()) as stopped:
            self._claim_free_slots(most=1 if is_once else None)
            while self._tasks and not stopped.done():
                await self._step(stopped)
                if not is_once:
                    self._claim_free_slots()
        return self.ledger.tally

    async def until(
        self, stop: asyncio.Event, *, idle: timedelta | None = None, wakeups: Sequence[int] = ()
    ) -> Tally:
        """Work until `stop` is set, or until the queue was idle for `idle`; then drain."""
        busy_at = monotonic()
        async with self._until_stopped(stop) as stopped, self._listening(wakeups):
            while not stop.is_set():
                busy_at = monotonic() if await self._turn(stopped) else busy_at
                if idle is not None and monotonic() - busy_at > idle.total_seconds():
                    break
        return self.ledger.tally

    @asynccontextmanager
    async def _until_stopped(self, stop: asyncio.Event) -> AsyncIterator[asyncio.Future[Any]]:
        """A future that is done when the pool must stop; at the end, jobs in flight are drained."""
        self._ring = asyncio.get_running_loop().create_future()
        stopped = asyncio.ensure_future(stop.wait())
        stopped.add_done_callback(lambda _: setattr(self.ledger, "is_stopping", stop.is_set()))
        try:
            yield stopped
        finally:
            await self._drain()
            stopped.cancel()

    @asynccontextmanager
    async def _listening(self, wakeups: Sequence[int]) -> AsyncIterator[None]:
        """Inside this block the pool wakes when one of the file descriptors becomes readable."""
        loop = asyncio.get_running_loop()

        def wake(wakeup: int) -> None:
            os.read(wakeup, 1 << 16)
            if not self._ring.done():
                self._ring.set_result(None)

        for wakeup in wakeups:
            loop.add_reader(wakeup, wake, wakeup)
        try:
            yield
        finally:
            for wakeup in wakeups:
                loop.remove_reader(wakeup)

    async def _turn(self, stopped: asyncio.Future[Any]) -> bool:
        """Check the queue once; True if there was work. After a storage error, wait a moment."""
        try:
            self._claim_free_slots()
        except (StorageError, Unavailable) as error:
            if not self.ledger.has_trouble:
                log.error("the queue cannot be worked at the moment", exc_info=error)
            self.ledger.has_trouble = True
            await asyncio.wait({stopped}, timeout=_AFTER_TROUBLE)
            return isinstance(error, StorageError)  # a server may be unavailable for long
        self.ledger.has_trouble = False
        is_busy = bool(self._tasks)
        await self._step(stopped)
        return is_busy

    async def _step(self, stopped: asyncio.Future[Any]) -> None:
        """Wait until a job ends, a new job may have come, or the pool must stop."""
        is_full = len(self._tasks) >= self._policy.workers
        if self._ring.done():
            self._ring = asyncio.get_running_loop().create_future()
        ended, _ = await asyncio.wait(
            {stopped, *self._tasks} if is_full else {stopped, self._ring, *self._tasks},
            timeout=None if is_full else self._queue.pause().total_seconds(),
            return_when=asyncio.FIRST_COMPLETED,
        )
        for task in ended & self._tasks:
            self._tasks.discard(task)
            task.result()

    def _claim_free_slots(self, most: int | None = None) -> None:
        """Claim as many jobs as there are free slots."""
        slots = most or self._policy.workers
        while len(self._tasks) < slots and (job := self._next(slots - len(self._tasks))):
            self._tasks.add(asyncio.ensure_future(self._work(job)))

    def _next(self, slots: int) -> Job | None:
        """The next job to begin; a job that may kill the process runs alone."""
        if self._tasks and (self._held or self._is_alone):
            return None
        job = self._held or self._queue.claim(self._clock(), slots=slots)
        self._held = self._is_alone = None
        if job and died_before(job):
            if self._tasks:
                self._held = job
                return None
            self._is_alone = True
        return job

    async def _drain(self) -> None:
        """Let jobs in flight finish within `policy.grace`, then cancel them and hand them back."""
        if self._held:
            self._queue.retry(self._held.handed_back())
        if not self._tasks:
            return
        _, late = await asyncio.wait(self._tasks, timeout=self._policy.grace.total_seconds())
        self._is_stopping = True
        for task in late:
            task.cancel()
        if late:
            await asyncio.wait(late, timeout=5)
        for task in self._tasks:
            if task.done() and not task.cancelled() and (error := task.exception()):
                log.error("a job could not be settled", exc_info=error)
        self._tasks.clear()

    async def _work(self, job: Job) -> None:
        ledger, began = self.ledger, monotonic()
        ledger.running[job.id] = Running(job.id, job.episode.task, job.attempts, self._clock())
        try:
            outcome = await self._settle(job)
        except (StorageError, Unavailable):
            log.exception("job %s could not be settled; it is tried again", job.id)
            await asyncio.sleep(_AFTER_TROUBLE)
            return
        finally:
            del ledger.running[job.id]
        if outcome:
            ledger.count_attempt(outcome, monotonic() - began)

    async def _settle(self, job: Job) -> str:
        """Process one claimed job: done, kept for later, or buried with the reason."""
        policy = self._policy
        if job.attempts > policy.backoff.attempts:
            # No attempt was ever settled: each one ended with the death of its process.
            reason = job.last_error or "the process died in every attempt"
            self._bury(job._replace(attempts=policy.backoff.attempts), reason)
            return "permanent"
        try:
            async with asyncio.timeout(policy.timeout.total_seconds()):
                result = await self._process(job)
        except asyncio.CancelledError:
            if not self._is_stopping:
                raise
            self._queue.retry(job.handed_back())
            return ""
        except Exception as error:  # noqa: BLE001 - a crash in a processor is settled, too
            return self._settle_failed(job, error)
        self._queue.done(job)
        self.ledger.tally += Tally(done=1)
        return SKIPPED if result == SKIPPED else "success"

    def _settle_failed(self, job: Job, error: Exception) -> str:
        if isinstance(error, StorageError):
            self.ledger.persist_failures += 1
        reason = _reason(error, self._policy.timeout)
        if not is_transient(error):
            self._bury(job, reason)
            return "permanent"
        if isinstance(error, NotTried | Unavailable):
            job = job.handed_back()
        if isinstance(error, NotTried):
            reason = job.last_error or reason
        backoff = self._policy.backoff
        if job.attempts >= backoff.attempts:
            self._bury(job, reason)
            return "transient"
        wait = backoff.delay(job.attempts, noise=2 * self._chance() - 1)
        wait = max(wait, timedelta(seconds=getattr(error, "retry_after", None) or 0))
        self._queue.retry(job.postponed(self._clock() + wait, reason, wait=wait))
        self.ledger.count_retry(job.attempts)
        return "transient"

    def _bury(self, job: Job, reason: str) -> None:
        log.warning("job %s is given up: %s", job.id, reason)
        self._queue.bury(job, reason)
        self.ledger.tally += Tally(buried=1)


def died_before(job: Job) -> bool:
    """Whether an earlier attempt was neither settled nor handed back: its process died."""
    return job.attempts > 1 and not job.last_error


def _reason(error: Exception, limit: timedelta) -> str:
    if isinstance(error, HardwonError):
        return str(error)
    if isinstance(error, TimeoutError):
        return str(error) or f"time limit of {limit} reached"
    if isinstance(error, OSError):
        return f"{type(error).__name__}: {error}"
    log.error("a processor crashed", exc_info=error)
    return f"processor crashed: {error!r}"
