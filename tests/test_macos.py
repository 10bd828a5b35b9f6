"""What macOS has not, or does otherwise, taken away or put in here."""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import sqlite3
import sys
from pathlib import Path
from typing import Any

import pytest

import hardwon
from hardwon.core import _files, processes
from hardwon.storage.queues.files import FileQueue
from hardwon.storage.stores.sqlite import database

F_FULLFSYNC = 51


class Drive:
    """`fcntl` with the call by which macOS empties the cache of a drive."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, error: int = 0) -> None:
        self.emptied: list[int] = []
        self._error = error
        monkeypatch.setattr(sys, "platform", "darwin")
        monkeypatch.setattr(fcntl, "F_FULLFSYNC", F_FULLFSYNC, raising=False)
        monkeypatch.setattr(fcntl, "fcntl", self)

    def __call__(self, handle: int, command: int) -> int:
        assert command == F_FULLFSYNC
        if self._error:
            raise OSError(self._error, os.strerror(self._error))
        self.emptied.append(handle)
        return 0


def test_durable_files_reach_the_drive_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drive = Drive(monkeypatch)

    _files.replace(str(tmp_path / "a"), b"1", durable=True)
    _files.append(str(tmp_path / "a"), b"2", durable=True)

    assert len(drive.emptied) == 3  # the file, its folder, the file again


def test_a_queued_run_reaches_the_drive_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with hardwon.open(tmp_path / "home") as hw:
        drive = Drive(monkeypatch)

        hw.agent("coder").after_run(task="build", error="make: *** No targets")

        assert hw.queue.status()[0].pending == 1
    assert len(drive.emptied) >= 2  # the record and its name


def test_a_drive_that_cannot_is_synced_as_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[int] = []
    monkeypatch.setattr(os, "fsync", synced.append)
    Drive(monkeypatch, error=errno.ENOTSUP)

    _files.append(str(tmp_path / "a"), b"1", durable=True)

    assert len(synced) == 1


def test_a_drive_that_fails_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Drive(monkeypatch, error=errno.EIO)

    with pytest.raises(OSError, match="Input/output"):
        _files.append(str(tmp_path / "a"), b"1", durable=True)


def test_the_database_asks_for_full_syncs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")

    connection: sqlite3.Connection = database.connect(str(tmp_path / "db"))

    assert connection.execute("PRAGMA fullfsync").fetchone() == (1,)
    connection.close()


class NoCalls:
    """A C library without inotify."""

    def __init__(self, name: Any) -> None:
        pass


def test_without_inotify_a_worker_looks_for_jobs_more_often(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = FileQueue(str(tmp_path / "told"))
    assert told.wakeups()
    monkeypatch.setattr(ctypes, "CDLL", NoCalls)
    asking = FileQueue(str(tmp_path / "asking"))

    assert asking.wakeups() == ()
    assert asking.pause() < told.pause()


def test_without_proc_no_process_is_found_by_its_mark(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os.path, "isdir", lambda path: path != "/proc")
    monkeypatch.setattr(os, "listdir", lambda path: pytest.fail("there is no /proc"))

    assert processes.end_marked("any") == 0
