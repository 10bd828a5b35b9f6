"""Files of a queue are complete or absent, whoever else is there."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from hardwon.core.errors import StorageError
from hardwon.storage.queues.files import FileQueue
from hardwon.storage.queues.records import encode
from tests.queues.files.file_queue import JOB, all_of, names
from tests.samples import NOW, job


def test_temporary_files_of_the_living_and_of_the_lately_dead_stay(base: Path) -> None:
    FileQueue(str(base))
    mine, dead = base / "wal" / f"a.tmp.{os.getpid()}.1", base / "wal" / "a.tmp.4194304.1"
    mine.touch()
    dead.touch()

    assert FileQueue(str(base)).claim(NOW) is None

    assert mine.exists()
    assert dead.exists()


def test_files_are_for_the_owner_only(base: Path) -> None:
    FileQueue(str(base / "deep")).put(JOB)
    base /= "deep"

    assert base.parent.stat().st_mode & 0o777 == base.stat().st_mode & 0o777 == 0o700
    assert (base / "wal").stat().st_mode & 0o777 == 0o700
    assert (base / "wal" / f"{JOB.id}.wal").stat().st_mode & 0o777 == 0o600


def test_a_failed_put_leaves_nothing_and_is_counted(base: Path) -> None:
    queue = FileQueue(str(base))
    shutil.rmtree(base / "wal")

    with pytest.raises(StorageError):
        queue.put(JOB)

    assert (base / "counts" / "storage_error").stat().st_size == 1


def test_a_planted_link_does_not_swallow_a_job(base: Path, tmp_path: Path) -> None:
    queue = FileQueue(str(base))
    (base / "wal" / f"{JOB.id}.wal").symlink_to(tmp_path / "elsewhere")

    assert queue.put(JOB)
    assert queue.waiting() == [JOB]


def test_links_pipes_folders_and_giants_harm_nobody(base: Path, tmp_path: Path) -> None:
    queue = FileQueue(str(base))
    secret = tmp_path / "secret"
    secret.write_bytes(encode(JOB))
    (base / "wal" / f"{JOB.id}.wal").symlink_to(secret)
    os.mkfifo(base / "wal" / "pipe.wal")
    (base / "wal" / "folder.wal").mkdir()
    (base / "wal" / "notes.txt").write_text("mine")
    with (base / "wal" / "giant.wal").open("wb") as giant:
        giant.truncate(2 << 30)
    queue.put(job("good"))

    assert list(all_of(queue)) == ["good"]

    assert names(base / "wal") == ["notes.txt"]
    assert queue.counts().quarantined == 4
    assert secret.exists()
