"""The queue of files: many processes, crashes at every step, much that waits."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from hardwon.core.errors import StorageError
from hardwon.engine.pipeline.work import died_before
from hardwon.storage.queues.files import FileQueue
from tests.queues.files.file_queue import JOB, claim, names
from tests.samples import NOW, job


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
