"""Queues of files, and jobs for them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from hardwon import Job
from hardwon.storage.queues.files import FileQueue
from tests.samples import NOW, job

JOB = job()


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
