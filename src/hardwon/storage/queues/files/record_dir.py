"""A folder of job records: read, write and remove them by id."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from hardwon.core.errors import StorageError, storage_error
from hardwon.storage.queues.files.directory import NotRegular
from hardwon.storage.queues.files.folder import Folder
from hardwon.storage.queues.records import READ_LIMIT, BadRecord, decode, encode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import TypeVar

    from hardwon.core.values.job import Job
    from hardwon.storage.queues.files.counts import EventCounts

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
        try:
            return _same(decode(self.folder.read(name, READ_LIMIT + _FRAME)), identity)
        except FileNotFoundError:
            return None
        except (BadRecord, NotRegular):
            self._set_aside(name)
            return None
        except OSError as error:
            raise storage_error(error, os.path.join(self.folder.path, name)) from error

    def jobs(self) -> list[Job]:
        """All readable jobs, oldest first."""
        readable = [job for identity in self.ids() if (job := self.get(identity))]
        return sorted(readable, key=lambda job: job.enqueued_at)

    def add(self, identity: str, record: bytes) -> bool:
        """Store a new record; False when its id is taken by a readable one."""
        while not self._counted(lambda: self.folder.add(identity + SUFFIX, record)):
            # A power cut may have left a torn record of a job that was never acknowledged; relying
            # on it would lose this one.
            if self.get(identity) is not None:
                return False
        return True

    def replace(self, job: Job) -> None:
        """Store a job in place of its record; the file's date is the job's date."""
        stamp = min(max(0.0, job.enqueued_at.timestamp()), _LATEST)
        record = encode(job)
        self._counted(lambda: self.folder.replace(job.id + SUFFIX, record, stamp=stamp))

    def remove(self, identity: str, *, for_good: bool = False) -> bool:
        """Remove a job; False when there was none."""
        return self._counted(lambda: self.folder.remove(identity + SUFFIX, for_good=for_good))

    def has(self, identity: str) -> bool:
        """Whether there is a record with this id."""
        return self.folder.has(identity + SUFFIX)

    def _counted(self, change: Callable[[], T]) -> T:
        """The result of the change; a storage error is counted."""
        try:
            return change()
        except StorageError:
            self._counts.add("storage_error")
            raise

    def _set_aside(self, name: str) -> None:
        try:
            self.folder.hand_over(name, self._quarantine)
        except FileNotFoundError:
            return  # another process was faster
        except OSError as error:
            raise storage_error(error, os.path.join(self.folder.path, name)) from error
        self._counts.add("corrupt")


def _same(job: Job, identity: str) -> Job:
    if job.id != identity:
        raise BadRecord(f"record of {job.id!r} under the name of {identity!r}")
    return job
