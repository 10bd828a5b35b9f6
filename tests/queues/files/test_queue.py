"""The queue of files: its order, many processes, crashes at every step, much that waits."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from datetime import timedelta
from pathlib import Path

import pytest

from hardwon.core.errors import StorageError
from hardwon.engine.pipeline.work import died_before
from hardwon.storage.queues.files import FileQueue, QueueLimits
from hardwon.storage.queues.records import decode
from tests.full_disk import full_disk
from tests.queues.files.file_queue import JOB, all_of, claim, names
from tests.samples import LATER, NOW, job


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


def test_a_job_that_died_after_a_soft_failure_is_known_to_have_died(base: Path) -> None:
    queue = FileQueue(str(base))
    queue.put(JOB)
    queue.retry(claim(queue).postponed(NOW, "429"))
    assert not died_before(claim(queue))
    queue.close()  # as a process that dies: the second attempt is never settled

    again = claim(FileQueue(str(base)))

    assert died_before(again)
    assert again.attempts == 3


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


def test_the_attempt_is_on_disk_before_the_job_is_handed_out(base: Path) -> None:
    queue = FileQueue(str(base))
    queue.put(JOB)

    claim(queue)

    assert decode((base / "wal" / f"{JOB.id}.wal").read_bytes()).attempts == 1


def test_the_oldest_comes_first_after_a_restart(base: Path) -> None:
    ages = {"young": 1, "old": 3, "middle": 2}
    queue = FileQueue(str(base))
    for task, hours in ages.items():
        queue.put(job(task, NOW - timedelta(hours=hours)))

    assert list(all_of(FileQueue(str(base)))) == ["old", "middle", "young"]


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


def test_what_another_worker_finished_meanwhile_is_set_aside(base: Path) -> None:
    queue, other = FileQueue(str(base)), FileQueue(str(base))
    queue.put(job("ours"))
    queue.put(job("theirs"))
    for worker in (queue, other):
        worker.done(claim(worker))
        worker.close()

    assert queue.claim(NOW) is None

    counts = queue.counts()
    assert (counts.accepted, counts.done, counts.set_aside, counts.pending) == (2, 1, 1, 0)


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


def test_a_job_that_cannot_be_buried_is_handed_out_again(base: Path) -> None:
    queue = FileQueue(str(base))
    queue.put(JOB)
    claimed = claim(queue)

    with full_disk(), pytest.raises(StorageError):
        queue.bury(claimed, "no use")

    assert claim(queue).id == JOB.id
    assert queue.dead() == []


def test_only_one_works_the_queue_and_the_next_takes_over(base: Path) -> None:
    first, second = FileQueue(str(base)), FileQueue(str(base))
    first.put(JOB)
    claimed = claim(first)

    assert second.claim(NOW) is None
    assert second.worker() == os.getpid()

    first.close()

    assert second.claim(NOW) == claimed.with_attempt()


def test_the_lock_dies_with_its_owner(base: Path) -> None:
    code = (
        "import os; from tests.samples import *;"
        "from hardwon.storage.queues.files import FileQueue;"
        f"q = FileQueue({str(base)!r}); q.put(job()); q.claim(NOW); os.kill(os.getpid(), 9)"
    )
    died = subprocess.run([sys.executable, "-c", code], cwd=Path(__file__).parents[3], check=False)

    assert died.returncode == -9
    assert claim(FileQueue(str(base))).attempts == 2
