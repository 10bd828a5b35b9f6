"""Jobs as files: `wal/<id>.wal` waits, `dlq/<id>.wal` is dead, `quarantine/` is unreadable.

Any number of processes add files; the one that holds `owner.lock` works them.
"""

from __future__ import annotations

import os
from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple

from hardwon._lazy import lazy
from hardwon.backends.files.agenda import Agenda
from hardwon.backends.files.counts import Counts
from hardwon.backends.files.disk import Folder, Lock
from hardwon.backends.files.letters import Letters, Shelf
from hardwon.backends.files.lookout import Lookout, clean
from hardwon.domain.queue import QueueCounts
from hardwon.domain.text import file_id
from hardwon.errors import StorageError

if TYPE_CHECKING:
    from datetime import datetime

    from hardwon.backends.files import bell
    from hardwon.domain.job import Job
else:
    bell = lazy("hardwon.backends.files.bell")  # a producer must not pay for ctypes

_YEAR = timedelta(days=365)
_ANOTHER_LOOK = timedelta(minutes=1)  # after a record that could not be read
STALE = "stale: waited longer than queue.stale_after"


class Limits(NamedTuple):
    """What a queue does when much is waiting or has waited for long."""

    capacity: int = 1000
    drop_oldest: bool = False
    block_timeout: timedelta = timedelta(seconds=5)
    stale_after: timedelta = timedelta(days=7)  # zero: never
    longest_wait: timedelta = timedelta(days=1)  # a clock that jumped must not park a job


