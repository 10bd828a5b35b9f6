"""Jobs that were given up are kept, and may live again."""

from __future__ import annotations

from pathlib import Path

import pytest

from hardwon.core.errors import StorageError
from hardwon.storage.queues.files import FileQueue
from tests.full_disk import full_disk
from tests.queues.files.file_queue import JOB, claim
from tests.samples import LATER, NOW


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


def test_a_job_that_cannot_be_buried_is_handed_out_again(base: Path) -> None:
    queue = FileQueue(str(base))
    queue.put(JOB)
    claimed = claim(queue)

    with full_disk(), pytest.raises(StorageError):
        queue.bury(claimed, "no use")

    assert claim(queue).id == JOB.id
    assert queue.dead() == []
