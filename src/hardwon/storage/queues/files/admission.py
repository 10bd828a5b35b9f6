"""The owner's view of a queue: records found, admitted to memory, handed out."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple

from hardwon.core.errors import StorageError
from hardwon.storage.queues.files.schedule import Schedule
from hardwon.storage.queues.files.watch import FolderWatch

if TYPE_CHECKING:
    from datetime import datetime

    from hardwon.core.values.job import Job
    from hardwon.storage.queues.files.counts import EventCounts
    from hardwon.storage.queues.files.dead_letters import DeadLetters
    from hardwon.storage.queues.files.record_dir import RecordDir

_YEAR = timedelta(days=365)
_READ_AGAIN = timedelta(minutes=1)  # wait after a record that could not be read
STALE = "stale: waited longer than queue.stale_after"


class QueueLimits(NamedTuple):
    """Limits for a queue that is full, or whose jobs waited too long."""

    capacity: int = 1000
    drop_oldest: bool = False
    block_timeout: timedelta = timedelta(seconds=5)
    stale_after: timedelta = timedelta(days=7)  # zero: never
    longest_wait: timedelta = timedelta(days=1)  # even if the clock jumps


class Admission:
    """The waiting records as the queue's owner knows them, and how jobs left."""

    def __init__(
        self,
        waiting: RecordDir,
        dead_letters: DeadLetters,
        counts: EventCounts,
        limits: QueueLimits = QueueLimits(),
    ) -> None:
        self._waiting = waiting
        self._dead_letters = dead_letters
        self._counts = counts
        self._limits = limits
        self._watch = FolderWatch(waiting.folder)
        self._replaying: set[str] = set()
        self.schedule = Schedule(
            limits.capacity, drop_oldest=limits.drop_oldest, patience=limits.block_timeout
        )
        self.flow = dict.fromkeys(("accepted", "done", "buried", "set_aside"), 0)

    def anew(self) -> Admission:
        """A fresh admission for the same folder."""
        return Admission(self._waiting, self._dead_letters, self._counts, self._limits)

    def replay(self) -> None:
        """Begin with all records in the folder, oldest first."""
        identities = self._watch.scan(())
        self._replaying = set(identities)
        self.flow["accepted"] = len(identities)
        for identity in identities:
            self.schedule.leave_outside(identity)

    def look(self, now: datetime) -> bool:
        """Notice records added by other processes; True if there are any."""
        arrived = self._watch.news(self.schedule)
        self.flow["accepted"] += len(arrived)
        for identity in arrived:
            self.schedule.arrive(identity, now)
        return bool(arrived)

    def fill(self, now: datetime) -> None:
        """Admit waiting records while there is room."""
        while (identity := self.schedule.next_outside()) is not None:
            try:
                self._admit(identity, now)
            except StorageError:
                # One bad sector must not block the others.
                self.schedule.admit(identity, now + _READ_AGAIN, now)
        if late := self.schedule.overlooked(now):
            self._counts.add("rejected_full", late)

    def start(self, identity: str, now: datetime) -> Job | None:
        """The job with its attempt counted on disk; None if its record is gone."""
        try:
            job = self._waiting.get(identity)
        except StorageError:
            self.schedule.admit(identity, now + _READ_AGAIN, now)
            return None
        if job is None:
            self.gone(identity, "set_aside")
            return None
        try:
            # Without its last error: a record with attempts and no error was in flight when
            # its process died.
            self._waiting.replace(job.started()._replace(last_error=""))
        except StorageError:
            self.keep(job)
            raise
        return job.started()._replace(claim=self.schedule.claim(identity))

    def gone(self, identity: str, way: str) -> None:
        """Count a job that left: done, buried or set aside."""
        self.schedule.forget(identity)
        self.flow[way] += 1

    def keep(self, job: Job) -> None:
        """Put a job that was handed out back into the schedule."""
        self.schedule.forget(job.id)
        self.schedule.admit(job.id, job.due, job.enqueued_at)

    def _admit(self, identity: str, now: datetime) -> None:
        job = self._waiting.get(identity)
        if job is None:
            self.gone(identity, "set_aside")
        elif not self._is_fit(job, now):
            self.gone(identity, "buried")
        elif self.schedule.admit(identity, self._local_due(job, now), job.enqueued_at):
            self._counts.add("dropped_oldest")

    def _is_fit(self, job: Job, now: datetime) -> bool:
        """Whether a record should be processed: not dead already, not stale."""
        was_there = job.id in self._replaying
        self._replaying.discard(job.id)
        if not self._dead_letters.settle(job):
            return False
        limit = self._limits.stale_after
        if was_there and limit and now - job.enqueued_at > limit:
            self._dead_letters.bury(job._replace(last_error=STALE))
            self._counts.add("stale")
            return False
        return True

    def _local_due(self, job: Job, now: datetime) -> datetime:
        """When a record is due by this machine's clock, though another clock wrote it."""
        if job.due <= now:
            return now
        if job.attempts == 0 and not job.last_error:
            return now + min(max(job.due - job.enqueued_at, timedelta(0)), _YEAR)
        planned = max(job.wait, self._limits.longest_wait)
        return job.due if job.due - now <= planned else now
