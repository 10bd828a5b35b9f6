"""Job records in folders: waiting, dead, set aside; and notices of new ones."""

from __future__ import annotations

import os
from collections.abc import Callable, Container, Iterator
from contextlib import suppress
from datetime import datetime
from time import monotonic, time
from typing import TypeVar

from hardwon.core import _files
from hardwon.core.errors import NotFound, StorageError
from hardwon.core.text.clean import file_id
from hardwon.core.values.job import Job
from hardwon.storage.queues.files.folder import EventCounts, Folder, NotRegular, SignedLock
from hardwon.storage.queues.records import READ_LIMIT, BadRecord, decode, encode

T = TypeVar("T")

SUFFIX = ".wal"
_FRAME = 16
_LATEST = float(1 << 33)  # the largest time that every file system can store


class RecordDir:
    """A folder of records; an unreadable one is moved to quarantine and counted."""

    def __init__(self, folder: Folder, quarantine: Folder, counts: EventCounts) -> None:
        self.folder = folder
        self._quarantine = quarantine
        self._counts = counts

    def ids(self) -> Iterator[str]:
        """The ids of all records, in no order."""
        for entry in self.folder.entries():
            if entry.name.endswith(SUFFIX):
                yield entry.name.removesuffix(SUFFIX)

    def get(self, identity: str) -> Job | None:
        """A job; None if it is missing or unreadable."""
        name = identity + SUFFIX
        with _files.storage_errors(self.folder.path, name):
            try:
                job = decode(self.folder.read(name, READ_LIMIT + _FRAME))
                if job.id == identity:
                    return job
            except FileNotFoundError:
                return None
            except (BadRecord, NotRegular):
                pass
            with suppress(FileNotFoundError):  # another process was faster
                self.folder.hand_over(name, self._quarantine)
                self._counts.add("corrupt")
        return None

    def jobs(self) -> list[Job]:
        """All readable jobs, oldest first."""
        readable = [job for identity in self.ids() if (job := self.get(identity))]
        return sorted(readable, key=lambda job: job.enqueued_at)

    def add(self, identity: str, record: bytes) -> bool:
        """Store a new record; False when its id is taken by a readable one."""
        while not self._count_errors(lambda: self.folder.add(identity + SUFFIX, record)):
            # A power cut may have left a torn record of a job that was never acknowledged; relying
            # on it would lose this one.
            if self.get(identity) is not None:
                return False
        return True

    def replace(self, job: Job) -> None:
        """Store a job in place of its record; the file's date is the job's date."""
        stamp = min(max(0.0, job.enqueued_at.timestamp()), _LATEST)
        record = encode(job)
        self._count_errors(lambda: self.folder.replace(job.id + SUFFIX, record, stamp=stamp))

    def remove(self, identity: str, *, for_good: bool = False) -> bool:
        """Remove a job; False when there was none."""
        return self._count_errors(lambda: self.folder.remove(identity + SUFFIX, for_good=for_good))

    def has(self, identity: str) -> bool:
        """Whether there is a record with this id."""
        return self.folder.has(identity + SUFFIX)

    def _count_errors(self, change: Callable[[], T]) -> T:
        """The result of the change; a storage error is counted."""
        try:
            return change()
        except StorageError:
            self._counts.add("storage_error")
            raise


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


_ABANDONED = 600  # seconds after which the temporary file of a dead process is removed
_LARGE = 1000  # entries; the scan of such a folder …
_PAUSE = 20  # … is followed by a pause of this many times its length
_TICK = 0.02  # seconds; the coarsest relevant file-system clock


class FolderWatch:
    """Watches one folder.

    The folder's time is coarse: two additions may leave the same mark, so a mark is trusted only
    some time after it was first seen. A large folder is scanned less often.
    """

    def __init__(self, folder: Folder) -> None:
        self._folder = folder
        self._mark = -1  # the folder's time at the last check
        self._seen = self._scanned = self._next = 0.0
        self._size = 0

    def news(self, known: Container[str]) -> list[str]:
        """Unknown ids, oldest first; empty when the folder has not changed."""
        mark, began = self._folder.changed_at(), monotonic()
        if mark != self._mark:
            self._mark, self._seen = mark, began
        elif self._scanned - self._seen > _TICK:
            return []
        if began < self._next:
            return []
        unknown = self.scan(known)
        self._scanned = began
        if self._size > _LARGE:
            self._next = began + _PAUSE * (monotonic() - began)
        return unknown

    def scan(self, known: Container[str]) -> list[str]:
        """Unknown ids, oldest first by the age of their files."""
        names = [entry for entry in self._folder.entries() if entry.name.endswith(SUFFIX)]
        self._size = len(names)
        unknown = [
            (_changed_at(entry), identity)
            for entry in names
            if (identity := entry.name.removesuffix(SUFFIX)) not in known
        ]
        return [identity for _, identity in sorted(unknown)]


def clean(folder: Folder) -> None:
    """Remove temporary files of writers that died long ago."""
    for entry in list(folder.entries()):
        _, mark, suffix = entry.name.partition(".tmp.")
        pid = suffix.partition(".")[0]
        if mark and pid.isdigit() and not _is_running(int(pid)):
            with suppress(FileNotFoundError):
                if time() - entry.stat(follow_symlinks=False).st_ctime > _ABANDONED:
                    folder.remove(entry.name)


def _is_running(pid: int) -> bool:
    """Whether a process with this id exists on this machine."""
    with suppress(PermissionError):
        try:
            os.kill(pid, 0)
        except (ProcessLookupError, OverflowError):
            return False
    return True


def _changed_at(entry: os.DirEntry[str]) -> int:
    """When a file was changed; 0 if it is gone."""
    try:
        return entry.stat(follow_symlinks=False).st_mtime_ns
    except FileNotFoundError:
        return 0


_CREATED, _MOVED_IN = 0x100, 0x80


class Inotify:
    """A file descriptor that becomes readable on changes; `fd` is None without inotify."""

    def __init__(self, folder: str) -> None:
        self.fd: int | None = None
        try:
            import ctypes  # no other part of a queue needs it

            system = ctypes.CDLL(None)
            handle = system.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
            watched = system.inotify_add_watch(handle, os.fsencode(folder), _CREATED | _MOVED_IN)
        except (OSError, AttributeError):
            return
        if watched >= 0:
            self.fd = handle

    def close(self) -> None:
        """Stop watching."""
        if self.fd is not None:
            os.close(self.fd)
            self.fd = None
