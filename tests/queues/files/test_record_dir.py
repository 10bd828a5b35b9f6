"""Records of jobs are read, or set aside."""

from __future__ import annotations

import errno
import os
from datetime import timedelta
from pathlib import Path

import pytest

from hardwon.core.errors import InvalidInput
from hardwon.storage.queues.files import FileQueue
from hardwon.storage.queues.records import encode
from tests.queues.files.file_queue import JOB, all_of, claim
from tests.samples import EPISODE, NOW, job


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
