"""R13: the store of lessons is locked, fails or dies in the middle of a commit."""

from __future__ import annotations

import asyncio
import ctypes
import errno
import random
import sqlite3
import time
from datetime import timedelta
from pathlib import Path

from hardwon import Job
from hardwon.core.values.job import Backoff
from hardwon.engine.runtime import utc_now
from hardwon.storage.queues.files import FileQueue
from hardwon.storage.stores.sqlite import SqliteStore, database
from tests.samples import job
from tests.torture.crash import FAIL, KILL
from tests.torture.kill import all_learnt, crew, ended, fork, learnt_from, note, noted

_JOBS = 4  # put in every episode, while the store is in trouble
_ERRORS = (errno.EIO, errno.ENOSPC)
_QUICK = Backoff(timedelta(milliseconds=20), timedelta(milliseconds=50), attempts=1000)
_HEALED = 10.0  # seconds until all is learnt after the trouble, on a machine of many masters
LOCKED, FAILING, KILLED = "locked", "failing", "killed"


def r13(folder: Path, n: int, chance: random.Random, mutant: str) -> tuple[int, int]:
    """`n` episodes of trouble: every job is learnt in the end, once, and puts never notice."""
    database.PATIENCE = 0.05
    SqliteStore(str(folder)).close()
    bad = sum(not _survives(folder, turn, chance, mutant) for turn in range(n))
    store, queue = SqliteStore(str(folder)), FileQueue(str(folder / "queue"))
    ended(fork(lambda: _work(folder, "", chance, mutant, n)))
    learnt = all_learnt(store)
    acked = noted(folder / "acks")
    doubled = len(learnt) - len(set(learnt))
    left = len(queue.waiting()) + len(queue.dead())
    with sqlite3.connect(folder / "hardwon.db") as whole:
        is_broken = whole.execute("PRAGMA integrity_check").fetchone() != ("ok",)
    whole.close()
    return n, bad + len(set(acked) - set(learnt)) + doubled + left + is_broken


def _survives(folder: Path, turn: int, chance: random.Random, mutant: str) -> bool:
    kind = (LOCKED, FAILING, KILLED)[turn % 3]
    seed = random.Random(chance.random())
    holder = fork(lambda: _hold(folder, seed.uniform(0.1, 0.3))) if kind == LOCKED else 0
    queue = FileQueue(str(folder / "queue"))
    worker = fork(lambda: _work(folder, kind, seed, mutant, turn + 1))
    for number in range(_JOBS):
        made = job(f"{turn} {number}", utc_now())
        queue.put(made)
        note(folder / "acks", made.id)
    if holder:
        ended(holder)
    code = ended(worker)
    return code == 0 or (kind == KILLED and code == -9)


def _hold(folder: Path, seconds: float) -> None:
    """Be the other process that has the store for itself."""
    other = sqlite3.connect(folder / "hardwon.db", timeout=10, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    time.sleep(seconds)
    other.execute("ROLLBACK")


def _work(folder: Path, kind: str, seed: random.Random, mutant: str, episodes: int) -> None:
    """Learn until the puts of so many episodes came and nothing waits."""
    faults, store = ctypes.CDLL(None), SqliteStore(str(folder))
    queue = FileQueue(str(folder / "queue"))
    faulty = [seed.randint(1, 40) for _ in range(3)] if kind in {FAILING, KILLED} else []

    async def learn(one: Job) -> None:
        if mutant == "done-first":
            queue.done(one)
        if faulty:
            how = FAIL if kind == FAILING else KILL
            faults.fault_arm(faulty.pop(), how, seed.choice(_ERRORS))
        try:
            store.lessons.add(learnt_from(one))
        finally:
            faults.fault_disarm()

    workers = crew(queue, learn, backoff=_QUICK)
    end = time.monotonic() + _HEALED
    while time.monotonic() < end:
        asyncio.run(workers.until_idle())
        if len(noted(folder / "acks")) >= episodes * _JOBS and not queue.counts().pending:
            return
        time.sleep(0.01)
    raise TimeoutError
