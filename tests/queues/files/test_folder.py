"""Files of a queue are complete or absent, whoever else is there; records are read or set aside."""

from __future__ import annotations

import errno
import os
import shutil
import time
from datetime import timedelta
from pathlib import Path

import pytest

from hardwon.core.errors import InvalidInput, StorageError
from hardwon.storage.queues.files import FileQueue, record_dir
from hardwon.storage.queues.files.folder import Folder
from hardwon.storage.queues.records import encode
from tests.queues.files.file_queue import JOB, all_of, claim, names
from tests.samples import EPISODE, NOW, job


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


def test_a_job_may_have_a_mebibyte_and_not_more(base: Path) -> None:
    queue = FileQueue(str(base))
    room = (1 << 20) - len(encode(job(""))) + 16

    assert queue.put(job("x" * room))
    with pytest.raises(InvalidInput, match="over the limit"):
        queue.put(job("x" * (room + 1)))


@pytest.mark.parametrize(
    "content", [b"", b"LSN1", b"not a record", encode(JOB)[:-1], encode(job("other"))]
)
def test_what_cannot_be_read_is_set_aside_and_counted(base: Path, content: bytes) -> None:
    queue = FileQueue(str(base))
    (base / "wal" / f"{JOB.id}.wal").write_bytes(content)
    queue.put(job("good"))

    assert list(all_of(queue)) == ["good"]

    assert (base / "quarantine" / f"{JOB.id}.wal").read_bytes() == content
    assert (queue.counts().corrupt, queue.counts().quarantined) == (1, 1)


def test_a_torn_record_is_not_relied_on_when_the_job_comes_again(base: Path) -> None:
    queue = FileQueue(str(base))
    for torn in (b"", encode(JOB)[:-1]):
        (base / "wal" / f"{JOB.id}.wal").write_bytes(torn)

        assert queue.put(JOB)

        assert queue.waiting() == [JOB]
    assert queue.counts().quarantined == 2


@pytest.mark.parametrize("identity", ["../x", "", ".", "a/b", "x" * 129, "a\0b"])
def test_an_id_that_is_no_file_name_is_refused(base: Path, identity: str) -> None:
    queue = FileQueue(str(base))

    with pytest.raises(InvalidInput):
        queue.revive(identity, NOW)
    with pytest.raises(InvalidInput):
        queue.purge(identity)
    with pytest.raises(InvalidInput):
        queue.put(JOB._replace(id=identity, episode=EPISODE))


@pytest.mark.parametrize("is_new", [True, False])
def test_one_bad_sector_holds_up_no_other_job(
    base: Path, monkeypatch: pytest.MonkeyPatch, is_new: bool
) -> None:
    queue = FileQueue(str(base))
    if not is_new:
        assert queue.claim(NOW) is None
    queue.put(JOB)
    bad, read = (base / "wal" / f"{JOB.id}.wal").stat().st_ino, os.read

    def unreadable(handle: int, size: int) -> bytes:
        if os.fstat(handle).st_ino == bad:
            raise OSError(errno.EIO, "I/O error")
        return read(handle, size)

    with monkeypatch.context() as disk:
        disk.setattr(os, "read", unreadable)
        queue.put(job("another"))
        assert claim(queue).episode.task == "another"
        assert queue.claim(NOW) is None

    later = queue.claim(NOW + timedelta(minutes=2))  # it is looked at again
    assert later
    assert later.id == JOB.id


GONE = 2**22 + 1  # above the highest number of a process


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(str(tmp_path / "wal"))


def test_only_what_the_dead_left_long_ago_is_removed(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    left, ours = f"a.tmp.{GONE}.1", f"b.tmp.{os.getpid()}.1"
    for name in (left, ours, "c.wal"):
        (Path(folder.path) / name).write_bytes(b"x")

    record_dir.clean(folder)
    assert folder.has(left)

    now = time.time()
    monkeypatch.setattr(record_dir, "time", lambda: now + 10**6)
    record_dir.clean(folder)

    assert [folder.has(name) for name in (left, ours, "c.wal")] == [False, True, True]


def test_the_oldest_files_are_found_first(folder: Folder) -> None:
    for age, name in enumerate(("b", "c", "a")):
        path = Path(folder.path) / f"{name}.wal"
        path.write_bytes(b"x")
        os.utime(path, (1_000_000 + age,) * 2)

    assert record_dir.FolderWatch(folder).scan(()) == ["b", "c", "a"]
    assert record_dir.FolderWatch(folder).scan({"b"}) == ["c", "a"]


def test_a_file_is_noticed_although_the_time_of_the_folder_stood_still(folder: Folder) -> None:
    looking, path = record_dir.FolderWatch(folder), Path(folder.path)
    assert looking.news(()) == []
    mark = folder.changed_at()

    (path / "a.wal").write_bytes(b"x")
    os.utime(path, ns=(mark, mark))  # as on a file system whose clock ticks slowly

    assert looking.news(()) == ["a"]
