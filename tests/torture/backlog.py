"""R14: a large backlog on start: all of it is worked, oldest first, in little memory."""

from __future__ import annotations

import asyncio
import os
import random
import time
from datetime import timedelta
from pathlib import Path

from hardwon import Job
from hardwon.core.errors import TransientError
from hardwon.core.values.job import Backoff
from hardwon.engine.runtime import utc_now
from hardwon.storage.queues.files import FileQueue
from hardwon.storage.queues.records import encode
from tests.samples import job
from tests.torture.kill import crew, ended, fork, note, noted

_MEGABYTES = 300
_READY = 5.0  # seconds until the first job, on a machine that has time for us
_LATER = 97  # every so many jobs fail once and are tried again


def r14(folder: Path, n: int, chance: random.Random, mutant: str) -> tuple[int, int]:
    """`n` jobs wait when a worker starts: how many were not done, and what else was wrong."""
    base, begun, dones, told = (folder / name for name in ("queue", "begun", "dones", "told"))
    ended(fork(lambda: _fill(base, n, chance)))
    oldest_first = sorted((path.stat().st_mtime_ns, path.stem) for path in (base / "wal").iterdir())
    code = ended(fork(lambda: _work(base, begun, dones, told)))
    done, order = noted(dones), noted(begun)
    left = n - len(set(done)) + len(done) - len(set(done))
    first_tries = list(dict.fromkeys(order))
    overtaken = first_tries != [identity for _, identity in oldest_first]
    queue = FileQueue(str(base))
    rest = len(queue.waiting()) + len(queue.dead())
    return n, left + overtaken + rest + (code != 0) + len(noted(told))


def _fill(base: Path, n: int, chance: random.Random) -> None:
    """What producers have left in an hour, in the order of time but not of names."""
    FileQueue(str(base))
    padding = "x" * 1000
    start = utc_now() - timedelta(hours=1)
    for number in range(n):
        made = job(f"{number} {padding}", start + timedelta(milliseconds=30 * number))
        path = base / "wal" / f"{made.id}.wal"
        path.write_bytes(encode(made))
        os.utime(path, (made.enqueued_at.timestamp(),) * 2)


def _work(base: Path, begun: Path, dones: Path, told: Path) -> None:
    began, ready = time.process_time(), 0.0
    queue = FileQueue(str(base))

    async def process(one: Job) -> None:
        nonlocal ready
        ready = ready or time.process_time() - began
        note(begun, one.id)
        if int(one.id, 16) % _LATER == 0 and one.attempts == 1:
            raise TransientError("busy")
        note(dones, one.id)

    quick = Backoff(timedelta(milliseconds=1), timedelta(milliseconds=1))
    workers = crew(queue, process, backoff=quick)
    while queue.counts().pending:
        before = workers.ledger.tally
        asyncio.run(workers.until_idle())
        if workers.ledger.tally == before:
            break  # the rest would wait for the next start
    if ready > _READY:
        note(told, "late")
    if _peak() > _MEGABYTES:
        note(told, "large")


def _peak() -> int:
    """Megabytes of memory that this process had at most."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM"):
            return int(line.split()[1]) // 1024
    return 0
