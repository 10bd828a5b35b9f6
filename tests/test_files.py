"""Files of ours: whole, private, and never through a planted link."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hardwon.core import _files


def test_a_file_is_replaced_whole_and_is_private(tmp_path: Path) -> None:
    path = tmp_path / "state"
    path.write_bytes(b"old")

    _files.replace(str(path), b"new", durable=True)

    assert path.read_bytes() == b"new"
    assert path.stat().st_mode & 0o777 == 0o600
    assert [entry.name for entry in tmp_path.iterdir()] == ["state"]


def test_a_failure_leaves_the_old_bytes_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "state"
    path.write_bytes(b"old")

    def full(handle: int, content: bytes) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(OSError, match="No space"):
        _files.replace(str(path), b"new")

    assert path.read_bytes() == b"old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["state"]


def test_a_system_that_takes_one_byte_at_a_time_gets_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, real = tmp_path / "state", os.write
    monkeypatch.setattr(os, "write", lambda handle, content: real(handle, bytes(content[:1])))

    _files.replace(str(path), b"whole")

    assert path.read_bytes() == b"whole"


def test_nothing_is_appended_through_a_link(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_bytes(b"untouched")
    (tmp_path / "log").symlink_to(victim)

    with pytest.raises(OSError, match="symbolic links"):
        _files.append(str(tmp_path / "log"), b"x")

    assert victim.read_bytes() == b"untouched"


def test_an_append_tells_the_size(tmp_path: Path) -> None:
    assert _files.append(str(tmp_path / "log"), b"one") == 3
    assert _files.append(str(tmp_path / "log"), b"two") == 6


def test_a_file_that_is_gone_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "here").touch()

    assert _files.unlink(str(tmp_path / "here"))
    assert not _files.unlink(str(tmp_path / "here"))


def test_only_one_holds_a_lock_and_a_free_one_is_taken_at_once(tmp_path: Path) -> None:
    first, second = (_files.Lock(str(tmp_path / "lock")) for _ in range(2))

    with first:
        assert not second.acquire(wait=False)

    assert second.acquire(wait=False)
    second.release()


def test_no_lock_follows_a_planted_link(tmp_path: Path) -> None:
    (tmp_path / "lock").symlink_to(tmp_path / "victim")

    with pytest.raises(OSError, match="symbolic links"):
        _files.Lock(str(tmp_path / "lock")).acquire()

    assert not (tmp_path / "victim").exists()


def test_a_replaced_file_gets_the_mode_that_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "notes"

    _files.replace(str(path), b"new", mode=0o664)

    assert path.stat().st_mode & 0o777 == 0o664


def test_nothing_is_written_through_a_link_that_was_planted_aside(tmp_path: Path) -> None:
    victim, aside = tmp_path / "victim", tmp_path / "aside"
    victim.write_bytes(b"untouched")
    aside.symlink_to(victim)

    with pytest.raises(OSError, match="exists"):
        _files.replace(str(tmp_path / "state"), b"new", aside=str(aside))

    assert victim.read_bytes() == b"untouched"


def test_what_is_no_regular_file_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")

    with pytest.raises(OSError, match="not a regular file"):
        _files.content(str(tmp_path / "pipe"), 9)
    with pytest.raises(IsADirectoryError):
        _files.content(str(tmp_path), 9)
