"""R24: the metrics after kill -9 agree with what is on disk, and their number stays bounded."""

from __future__ import annotations

import asyncio
import os
import random
import threading
import time
from datetime import timedelta
from pathlib import Path

from prometheus_client.parser import text_string_to_metric_families

from hardwon import Job, Scope
from hardwon.core.errors import PermanentError, TransientError
from hardwon.core.settings import Settings, load
from hardwon.core.values.job import SKIPPED, new_job
from hardwon.engine.runtime import utc_now
from hardwon.engine.worker import WorkerProcess
from hardwon.storage.queues.files import FileQueue
from tests.samples import EPISODE
from tests.torture.kill import ended, fork, kill, note, noted

_SERIES = 80  # more than there are kinds of them, far fewer than tenants
_A_LIFE = 100  # jobs that one life puts at most


def r24(folder: Path, n: int, chance: random.Random, mutant: str) -> tuple[int, int]:
    """`n` kills of producers and workers; after each a new worker must tell the truth."""
    bad = 0
    for turn in range(n):
        child = fork(lambda: _live(folder, chance.randrange(1 << 30)))
        time.sleep(chance.uniform(0.02, 0.1))
        kill(child)
        chance.random()
        if turn == n - 1:  # however little the kills left, there is enough to count
            _produce(FileQueue(str(folder / "queue")), folder / "acks", turn)
        bad += ended(fork(lambda: _check(folder, whole=turn == n - 1))) != 0  # noqa: B023
    queue, acked = FileQueue(str(folder / "queue")), set(noted(folder / "acks"))
    done, dead = set(noted(folder / "dones")), {one.id for one in queue.dead()}
    lost = acked - done - dead
    uncalled = (done | dead) - acked  # in the middle of a put when the kill came
    bad += len(lost) + max(0, len(uncalled) - n) + len(done & dead) + len(queue.waiting())
    return len(acked), bad


def _worker(folder: Path) -> tuple[WorkerProcess, FileQueue]:
    queue = FileQueue(str(folder / "queue"))

    async def process(one: Job) -> object:
        kind = int(one.id, 16) % 10
        if kind == 0:
            raise PermanentError("no")
        if kind == 1 and one.attempts == 1:
            raise TransientError("busy")
        note(folder / "dones", one.id)
        return SKIPPED if kind == 2 else None

    return WorkerProcess(queue, process, settings=_settings(folder), clock=utc_now), queue


def _settings(folder: Path) -> Settings:
    values = load(str(folder))
    soon = timedelta(milliseconds=1)
    queue = values.queue._replace(base_dir=str(folder / "queue"), workers=4, initial_delay=soon)
    return values._replace(queue=queue._replace(max_attempts=50))


def _live(folder: Path, seed: int) -> None:
    """Put jobs of ever new tenants and work them, until the kill comes."""
    worker, queue = _worker(folder)
    told = (queue, folder / "acks", seed)
    threading.Thread(target=_produce, args=told, daemon=True).start()
    asyncio.run(worker.serve())


def _produce(queue: FileQueue, acks: Path, seed: int) -> None:
    for number in range(_A_LIFE):
        scope = Scope(f"tenant-{seed}-{number}", "coder")
        episode = EPISODE._replace(scope=scope, task=f"{os.getpid()} {seed} {number}")
        made = new_job(episode, "error", utc_now())
        queue.put(made)
        note(acks, made.id)


def _check(folder: Path, *, whole: bool) -> None:
    """Recover, work one job or all that wait, and compare the scrape with the disk."""
    worker, queue = _worker(folder)
    # A burial that the kill cut short left its job in both places: it is yet to be buried.
    dead = len({one.id for one in queue.dead()} - {one.id for one in queue.waiting()})
    asyncio.run(worker.serve("empty" if whole else "once"))
    while whole and queue.waiting():
        asyncio.run(worker.serve("empty"))
    page = worker.metrics().decode()
    values = {
        (sample.name.removeprefix("hardwon_lessonq_"), *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(page)
        for sample in family.samples
    }
    done = values["attempts_total", "success"] + values["attempts_total", "skipped"]
    assert values[("dlq_size",)] == len(queue.dead())
    assert values[("wal_segments",)] == len(queue.waiting())
    buried = values[("dlq_size",)] - dead
    assert values["enqueue_total", "accepted"] == done + buried + values[("wal_segments",)]
    assert len(values) < _SERIES
    assert "tenant" not in page
