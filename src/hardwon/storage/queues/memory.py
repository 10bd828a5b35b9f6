"""Jobs in this process only, lost when it ends. Also the reference queue for tests."""

from __future__ import annotations

import itertools
import threading
from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta

from hardwon.core import _fork
from hardwon.core.errors import NotFound, TransientError
from hardwon.core.values.job import Job, QueueCounts

_PAUSE = timedelta(milliseconds=25)


class MemoryQueue:
    """Jobs in a dictionary, at most `capacity` of them."""

    def __init__(
        self,
        capacity: int = 1000,
        *,
        drop_oldest: bool = False,
        block_timeout: timedelta = timedelta(seconds=5),
    ) -> None:
        self._capacity = max(1, capacity)
        self._drops_oldest = drop_oldest
        self._block = block_timeout.total_seconds()
        self._changed = threading.Condition()
        self._waiting: dict[str, Job] = {}
        self._claimed: dict[str, str] = {}  # the token of the attempt that holds each job
        self._claims = itertools.count(1)
        self._dead: dict[str, Job] = {}
        self._flow: Counter[str] = Counter()
        _fork.watch(self)

    def before_fork(self) -> None:
        """Nothing to do: jobs in memory belong to this process; a child only gets a free lock."""

    def after_fork(self, *, is_child: bool) -> None:
        if is_child:
            self._changed = threading.Condition()

    def put(self, job: Job) -> bool:
        with self._changed:
            if job.id in self._waiting:
                self._flow["deduped"] += 1
                return False
            self._make_room()
            self._waiting[job.id] = job
            self._flow["accepted"] += 1
            return True

    def claim(self, now: datetime, *, slots: int = 1) -> Job | None:
        with self._changed:
            ready = [j for j in self._all_jobs() if j.due <= now]
            if not ready:
                return None
            job = min(ready, key=lambda j: (j.due, j.enqueued_at)).with_attempt()
            self._waiting[job.id] = job
            self._claimed[job.id] = str(next(self._claims))
            self._changed.notify_all()
            return job._replace(claim=self._claimed[job.id])

    def done(self, job: Job) -> None:
        self._end(job, "done")

    def retry(self, job: Job) -> None:
        with self._changed:
            if self._settles(job):
                self._waiting[job.id] = job._replace(claim="")

    def bury(self, job: Job, reason: str) -> None:
        if self._end(job, "buried"):
            self._dead[job.id] = job._replace(last_error=reason, claim="")

    def waiting(self) -> list[Job]:
        with self._changed:
            return sorted(self._waiting.values(), key=lambda j: j.enqueued_at)

    def dead(self) -> list[Job]:
        return sorted(self._dead.values(), key=lambda j: j.enqueued_at)

    def revive(self, identity: str, now: datetime) -> None:
        job = self._dead.get(identity)
        if job is None:
            raise NotFound("dead job", identity)
        self.put(job._replace(attempts=0, last_error="", enqueued_at=now, due=now))
        self.purge(identity)

    def purge(self, identity: str) -> None:
        if self._dead.pop(identity, None) is None:
            raise NotFound("dead job", identity)

    def forget(self, job: Job) -> None:
        with self._changed:
            self._claimed.pop(job.id, None)
            if self._waiting.pop(job.id, None):
                self._flow["set_aside"] += 1

    def counts(self) -> QueueCounts:
        with self._changed:
            return QueueCounts(
                pending=len(self._waiting),
                dead=len(self._dead),
                in_memory=len(self._all_jobs()),
                in_flight=len(self._claimed),
                **self._flow,
            )

    def worker(self) -> int | None:
        return None

    def wakeups(self) -> Sequence[int]:
        return ()

    def pause(self) -> timedelta:
        return _PAUSE

    def close(self) -> None:
        """Nothing to release."""

    def _all_jobs(self) -> list[Job]:
        return [job for job in self._waiting.values() if job.id not in self._claimed]

    def _make_room(self) -> None:
        """Wait for room, or drop the oldest; TransientError if there is no room in time."""
        if len(self._all_jobs()) < self._capacity:
            return
        if self._drops_oldest:
            oldest = min(self._all_jobs(), key=lambda job: job.enqueued_at)
            del self._waiting[oldest.id]
            self._flow["dropped_oldest"] += 1
        elif not self._changed.wait_for(
            lambda: len(self._all_jobs()) < self._capacity, self._block
        ):
            self._flow["rejected_full"] += 1
            raise TransientError(
                f"queue full: {self._capacity} jobs wait; raise queue.capacity or start a worker"
            )

    def _end(self, job: Job, way: str) -> bool:
        """Remove a job and count it; False if this attempt does not hold it."""
        with self._changed:
            if not self._settles(job):
                return False
            del self._waiting[job.id]
            self._flow[way] += 1
            self._changed.notify_all()
            return True

    def _settles(self, job: Job) -> bool:
        """Whether the attempt holds the job; from now on it does not."""
        is_held = self._claimed.get(job.id) == job.claim
        if is_held:
            del self._claimed[job.id]
        return is_held
