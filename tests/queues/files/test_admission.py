"""Which jobs are handed out, and when."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from hardwon.core.errors import StorageError
from hardwon.storage.queues.files import STALE, FileQueue, QueueLimits
from hardwon.storage.queues.records import decode
from tests.full_disk import full_disk
from tests.queues.files.file_queue import JOB, all_of, claim
from tests.samples import LATER, NOW, job


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
