"""R5: an fsync that fails. Not acknowledged, written anew, counted, told by /readyz."""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import errno
import os
import random
import shutil
import urllib.error
import urllib.request
from pathlib import Path

from hardwon import Job
from hardwon.core.errors import NotFound, StorageError
from hardwon.core.settings import load
from hardwon.engine.runtime import utc_now
from hardwon.engine.worker import WorkerProcess
from hardwon.storage.queues.files import FileQueue
from hardwon.storage.queues.records import encode
from hardwon.surfaces.cli.work import serve_metrics
from tests.samples import job
from tests.torture.crash import JOB, SCENES, Scene, places
from tests.torture.kill import ended, fork

FILES, FOLDERS, BOTH = 1, 2, 3
ERRORS = (errno.EIO, errno.ENOSPC, errno.EDQUOT)
_WATCHED = 500  # so many faults for one look at a worker as a whole
_NO_SUCH_CALL = 100


def _left_by_the_dead(queue: FileQueue) -> None:
    """A record that its producer was killed over before it was synced."""
    Path(queue._waiting.folder.path, f"{JOB.id}.wal").write_bytes(encode(JOB))


MOVES = {name: SCENES[name] for name in ("put", "claim", "retry", "bury", "revive", "purge")}
MOVES["put again"] = Scene(
    _left_by_the_dead, lambda q: q.put(JOB), lambda base, acked: places(base) == (1, 0)
)


def r5(folder: Path, n: int, chance: random.Random, mutant: str) -> tuple[int, int]:
    """Every fsync of every move fails once, with every error, until it was `n` times."""
    tried = bad = 0
    while tried < n:
        rounds = [(scene, error) for scene in MOVES.values() for error in ERRORS]
        chance.shuffle(rounds)
        for scene, error in rounds:
            at = 1
            while tried < n and (outcome := _run(folder, scene, at, error)) is not None:
                tried, bad, at = tried + 1, bad + (not outcome), at + 1
    for number in range(1 + n // _WATCHED):
        bad += ended(fork(lambda: asyncio.run(_watch(folder / f"w{number}")))) != 0  # noqa: B023
    return tried, bad


def _run(folder: Path, scene: Scene, at: int, error: int) -> bool | None:
    """Whether all is well after the `at`-th sync failed; None when there was no such sync."""
    base = folder / "queue"
    shutil.rmtree(base, ignore_errors=True)
    queue = FileQueue(str(base))
    scene.prepare(queue)
    queue.close()
    del queue
    child = os.fork()
    if child == 0:
        code = 1
        try:
            code = _act(base, scene, at, error)
        finally:
            os._exit(code)
    code = ended(child)
    return None if code == _NO_SUCH_CALL else code == 0 and scene.holds(base, True)


def _act(base: Path, scene: Scene, at: int, error: int) -> int:
    """In the child: 0 when it was refused and counted, and then done without a second sync."""
    faults = ctypes.CDLL(None)
    queue = FileQueue(str(base))
    faults.fault_sync(at, 0, error, BOTH)
    is_refused = False
    try:
        scene.act(queue)
    except StorageError:
        is_refused = True
    if not faults.fault_failed():
        return _NO_SUCH_CALL
    is_counted = queue.counts().storage_errors == 1
    with contextlib.suppress(NotFound):  # the first time it got as far as to be taken away
        scene.act(queue)
    return 0 if is_refused and is_counted and not faults.fault_again() else 1


async def _watch(base: Path) -> None:
    """A worker whose disk fails and heals: /readyz tells so, and its job is done in the end."""
    faults, done = ctypes.CDLL(None), asyncio.Event()

    async def process(_: Job) -> None:
        done.set()

    values = load(str(base.parent))
    values = values._replace(queue=values.queue._replace(base_dir=str(base)))
    queue = FileQueue(str(base))
    queue.put(job("watched", utc_now()))
    worker = WorkerProcess(queue, process, settings=values, clock=utc_now)
    faults.fault_sync(1, 1, errno.EIO, FILES)
    with serve_metrics(worker, 0) as port:
        serving = asyncio.ensure_future(worker.serve())
        await _until(port, 503)
        faults.fault_disarm()
        await asyncio.wait_for(done.wait(), 30)
        await _until(port, 200)
        assert queue.counts().storage_errors >= 1
        serving.cancel()


async def _until(port: int, wanted: int) -> None:
    for _ in range(1500):
        if await asyncio.to_thread(_status, port) == wanted:
            return
        await asyncio.sleep(0.02)
    raise TimeoutError(wanted)


def _status(port: int) -> int:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=10) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        error.close()
        return error.code