class FileQueue:
    """A directory of records. A job is acknowledged once its file and its name are on disk.

    `put`, `waiting`, `dead`, `revive` and `purge` may be called from any thread and process;
    the others belong to the one who works the queue.
    """

    def __init__(self, base: str, limits: Limits = Limits()) -> None:
        self._limits = limits
        self._folders = [Folder(os.path.join(base, n)) for n in ("wal", "dlq", "quarantine")]
        wal, dlq, self._quarantine = self._folders
        self._counts = Counts(os.path.join(base, "counts"))
        self._waiting = Shelf(wal, self._quarantine, self._counts)
        self._dead = Shelf(dlq, self._quarantine, self._counts)
        self._letters = Letters(self._waiting, self._dead, os.path.join(base, "dlq.lock"))
        self._lock = Lock(os.path.join(base, "owner.lock"))
        self._bell: bell.Bell | None = None
        self._agenda = self._empty()
        self._replaying: set[str] = set()
        self._lookout = Lookout(wal)
        self._flow = dict.fromkeys(("accepted", "done", "buried", "set_aside"), 0)

    def put(self, job: Job) -> bool:
        file_id(job.id, "job id")
        try:
            added = self._waiting.add(job)
        except StorageError:
            self._counts.add("storage_error")
            raise
        if not added:
            self._counts.add("deduped")
        return added

    def claim(self, now: datetime) -> Job | None:
        if not self._lock.is_held and not self._take_over():
            return None
        while True:
            self._fill(now)
            name = self._agenda.take(now)
            if name is None and not self._look(now):
                return None
            if name and (job := self._start(name, now)):
                return job

    def done(self, job: Job) -> None:
        try:
            self._waiting.remove(job.id)
        except StorageError:
            self._return(job)
            raise
        self._gone(job.id, "done")

    def retry(self, job: Job) -> None:
        try:
            self._waiting.replace(job)
        finally:
            self._return(job)

    def bury(self, job: Job, reason: str) -> None:
        try:
            self._letters.bury(job._replace(last_error=reason))
        except StorageError:
            self._return(job)
            raise
        self._gone(job.id, "buried")

    def waiting(self) -> list[Job]:
        return self._waiting.jobs()

    def dead(self) -> list[Job]:
        return self._dead.jobs()

    def revive(self, identity: str, now: datetime) -> None:
        self._letters.revive(identity, now)

    def purge(self, identity: str) -> None:
        self._letters.purge(identity)

    def counts(self) -> QueueCounts:
        return QueueCounts(
            pending=sum(1 for _ in self._waiting.ids()),
            dead=sum(1 for _ in self._dead.ids()),
            quarantined=sum(1 for _ in self._quarantine.entries()),
            in_memory=len(self._agenda),
            in_flight=self._agenda.in_flight,
            **self._flow,
            deduped=self._counts.of("deduped"),
            rejected_full=self._counts.of("rejected_full"),
            dropped_oldest=self._counts.of("dropped_oldest"),
            corrupt=self._counts.of("corrupt"),
            stale=self._counts.of("stale"),
            storage_errors=self._counts.of("storage_error"),
        )

    def worker(self) -> int | None:
        return self._lock.holder()

    def bell(self) -> int | None:
        self._bell = self._bell or bell.Bell(self._waiting.folder.path)
        return self._bell.fd

    def close(self) -> None:
        self._lock.release()
        self._agenda = self._empty()

    def __del__(self) -> None:
        for folder in getattr(self, "_folders", ()):
            folder.close()
        if hasattr(self, "_lock"):
            self._lock.release()
        if (rung := getattr(self, "_bell", None)) is not None:
            rung.close()

    def _empty(self) -> Agenda:
        limits = self._limits
        return Agenda(
            limits.capacity, drop_oldest=limits.drop_oldest, patience=limits.block_timeout
        )

    def _take_over(self) -> bool:
        """Become the owner, and begin with everything that is there."""
        if not self._lock.acquire():
            return False
        self._agenda, self._lookout = self._empty(), Lookout(self._waiting.folder)
        try:
            for folder in self._folders:
                clean(folder)
            found = self._lookout.scan(())
        except StorageError:
            self._lock.release()
            raise
        self._replaying = set(found)
        self._flow = dict.fromkeys(self._flow, 0) | {"accepted": len(found)}
        for identity in found:
            self._agenda.leave_outside(identity)
        return True

    def _look(self, now: datetime) -> bool:
        """Notice records that others have added; True when there are some."""
        found = self._lookout.news(self._agenda)
        self._flow["accepted"] += len(found)
        for identity in found:
            self._agenda.arrive(identity, now)
        return bool(found)

    def _fill(self, now: datetime) -> None:
        """Admit what waits outside as long as there is room."""
        while (identity := self._agenda.next_outside()) is not None:
            try:
                self._admit(identity, now)
            except StorageError:
                # One bad sector must not hold up the others.
                self._agenda.admit(identity, now + _ANOTHER_LOOK, now)
        if late := self._agenda.overlooked(now):
            self._counts.add("rejected_full", late)

    def _admit(self, identity: str, now: datetime) -> None:
        job = self._waiting.get(identity)
        if job is None:
            self._gone(identity, "set_aside")
        elif not self._is_fit(job, now):
            self._gone(identity, "buried")
        elif self._agenda.admit(identity, self._local_due(job, now), job.enqueued_at):
            self._counts.add("dropped_oldest")

    def _is_fit(self, job: Job, now: datetime) -> bool:
        """Whether a found record is to be worked: not dead already, not too old."""
        was_there = job.id in self._replaying
        self._replaying.discard(job.id)
        if self._dead.has(job.id) and not self._letters.settle(job):
            return False
        limit = self._limits.stale_after
        if was_there and limit and now - job.enqueued_at > limit:
            self._letters.bury(job._replace(last_error=STALE))
            self._counts.add("stale")
            return False
        return True

    def _local_due(self, job: Job, now: datetime) -> datetime:
        """When a found record is due by our clock, whatever clock it was written by."""
        if job.due <= now:
            return now
        if job.attempts == 0:
            return now + min(max(job.due - job.enqueued_at, timedelta(0)), _YEAR)
        return now + min(job.due - now, self._limits.longest_wait)

    def _start(self, identity: str, now: datetime) -> Job | None:
        """The job with its attempt counted on disk; None when its record is gone."""
        try:
            job = self._waiting.get(identity)
        except StorageError:
            self._agenda.admit(identity, now + _ANOTHER_LOOK, now)
            return None
        if job is None:
            self._gone(identity, "set_aside")
            return None
        try:
            # Without its last error: a record that has attempts and no error was in flight when
            # its process died.
            self._waiting.replace(job.started()._replace(last_error=""))
        except StorageError:
            self._return(job)
            raise
        return job.started()

    def _gone(self, identity: str, way: str) -> None:
        self._agenda.forget(identity)
        self._flow[way] += 1

    def _return(self, job: Job) -> None:
        self._agenda.forget(job.id)
        self._agenda.admit(job.id, job.due, job.enqueued_at)
