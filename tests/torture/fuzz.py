"""R8: broken records of every kind. R16: the law of retries."""

from __future__ import annotations

import asyncio
import os
import random
from datetime import timedelta
from pathlib import Path

from hardwon import Job
from hardwon.core.errors import TransientError
from hardwon.core.values.job import Backoff, Policy
from hardwon.engine.pipeline.work import WorkerPool
from hardwon.storage.queues.files import FileQueue
from hardwon.storage.queues.memory import MemoryQueue
from hardwon.storage.queues.records import BadRecord, decode, encode
from tests.samples import NOW, job

_ON_DISK = 20  # one broken file among so many broken records


def r8(folder: Path, n: int, chance: random.Random, mutant: str) -> tuple[int, int]:
    """Records with flipped, lost and added bytes: none is taken for another job."""
    good = [job("x" * chance.randrange(3000)) for _ in range(50)]
    records = [encode(one) for one in good]
    bad = sum(_accepts_wrongly(_broken(records[at % 50], chance), good[at % 50]) for at in range(n))
    return n, bad + _replayed(folder, max(20, n // _ON_DISK), chance)


def _broken(record: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(record))
    kind = chance.randrange(4)
    if kind == 0:
        return record[:at]
    if kind == 1:
        return record[:at] + record[at + 1 + chance.randrange(8) :]
    if kind == 2:
        return record[:at] + os.urandom(chance.randrange(1, 9)) + record[at:]
    return record[:at] + bytes([record[at] ^ (1 << chance.randrange(8))]) + record[at + 1 :]


def _accepts_wrongly(record: bytes, original: Job) -> bool:
    try:
        return decode(record) != original
    except BadRecord:
        return False


def _replayed(folder: Path, n: int, chance: random.Random) -> int:
    """Broken files, links, pipes and folders among good records: how many went the wrong way."""
    queue = FileQueue(str(folder / "queue"))
    wal = folder / "queue" / "wal"
    record = encode(job("victim"))
    for number in range(n):
        (wal / f"{number:016x}.wal").write_bytes(_broken(record, chance))
    os.mkfifo(wal / "pipe.wal")
    (wal / "link.wal").symlink_to("/etc/passwd")
    (wal / "folder.wal").mkdir()
    with (wal / "giant.wal").open("wb") as giant:
        giant.truncate(2 << 30)
    for number in range(20):
        queue.put(job(f"good {number}"))
    claimed = 0
    while queue.claim(NOW):
        claimed += 1
    return abs(claimed - 20) + abs(queue.counts().quarantined - n - 4)


def r16(folder: Path, n: int, chance: random.Random, mutant: str) -> tuple[int, int]:
    """Delays of `n` schedules: in their range, under the cap, evenly spread; then the last try."""
    bad, noises = 0, []
    for _ in range(n):
        backoff = Backoff(
            timedelta(seconds=chance.uniform(0.1, 5)),
            timedelta(seconds=chance.uniform(5, 400)),
            chance.uniform(0, 0.5),
            5,
        )
        attempt, noise = chance.randrange(1, 12), chance.uniform(-1, 1)
        plain, real = backoff.delay(attempt), backoff.delay(attempt, noise=noise)
        low, high = plain * (1 - backoff.spread), min(plain * (1 + backoff.spread), backoff.limit)
        slack = timedelta(microseconds=2)
        bad += not (low - slack <= real <= high + slack and real <= backoff.limit)
        if backoff.spread > 0.01 and plain * 1.5 < backoff.limit:
            noises.append((real / plain - 1) / backoff.spread)
    bad += sum(asyncio.run(_wrong_ends(n // 50, chance)))
    return n, bad + _is_uneven(noises)


async def _wrong_ends(n: int, chance: random.Random) -> list[bool]:
    """Of jobs that never work, whether they were not given up after exactly their attempts."""
    return [await _ends_wrong(chance.randrange(1, 12), chance) for _ in range(n)]


async def _ends_wrong(attempts: int, chance: random.Random) -> bool:
    queue, times = MemoryQueue(), [NOW]

    async def fail(_: Job) -> None:
        times.append(times[-1])
        raise TransientError("busy")

    policy = Policy(Backoff(attempts=attempts))
    crew = WorkerPool(queue, fail, policy=policy, clock=lambda: times[-1], chance=chance.random)
    queue.put(job("never works", NOW))
    while waiting := queue.waiting():
        times[-1] = max(times[-1], waiting[0].due)
        await crew.until_idle()
    starts, dead = len(times) - 1, [one.attempts for one in queue.dead()]
    return not (starts == attempts and dead == [attempts])


def _is_uneven(noises: list[float]) -> bool:
    """Kolmogorov and Smirnov's test against an even spread over -1 … 1, at one in a million."""
    noises.sort()
    size = len(noises)
    gap = max(abs((noise + 1) / 2 - rank / size) for rank, noise in enumerate(noises))
    return bool(gap > 2.7 / size**0.5)
