"""Jobs as files: `wal/<id>.wal` waits, `dlq/<id>.wal` is dead, `quarantine/` is unreadable.

Any number of processes add files; the process that holds `owner.lock` works on them.
"""

from __future__ import annotations

import os
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from hardwon.core.errors import StorageError
from hardwon.core.text.clean import file_id
from hardwon.core.values.job import Job, QueueCounts
from hardwon.storage.queues.files.admission import Admission, QueueLimits
from hardwon.storage.queues.files.counts import EventCounts
from hardwon.storage.queues.files.dead_letters import DeadLetters
from hardwon.storage.queues.files.folder import Folder
from hardwon.storage.queues.files.lock import SignedLock
from hardwon.storage.queues.files.record_dir import RecordDir
from hardwon.storage.queues.files.watch import FolderWatch, clean
from hardwon.storage.queues.records import encode_new

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hardwon.storage.queues.files import inotify

_PAUSE = timedelta(milliseconds=25)
_PAUSE_IF_WOKEN = timedelta(milliseconds=250)  # polling only finds retries


class FileQueue:
    """A directory of records. A job is acknowledged once its file and its name are on disk.

    `put`, `waiting`, `dead`, `revive` and `purge` may be called from any thread and process;
    the others belong to the process that works the queue.
    """

    def __init__(self, base: str, limits: QueueLimits = QueueLimits()) -> None:
        self._folders = [Folder(os.path.join(base, n)) for n in ("wal", "dlq", "quarantine")]
        wal, dlq, self._quarantine = self._folders
        self._counts = EventCounts(os.path.join(base, "counts"))
        self._waiting = RecordDir(wal, self._quarantine, self._counts)
        self._dead = RecordDir(dlq, self._quarantine, self._counts)
        self._dead_letters = DeadLetters(self._waiting, self._dead, os.path.join(base, "dlq.lock"))
        self._lock = SignedLock(os.path.join(base, "owner.lock"))
        self._inotify: inotify.Inotify | None = None
        self._admission = Admission(self._waiting, self._dead_letters, self._counts, limits)

    def put(self, job: Job) -> bool:
        file_id(job.id, "job id")
        is_new = self._waiting.add(job.id, encode_new(job))
        if not is_new:
            self._counts.add("deduped")
        return is_new

    def claim(self, now: datetime, *, slots: int = 1) -> Job | None:
        if not self._lock.is_held and not self._take_over():
            return None
        while True:
            self._admission.fill(now)
            name = self._admission.schedule.take(now)
            if name is None and not self._admission.look(now):
                return None
            if name and (job := self._admission.start(name, now)):
                return job

    def done(self, job: Job) -> None:
        if not self._is_held(job):
            return
        try:
            self._waiting.remove(job.id)
        except StorageError:
            self._admission.keep(job)
            raise
        self._admission.gone(job.id, "done")

    def retry(self, job: Job) -> None:
        if not self._is_held(job):
            return
        try:
            self._waiting.replace(job)
        finally:
            self._admission.keep(job)

    def bury(self, job: Job, reason: str) -> None:
        if not self._is_held(job):
            return
        try:
            self._dead_letters.bury(job._replace(last_error=reason))
        except StorageError:
            self._admission.keep(job)
            raise
        self._admission.gone(job.id, "buried")

    def waiting(self) -> list[Job]:
        return self._waiting.jobs()

    def dead(self) -> list[Job]:
        return self._dead.jobs()

    def revive(self, identity: str, now: datetime) -> None:
        self._dead_letters.revive(identity, now)

    def purge(self, identity: str) -> None:
        self._dead_letters.purge(identity)

    def counts(self) -> QueueCounts:
        return QueueCounts(
            pending=sum(1 for _ in self._waiting.ids()),
            dead=sum(1 for _ in self._dead.ids()),
            quarantined=sum(1 for _ in self._quarantine.entries()),
            in_memory=len(self._admission.schedule),
            in_flight=self._admission.schedule.in_flight,
            **self._admission.flow,
            deduped=self._counts.of("deduped"),
            rejected_full=self._counts.of("rejected_full"),
            dropped_oldest=self._counts.of("dropped_oldest"),
            corrupt=self._counts.of("corrupt"),
            stale=self._counts.of("stale"),
            storage_errors=self._counts.of("storage_error"),
        )

    def records(self) -> Iterator[Job]:
        """Every waiting job, oldest first, to be forwarded."""
        for identity in FolderWatch(self._waiting.folder).scan(()):
            if job := self._waiting.get(identity):
                yield job

    def forget(self, job: Job) -> None:
        """Remove a job that was forwarded or is not wanted; a power cut may bring it back."""
        self._waiting.remove(job.id)

    def hold(self) -> bool:
        """Become the worker of this queue; False while another process is."""
        return self._lock.is_held or self._lock.acquire()

    def worker(self) -> int | None:
        return self._lock.holder()

    def wakeups(self) -> Sequence[int]:
        from hardwon.storage.queues.files import inotify

        self._inotify = self._inotify or inotify.Inotify(self._waiting.folder.path)
        return () if self._inotify.fd is None else (self._inotify.fd,)

    def pause(self) -> timedelta:
        return _PAUSE if self._inotify is None or self._inotify.fd is None else _PAUSE_IF_WOKEN

    def close(self) -> None:
        self._lock.release()
        self._admission.schedule.clear()

    def __del__(self) -> None:
        for folder in getattr(self, "_folders", ()):
            folder.close()
        if hasattr(self, "_lock"):
            self._lock.release()
        if (watching := getattr(self, "_inotify", None)) is not None:
            watching.close()

    def _is_held(self, job: Job) -> bool:
        """Whether the attempt still holds the job."""
        return bool(job.claim) and self._admission.schedule.claim(job.id) == job.claim

    def _take_over(self) -> bool:
        """Become the owner, and start with all records in the folder."""
        if not self._lock.acquire():
            return False
        admission = self._admission.anew()
        try:
            for folder in self._folders:
                clean(folder)
            admission.replay()
        except StorageError:
            self._lock.release()
            raise
        self._admission = admission
        return True
