"""The queue of files: many processes, crashes at every step, much that waits."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from hardwon import Job
from hardwon.errors import InvalidInput, StorageError
from hardwon.pipeline.work import died_before
from hardwon.queues.files import FileQueue, QueueLimits
from hardwon.queues.files.admission import STALE
from hardwon.queues.records import decode, encode
from tests.full_disk import full_disk
from tests.samples import EPISODE, LATER, NOW, job

JOB = job()


@pytest.fixture
def base(tmp_path: Path) -> Path:
    return tmp_path / "queue"


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def claim(queue: FileQueue) -> Job:
    claimed = queue.claim(NOW)
    assert claimed
    return claimed


def all_of(queue: FileQueue) -> Iterator[str]:
    while claimed := queue.claim(NOW):
        yield claimed.episode.task
        queue.done(claimed)


# Many processes


def test_only_one_works_the_queue_and_the_next_takes_over(base: Path) -> None:
    first, second = FileQueue(str(base)), FileQueue(str(base))
    first.put(JOB)
    claimed = claim(first)

    assert second.claim(NOW) is None
    assert second.worker() == os.getpid()

    first.close()

    assert second.claim(NOW) == claimed.started()


def test_the_lock_dies_with_its_owner(base: Path) -> None:
    code = (
        "import os; from tests.samples import *; from hardwon.queues.files import FileQueue;"
        f"q = FileQueue({str(base)!r}); q.put(job()); q.claim(NOW); os.kill(os.getpid(), 9)"
    )
    died = subprocess.run([sys.executable, "-c", code], cwd=Path(__file__).parents[3], check=False)

    assert died.returncode == -9
    assert claim(FileQueue(str(base))).attempts == 2


def test_the_owner_notices_what_others_add(base: Path) -> None:
    owner, producer = FileQueue(str(base)), FileQueue(str(base))
    assert owner.claim(NOW) is None

    for task in "abc":
        producer.put(job(task))
        assert claim(owner).episode.task == task


def test_of_many_who_put_the_same_exactly_one_is_told_it_is_new(base: Path) -> None:
    told: list[bool] = []
    threads = [
        threading.Thread(target=lambda: told.append(FileQueue(str(base)).put(JOB)))
        for _ in range(16)
    ]

    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(told) == [False] * 15 + [True]
    assert names(base / "wal") == [f"{JOB.id}.wal"]


def test_temporary_files_of_the_living_and_of_the_lately_dead_stay(base: Path) -> None:
    FileQueue(str(base))
    mine, dead = base / "wal" / f"a.tmp.{os.getpid()}.1", base / "wal" / "a.tmp.4194304.1"
    mine.touch()
    dead.touch()

    assert FileQueue(str(base)).claim(NOW) is None

    assert mine.exists()
    assert dead.exists()


# What is on the disk


def test_the_attempt_is_on_disk_before_the_job_is_handed_out(base: Path) -> None:
    queue = FileQueue(str(base))
    queue.put(JOB)

    claim(queue)

    assert decode((base / "wal" / f"{JOB.id}.wal").read_bytes()).attempts == 1


def test_a_job_may_have_a_mebibyte_and_not_more(base: Path) -> None:
    queue = FileQueue(str(base))
    room = (1 << 20) - len(encode(job(""))) + 16

    assert queue.put(job("x" * room))
    with pytest.raises(InvalidInput, match="over the limit"):
        queue.put(job("x" * (room + 1)))


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


# Replay


def test_the_oldest_comes_first_after_a_restart(base: Path) -> None:
    ages = {"young": 1, "old": 3, "middle": 2}
    queue = FileQueue(str(base))
    for task, hours in ages.items():
        queue.put(job(task, NOW - timedelta(hours=hours)))

    assert list(all_of(FileQueue(str(base)))) == ["old", "middle", "young"]


def test_what_waited_too_long_is_dead_with_the_reason(base: Path) -> None:
    FileQueue(str(base)).put(job(at=NOW - timedelta(days=8)))
    queue = FileQueue(str(base))

    assert queue.claim(NOW) is None

    assert [dead.last_error for dead in queue.dead()] == [STALE]
    assert queue.counts().stale == 1


def test_a_clock_that_was_set_back_drops_and_parks_nothing(base: Path) -> None:
    queue = FileQueue(str(base))
    queue.put(JOB)
    queue.retry(claim(queue).postponed(LATER, "429"))
    queue.close()
    before = NOW - timedelta(days=400)

    again = FileQueue(str(base), QueueLimits(longest_wait=timedelta(minutes=5)))

    assert again.claim(before) is not None


def test_a_producer_whose_clock_is_ahead_is_served_at_once(base: Path) -> None:
    queue = FileQueue(str(base))
    assert queue.claim(NOW) is None
    FileQueue(str(base)).put(job(at=NOW + timedelta(days=30)))

    assert queue.claim(NOW) is not None


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


# Much that waits


def test_a_full_memory_leaves_jobs_on_disk_until_there_is_room(base: Path) -> None:
    queue = FileQueue(str(base), QueueLimits(capacity=2))
    assert queue.claim(NOW) is None
    for task in "abcde":
        queue.put(job(task))

    first = claim(queue)

    assert queue.counts().in_memory <= 2
    assert sorted([first.episode.task, *all_of(queue)]) == list("abcde")


def test_a_job_that_waits_outside_too_long_is_counted_and_worked(base: Path) -> None:
    queue = FileQueue(str(base), QueueLimits(capacity=1))
    assert queue.claim(NOW) is None
    queue.put(job("a")._replace(due=LATER))
    queue.put(job("b")._replace(due=LATER))
    assert queue.claim(NOW) is None

    assert queue.claim(NOW + timedelta(seconds=5)) is None
    assert queue.counts().rejected_full == 1
    assert queue.claim(LATER) is not None
    assert queue.claim(LATER + timedelta(hours=2)) is not None


def test_the_oldest_makes_room_when_that_is_asked_for(base: Path) -> None:
    queue = FileQueue(str(base), QueueLimits(capacity=1, drop_oldest=True))
    assert queue.claim(NOW) is None
    queue.put(job("a", NOW - timedelta(minutes=1)))
    queue.put(job("b"))

    assert list(all_of(queue)) == ["b", "a"]
    assert queue.counts().dropped_oldest == 1


# Moves that a crash cut short


def test_a_burial_cut_short_ends_in_the_grave(base: Path) -> None:
    queue = FileQueue(str(base))
    queue.put(JOB)
    dead = claim(queue)
    record = (base / "wal" / f"{JOB.id}.wal").read_bytes()
    queue.bury(dead, "no")
    (base / "wal" / f"{JOB.id}.wal").write_bytes(record)
    queue.close()

    again = FileQueue(str(base))

    assert again.claim(NOW) is None
    assert (len(again.waiting()), len(again.dead())) == (0, 1)


def test_a_revival_cut_short_ends_among_the_living(base: Path) -> None:
    queue = FileQueue(str(base))
    queue.put(JOB)
    queue.bury(claim(queue), "no")
    record = (base / "dlq" / f"{JOB.id}.wal").read_bytes()
    queue.revive(JOB.id, NOW)
    (base / "dlq" / f"{JOB.id}.wal").write_bytes(record)
    queue.close()

    again = FileQueue(str(base))

    assert claim(again).attempts == 1
    assert (len(again.waiting()), len(again.dead())) == (1, 0)


def test_a_dead_job_that_happens_again_lives_again(base: Path) -> None:
    queue = FileQueue(str(base))
    queue.put(JOB)
    queue.bury(claim(queue), "no")

    assert queue.put(JOB._replace(enqueued_at=LATER, due=LATER))

    assert queue.claim(LATER) is not None
    assert queue.dead() == []


@pytest.mark.parametrize("identity", ["../x", "", ".", "a/b", "x" * 129, "a\0b"])
def test_an_id_that_is_no_file_name_is_refused(base: Path, identity: str) -> None:
    queue = FileQueue(str(base))

    with pytest.raises(InvalidInput):
        queue.revive(identity, NOW)
    with pytest.raises(InvalidInput):
        queue.purge(identity)
    with pytest.raises(InvalidInput):
        queue.put(JOB._replace(id=identity, episode=EPISODE))


# A disk that refuses


def test_a_job_that_died_after_a_soft_failure_is_known_to_have_died(base: Path) -> None:
    queue = FileQueue(str(base))
    queue.put(JOB)
    queue.retry(claim(queue).postponed(NOW, "429"))
    claim(queue)
    queue.close()  # as a process that dies: the second attempt is never settled

    again = claim(FileQueue(str(base)))

    assert died_before(again)
    assert again.attempts == 3


def test_a_job_that_failed_softly_tells_its_error_to_the_next_attempt(base: Path) -> None:
    queue = FileQueue(str(base))
    queue.put(JOB)
    queue.retry(claim(queue).postponed(NOW, "429"))

    again = claim(queue)

    assert again.last_error == "429"
    assert not died_before(again)


def test_a_job_whose_record_cannot_be_removed_is_handed_out_again(base: Path) -> None:
    queue = FileQueue(str(base))
    queue.put(JOB)
    claimed, record = claim(queue), base / "wal" / f"{JOB.id}.wal"
    content = record.read_bytes()
    record.unlink()
    record.mkdir()

    with pytest.raises(StorageError):
        queue.done(claimed)

    record.rmdir()
    record.write_bytes(content)
    assert claim(queue).id == JOB.id


def test_a_job_that_cannot_be_buried_is_handed_out_again(base: Path) -> None:
    queue = FileQueue(str(base))
    queue.put(JOB)
    claimed = claim(queue)

    with full_disk(), pytest.raises(StorageError):
        queue.bury(claimed, "no use")

    assert claim(queue).id == JOB.id
    assert queue.dead() == []


def test_a_job_whose_attempt_cannot_be_counted_waits_on(base: Path) -> None:
    queue = FileQueue(str(base))
    queue.put(JOB)

    with full_disk(), pytest.raises(StorageError):
        queue.claim(NOW)

    assert claim(queue).attempts == 1


def test_a_new_job_is_never_too_old(base: Path) -> None:
    queue = FileQueue(str(base))
    assert queue.claim(NOW) is None
    FileQueue(str(base)).put(job(at=NOW - timedelta(days=8)))

    assert queue.claim(NOW) is not None


def test_a_wait_that_was_planned_outlives_the_process(base: Path) -> None:
    limits, wait = QueueLimits(longest_wait=timedelta(minutes=5)), timedelta(hours=2)
    queue = FileQueue(str(base), limits)
    queue.put(JOB)
    queue.retry(claim(queue).postponed(NOW + wait, "429", wait=wait))
    queue.close()

    again = FileQueue(str(base), limits)

    assert again.claim(NOW + timedelta(hours=1)) is None
    assert again.claim(NOW + wait) is not None


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
