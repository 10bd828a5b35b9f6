"""Syncs that fail: nothing is acknowledged, no file is synced again, nobody else is misled."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from hardwon.core.errors import StorageError
from hardwon.storage.queues.files import FileQueue
from tests.queues.files.file_queue import JOB


class Disk:
    """`os.fsync` that fails for some, once or for ever, and remembers which files it was for."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._sync = os.fsync
        self.fails: Callable[[int], bool] = lambda _: False
        self.failed: list[int] = []
        self.synced: list[int] = []
        monkeypatch.setattr(os, "fsync", self)

    def __call__(self, handle: int) -> None:
        number = os.fstat(handle).st_ino
        if self.fails(handle):
            self.failed.append(number)
            raise OSError(errno.EIO, "I/O error")
        self.synced.append(number)
        self._sync(handle)

    def fail_once(self, wanted: Callable[[int], bool]) -> None:
        self.fails = lambda handle: not self.failed and wanted(handle)


def is_folder(handle: int) -> bool:
    return stat.S_ISDIR(os.fstat(handle).st_mode)


def is_file(handle: int) -> bool:
    return not is_folder(handle)


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Disk:
    return Disk(monkeypatch)


def record(base: Path) -> Path:
    return base / "wal" / f"{JOB.id}.wal"


@pytest.mark.parametrize("kind", [is_file, is_folder])
def test_a_file_whose_sync_failed_is_replaced_and_never_synced_again(
    base: Path, disk: Disk, kind: Callable[[int], bool]
) -> None:
    queue = FileQueue(str(base))
    disk.fail_once(kind)
    with pytest.raises(StorageError):
        queue.put(JOB)

    assert not queue.put(JOB)  # what was written anew is synced now, and there already

    is_same = set(disk.failed) & set(disk.synced) - {(base / "wal").stat().st_ino}
    assert not is_same
    assert record(base).stat().st_ino in disk.synced
    assert queue.waiting() == [JOB]
    assert queue.counts().storage_errors == 1


def test_a_file_that_cannot_be_synced_nor_replaced_is_taken_back(base: Path, disk: Disk) -> None:
    queue = FileQueue(str(base))
    disk.fails = is_file

    with pytest.raises(StorageError):
        queue.put(JOB)

    assert os.listdir(base / "wal") == []


def test_what_a_killed_process_left_unsynced_is_written_anew(base: Path, disk: Disk) -> None:
    FileQueue(str(base)).put(JOB)
    left = record(base).stat()
    disk.fail_once(is_file)
    queue = FileQueue(str(base))
    with pytest.raises(StorageError):
        queue.put(JOB)

    assert not queue.put(JOB)

    assert record(base).stat().st_ino != left.st_ino
    assert record(base).stat().st_mtime_ns == pytest.approx(left.st_mtime_ns, abs=1000)
    assert queue.waiting() == [JOB]


def test_the_file_of_another_stays_when_it_can_neither_be_synced_nor_replaced(
    base: Path, disk: Disk
) -> None:
    FileQueue(str(base)).put(JOB)
    queue = FileQueue(str(base))
    disk.fails = is_file

    with pytest.raises(StorageError):
        queue.put(JOB)

    assert queue.waiting() == [JOB]  # who was told that it is durable relies on it


def test_a_refused_attempt_is_counted(base: Path, disk: Disk) -> None:
    queue = FileQueue(str(base))
    queue.put(JOB)
    disk.fails = is_file

    with pytest.raises(StorageError):
        queue.claim(JOB.due)

    assert queue.counts().storage_errors == 1
