"""R15: the clock jumps, or the process is stopped for a while. Needs Debian's `faketime`."""

from __future__ import annotations

import asyncio
import glob
import os
import random
import select
import signal
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import NamedTuple

from hardwon import Job
from hardwon.core.errors import TransientError
from hardwon.core.settings import load
from hardwon.engine.runtime import utc_now
from hardwon.engine.worker import WorkerProcess
from hardwon.storage.queues.files import STALE, FileQueue, QueueLimits
from tests.samples import job
from tests.torture.kill import ended, fork, kill, note, noted

_FILE = "FAKETIME_TIMESTAMP_FILE"
_JOBS = 4
_DELAY = 0.15  # seconds before the second attempt, less a fifth of jitter
_PATIENCE = 20.0  # seconds; far more than any of it may take
STOPPED = "stopped"
# Far back, a week forward, an hour as in spring and in autumn, and a host that was suspended.
JUMPS = ("-400d", "+8d", "+1h", "-1h", STOPPED)


def fake_clock(folder: str) -> dict[str, str]:
    """What the environment must say for a clock that a file decides about."""
    found = glob.glob("/usr/lib/*/faketime/libfaketimeMT.so.1")
    if not found:
        raise SystemExit("needs libfaketime: apt-get install faketime")
    offset = os.path.join(folder, "offset")
    Path(offset).write_text("+0d\n")
    # A clock that is set does not change the monotonic one.
    steady = {"FAKETIME_NO_CACHE": "1", "FAKETIME_DONT_FAKE_MONOTONIC": "1"}
    return {"LD_PRELOAD": found[0], _FILE: offset, **steady}


def r15(folder: Path, n: int, chance: random.Random, mutant: str) -> tuple[int, int]:
    """`n` jumps, before a start and while a worker runs: nothing is lost, parked or hurried."""
    cases = [(jump, while_running) for while_running in (True, False) for jump in JUMPS]
    bad = 0
    for turn in range(n):
        jump, while_running = cases[turn % len(cases)]
        bad += not _holds(Scene(folder / f"t{turn}"), jump, while_running)
    return n, bad


class Scene(NamedTuple):
    """Where one jump happens, and what was noted of it."""

    base: Path

    @property
    def begun(self) -> Path:
        return self.base / "begun"

    @property
    def done(self) -> Path:
        return self.base / "done"

    def queue(self) -> FileQueue:
        return FileQueue(str(self.base), QueueLimits(longest_wait=timedelta(seconds=1)))


def _holds(scene: Scene, jump: str, while_running: bool) -> bool:
    _set("+0d")
    queue = scene.queue()
    before = [job(f"before {number}", utc_now()) for number in range(_JOBS)]
    for one in before:
        queue.put(one)
    worker = fork(lambda: _work(scene))
    _until(lambda: len(noted(scene.begun)) >= 2 * _JOBS)  # a word for the job, one for the time
    if not while_running:
        kill(worker)
    _happen(jump, worker if while_running else 0)
    if not while_running:
        worker = fork(lambda: _work(scene))
    after = job("after", utc_now())
    queue.put(after)
    is_settled = _until(lambda: _settled(scene, queue) >= {one.id for one in [*before, after]})
    os.kill(worker, signal.SIGTERM)
    code = ended(worker)
    may_be_stale = jump == "+8d" and not while_running
    return (
        code == 0
        and is_settled
        and _told(queue, may_be_stale)
        and (not while_running or _is_patient(scene))
    )


def _happen(jump: str, worker: int) -> None:
    if jump != STOPPED:
        _set(jump)
    elif worker:
        os.kill(worker, signal.SIGSTOP)
        _sleep(2 * _DELAY)
        os.kill(worker, signal.SIGCONT)


def _told(queue: FileQueue, may_be_stale: bool) -> bool:
    """Whether what was given up is among the dead with its reason, counted, and rightly so."""
    dead = queue.dead()
    is_told = all(one.last_error == STALE for one in dead) and queue.counts().stale == len(dead)
    return is_told and (may_be_stale or not dead)


def _is_patient(scene: Scene) -> bool:
    """Whether no second attempt came before its time, by a clock that cannot jump."""
    words = noted(scene.begun)
    times: dict[str, list[float]] = {}
    for identity, moment in zip(words[::2], words[1::2], strict=True):
        times.setdefault(identity, []).append(float(moment))
    pairs = [found for found in times.values() if len(found) > 1]
    return len(pairs) == _JOBS and all(b - a >= 0.79 * _DELAY for a, b, *_ in pairs)


def _settled(scene: Scene, queue: FileQueue) -> set[str]:
    return set(noted(scene.done)) | {one.id for one in queue.dead()}


def _work(scene: Scene) -> None:
    settings = load(str(scene.base))
    values = settings.queue._replace(
        base_dir=str(scene.base), workers=_JOBS + 1, initial_delay=timedelta(seconds=_DELAY)
    )

    async def process(one: Job) -> None:
        note(scene.begun, f"{one.id} {time.monotonic()}")
        if one.attempts == 1 and one.episode.task.startswith("before"):
            raise TransientError("busy")
        note(scene.done, one.id)

    settings = settings._replace(queue=values)
    worker = WorkerProcess(scene.queue(), process, settings=settings, clock=utc_now)
    asyncio.run(worker.serve())


def _set(offset: str) -> None:
    path = Path(os.environ[_FILE])
    path.with_suffix(".new").write_text(f"{offset}\n")
    path.with_suffix(".new").replace(path)


def _sleep(seconds: float) -> None:
    """Not `time.sleep`: libfaketime takes its moment for one of the clock that is faked."""
    select.select([], [], [], seconds)


def _until(what: Callable[[], bool]) -> bool:
    end = time.monotonic() + _PATIENCE
    while time.monotonic() < end:
        if what():
            return True
        _sleep(0.02)
    return False
