"""What comes next when there is little room."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from hardwon.storage.queues.files import FileQueue, QueueLimits
from tests.queues.files.file_queue import all_of, claim
from tests.samples import LATER, NOW, job


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
