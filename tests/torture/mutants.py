"""Deliberately broken builds: what a row must notice."""

from __future__ import annotations

import os
import stat
from types import SimpleNamespace
from typing import Any

from hardwon.backends.files import disk, letters, lock, records
from hardwon.domain.job import Job
from hardwon.errors import StorageError, storage_error
from hardwon.stages import work


def _is_folder(handle: int) -> bool:
    return stat.S_ISDIR(os.fstat(handle).st_mode)


def _fsync_if(wanted: Any) -> None:
    vars(disk)["os"] = SimpleNamespace(
        **{**vars(os), "fsync": lambda handle: os.fsync(handle) if wanted(handle) else None}
    )


def no_file_fsync() -> None:
    _fsync_if(_is_folder)


def no_folder_fsync() -> None:
    _fsync_if(lambda handle: not _is_folder(handle))


def in_place() -> None:
    """Records are rewritten where they are."""

    def replace(self: disk.Folder, name: str, content: bytes, *, stamp: Any = None) -> None:
        try:
            handle = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600, dir_fd=self._fd)
            disk._write_all(handle, content)
            os.fsync(handle)
            os.close(handle)
        except OSError as error:
            raise storage_error(error, name) from error

    disk.Folder.replace = replace  # type: ignore[method-assign]


def bury_first() -> None:
    """A job is taken from where it was before it is written to where it goes."""

    def bury(self: letters.Letters, job: Job) -> None:
        self._waiting.remove(job.id)
        self._dead.replace(job)

    def revive(self: letters.Letters, identity: str, now: Any) -> None:
        job = self._dead.get(identity)
        assert job
        self._dead.remove(identity)
        self._waiting.add(job._replace(attempts=0, last_error="", enqueued_at=now, due=now))

    letters.Letters.bury = bury  # type: ignore[method-assign]
    letters.Letters.revive = revive  # type: ignore[method-assign]


def no_settling() -> None:
    """A move that was cut short is left as it is."""
    letters.Letters.settle = lambda self, job: True  # type: ignore[method-assign]


def swallow() -> None:
    """What the disk refuses is acknowledged all the same."""
    add = disk.Folder.add

    def careless(self: disk.Folder, name: str, content: bytes) -> bool:
        try:
            return add(self, name, content)
        except StorageError:
            return True

    disk.Folder.add = careless  # type: ignore[method-assign]


def no_checksum() -> None:
    records._payload = lambda record: record[12:-4]


def no_lock() -> None:
    def acquire(self: lock.Lock, *, wait: bool = False) -> bool:
        self._fd = self._fd if self._fd >= 0 else self._file()
        return True

    lock.Lock.acquire = acquire  # type: ignore[method-assign]


def attempts_in_memory() -> None:
    """Attempts are counted, but not on disk."""
    letters.Shelf.replace = lambda self, job: None  # type: ignore[method-assign]


def burnt_attempt() -> None:
    Job.handed_back = lambda self: self  # type: ignore[method-assign]


def jitter_over_the_cap() -> None:
    def delay(self: work.Backoff, attempts: int, *, noise: float = 0.0) -> Any:
        return min(self.first * 2.0 ** min(attempts - 1, 32), self.limit) * (
            1 + self.spread * noise
        )

    work.Backoff.delay = delay  # type: ignore[method-assign]


MUTANTS = {
    "no-file-fsync": no_file_fsync,
    "no-folder-fsync": no_folder_fsync,
    "in-place": in_place,
    "bury-first": bury_first,
    "no-settling": no_settling,
    "swallow": swallow,
    "no-checksum": no_checksum,
    "no-lock": no_lock,
    "attempts-in-memory": attempts_in_memory,
    "burnt-attempt": burnt_attempt,
    "jitter-over-the-cap": jitter_over_the_cap,
}
