"""The dead letters: jobs that were given up, kept for a person."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hardwon.core.errors import NotFound
from hardwon.core.text.clean import file_id
from hardwon.storage.queues.files.lock import SignedLock
from hardwon.storage.queues.records import encode

if TYPE_CHECKING:
    from datetime import datetime

    from hardwon.core.values.job import Job
    from hardwon.storage.queues.files.record_dir import RecordDir


class DeadLetters:
    """Moves jobs between waiting and dead, one process at a time.

    A job is written to its new place before it is removed from the old one. After a crash it may be
    in both, never in neither; `settle` decides which one counts. Removals are durable: no power cut
    brings back a file that a later move relies on.
    """

    def __init__(self, waiting: RecordDir, dead: RecordDir, lock: str) -> None:
        self._waiting = waiting
        self._dead = dead
        self._lock = lock

    def bury(self, job: Job) -> None:
        """Move a job from waiting to dead."""
        with SignedLock(self._lock):
            self._dead.replace(job)
            self._waiting.remove(job.id, for_good=True)

    def revive(self, identity: str, now: datetime) -> None:
        """Move a dead job to waiting, like a new job; NotFound if it is not dead."""
        with SignedLock(self._lock):
            job = self._dead.get(file_id(identity, "job id"))
            if job is None:
                raise NotFound("dead job", identity)
            # A new date as well: it must not count as stale on the next start.
            fresh = job._replace(attempts=0, last_error="", enqueued_at=now, due=now)
            self._waiting.add(identity, encode(fresh))
            self._dead.remove(identity, for_good=True)

    def purge(self, identity: str) -> None:
        """Remove a dead job for good; NotFound when it is not dead."""
        with SignedLock(self._lock):
            if not self._dead.remove(file_id(identity, "job id"), for_good=True):
                raise NotFound("dead job", identity)

    def settle(self, job: Job) -> bool:
        """Finish a move that a crash interrupted; True if the job waits.

        A buried job has the same date and no fewer attempts; otherwise it was put again.
        """
        if not self._dead.has(job.id):
            return True
        with SignedLock(self._lock):
            dead = self._dead.get(job.id)
            if dead and dead.enqueued_at == job.enqueued_at and job.attempts >= dead.attempts:
                self._waiting.remove(job.id, for_good=True)
                return False
            self._dead.remove(job.id, for_good=True)
            return True
