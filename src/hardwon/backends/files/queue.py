"""Jobs as files: `wal/<id>.wal` waits, `dlq/<id>.wal` is dead, `quarantine/` is unreadable."""

from __future__ import annotations

import itertools
import os
from typing import TYPE_CHECKING

from hardwon.backends.files.records import BadRecord, decode, encode
from hardwon.domain.text import file_id
from hardwon.errors import storage_error

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from hardwon.domain.job import Job

_numbers = itertools.count(1)


class FileQueue:
    """A directory of records. A job is acknowledged once its file and its name are on disk."""

    def __init__(self, base: str) -> None:
        self._wal = os.path.join(base, "wal")
        self._dlq = os.path.join(base, "dlq")
        self._quarantine = os.path.join(base, "quarantine")
        self._claimed: set[str] = set()
        for folder in (self._wal, self._dlq, self._quarantine):
            _make(folder)

    def put(self, job: Job) -> bool:
        path = _record(self._wal, job)
        if os.path.exists(path):
            return False
        _write(path, encode(job))
        return True

    def claim(self, now: datetime) -> Job | None:
        ready = [j for j in self.waiting() if j.due <= now and j.id not in self._claimed]
        if not ready:
            return None
        job = min(ready, key=lambda one: (one.due, one.enqueued_at)).started()
        _write(_record(self._wal, job), encode(job))
        self._claimed.add(job.id)
        return job

    def done(self, job: Job) -> None:
        _remove(_record(self._wal, job))
        self._claimed.discard(job.id)

    def retry(self, job: Job) -> None:
        _write(_record(self._wal, job), encode(job))
        self._claimed.discard(job.id)

    def bury(self, job: Job, reason: str) -> None:
        _write(_record(self._dlq, job), encode(job._replace(last_error=reason)))
        self.done(job)

    def waiting(self) -> list[Job]:
        return self._read(self._wal)

    def dead(self) -> list[Job]:
        return self._read(self._dlq)

    def close(self) -> None:
        """Nothing to release."""

    def _read(self, folder: str) -> list[Job]:
        """The readable records of a folder, oldest first; the others are moved aside."""
        jobs = []
        for name in _names(folder):
            try:
                with open(os.path.join(folder, name), "rb") as record:
                    jobs.append(decode(record.read()))
            except FileNotFoundError:
                continue
            except BadRecord:
                os.replace(os.path.join(folder, name), os.path.join(self._quarantine, name))
        return sorted(jobs, key=lambda job: job.enqueued_at)


def _names(folder: str) -> Iterator[str]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(".wal") and entry.is_file(follow_symlinks=False):
                yield entry.name


def _record(folder: str, job: Job) -> str:
    return os.path.join(folder, f"{file_id(job.id, 'job id')}.wal")


def _make(folder: str) -> None:
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
    except OSError as error:
        raise storage_error(error, folder) from error


def _write(path: str, content: bytes) -> None:
    """The whole file or none of it, on disk when this returns."""
    stem = path.removesuffix(".wal")
    temporary = f"{stem}.tmp.{os.getpid()}.{next(_numbers)}"
    try:
        _write_new(temporary, content)
        os.rename(temporary, path)
        _sync_folder(os.path.dirname(path))
    except OSError as error:
        raise storage_error(error, path) from error


def _write_new(path: str, content: bytes) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    try:
        view = memoryview(content)
        while view:
            view = view[os.write(handle, view) :]
        os.fsync(handle)
    finally:
        os.close(handle)


def _sync_folder(folder: str) -> None:
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except FileNotFoundError:
        return
    except OSError as error:
        raise storage_error(error, path) from error
