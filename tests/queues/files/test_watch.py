"""What lies in the folder of a queue: other people's work in progress, and what is found first."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from hardwon.storage.queues.files import record_dir
from hardwon.storage.queues.files.folder import Folder, NotRegular

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


def test_a_file_that_is_too_large_or_none_is_not_read(folder: Folder) -> None:
    (Path(folder.path) / "large").write_bytes(b"x" * 11)
    os.mkfifo(Path(folder.path) / "pipe")

    for name in ("large", "pipe"):
        with pytest.raises(NotRegular):
            folder.read(name, 10)


def test_a_file_is_noticed_although_the_time_of_the_folder_stood_still(folder: Folder) -> None:
    looking, path = record_dir.FolderWatch(folder), Path(folder.path)
    assert looking.news(()) == []
    mark = folder.changed_at()

    (path / "a.wal").write_bytes(b"x")
    os.utime(path, ns=(mark, mark))  # as on a file system whose clock ticks slowly

    assert looking.news(()) == ["a"]
