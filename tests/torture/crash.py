"""R2: a crash at every file call. R4: every file call fails once. Both by an LD_PRELOAD shim."""

from __future__ import annotations

import ctypes
import errno
import os
import random
import shutil
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import NamedTuple

from hardwon import Job
from hardwon.core.errors import HardwonError, NotFound
from hardwon.storage.queues.files import FileQueue
from hardwon.storage.queues.records import encode
from tests.samples import LATER, NOW, job

KILL, FAIL, SHORT = 1, 2, 3
ERRORS = (errno.EIO, errno.ENOSPC, errno.EMFILE, errno.EINTR)
JOB = job("the one")
_REFUSED, _WRONG = 3, 4


class Scene(NamedTuple):
    """One operation: what is there before, what is done, and what must hold afterwards."""

    prepare: Callable[[FileQueue], object]
    act: Callable[[FileQueue], object]
    holds: Callable[[Path, bool], bool]


def claimed(queue: FileQueue) -> Job:
    queue.put(JOB)
    found = queue.claim(NOW)
    assert found
    return found


def buried(queue: FileQueue) -> None:
    queue.bury(claimed(queue), "no")
    queue.close()


def places(base: Path) -> tuple[int, int]:
    """After recovery: how often the job waits, and how often it is dead."""
    queue = FileQueue(str(base))
    while queue.claim(LATER + timedelta(hours=2)):
        pass
    found = sum(j.id == JOB.id for j in queue.waiting()), sum(j.id == JOB.id for j in queue.dead())
    queue.close()
    return found


def replay_scene(queue: FileQueue) -> None:
    """A good record, a stale one, one whose burial was cut short, and a torn one."""
    claimed_job = claimed(queue)
    queue.bury(claimed_job, "no")
    queue.close()
    wal = Path(queue._waiting.folder.path)
    (wal / f"{JOB.id}.wal").write_bytes(encode(claimed_job))
    (wal / "torn.wal").write_bytes(encode(JOB)[:-9])
    queue.put(job("good"))
    queue.put(job("stale", NOW - timedelta(days=30)))


def replay_holds(base: Path, _: bool) -> bool:
    ok = places(base) == (0, 1)
    queue = FileQueue(str(base))
    ok = ok and {j.episode.task for j in queue.waiting()} - {"next"} == {"good"}
    ok = ok and sorted(j.episode.task for j in queue.dead()) == ["stale", "the one"]
    return ok and [p.name for p in (base / "quarantine").iterdir()] == ["torn.wal"]


SCENES = {
    "put": Scene(
        lambda q: None,
        lambda q: q.put(JOB),
        lambda base, acked: places(base) == (1, 0) or (not acked and places(base) == (0, 0)),
    ),
    "claim": Scene(
        lambda q: q.put(JOB), lambda q: q.claim(NOW), lambda base, acked: places(base) == (1, 0)
    ),
    "retry": Scene(
        lambda q: q.put(JOB),
        lambda q: q.retry(q_claimed(q).postponed(LATER, "429")),
        lambda base, acked: places(base) == (1, 0),
    ),
    "done": Scene(
        lambda q: q.put(JOB),
        lambda q: q.done(q_claimed(q)),
        lambda base, acked: places(base) == (0, 0) or (not acked and places(base) == (1, 0)),
    ),
    "bury": Scene(
        lambda q: q.put(JOB),
        lambda q: q.bury(q_claimed(q), "no"),
        lambda base, acked: sum(places(base)) == 1 and (not acked or places(base) == (0, 1)),
    ),
    "revive": Scene(
        buried,
        lambda q: q.revive(JOB.id, LATER),
        lambda base, acked: sum(places(base)) == 1 and (not acked or places(base) == (1, 0)),
    ),
    "purge": Scene(
        buried,
        lambda q: q.purge(JOB.id),
        lambda base, acked: places(base) == (0, 0) or (not acked and places(base) == (0, 1)),
    ),
    "replay": Scene(replay_scene, lambda q: drained(q), replay_holds),
}


def q_claimed(queue: FileQueue) -> Job:
    found = queue.claim(NOW)
    if found is None:  # its record could not be read now: it is looked at again later
        raise NotFound("job", JOB.id)
    return found


def drained(queue: FileQueue) -> None:
    while queue.claim(NOW):
        pass


def r2(folder: Path, n: int, chance: random.Random, mutant: str) -> tuple[int, int]:
    """Killed before every file call of every operation, until it was `n` times."""
    return _sweep(folder, n, [(KILL, 0)], chance)


def r4(folder: Path, n: int, chance: random.Random, mutant: str) -> tuple[int, int]:
    """Every file call of every operation fails once, with every error, or comes up short."""
    return _sweep(folder, n, [(FAIL, error) for error in ERRORS] + [(SHORT, 0)], chance)


def _sweep(
    folder: Path, n: int, faults: list[tuple[int, int]], chance: random.Random
) -> tuple[int, int]:
    tried = bad = 0
    while tried < n:
        rounds = [(scene, *fault) for scene in SCENES.values() for fault in faults]
        chance.shuffle(rounds)
        for scene, how, error in rounds:
            at = 1
            while tried < n and (outcome := _run(folder, scene, at, how, error)) is not None:
                tried, bad, at = tried + 1, bad + (not outcome), at + 1
    return tried, bad


def _run(folder: Path, scene: Scene, at: int, how: int, error: int) -> bool | None:
    """Whether all is well after a fault at the `at`-th call; None when there was no such call."""
    base = folder / "queue"
    shutil.rmtree(base, ignore_errors=True)
    queue = FileQueue(str(base))
    scene.prepare(queue)
    queue.close()
    del queue
    child = os.fork()
    if child == 0:
        os._exit(_act(base, scene, at, how, error))
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if code == 100:
        return None
    try:
        return code != _WRONG and scene.holds(base, code == 0)
    except Exception:  # noqa: BLE001 - whatever it is, recovery failed
        return False


def _act(base: Path, scene: Scene, at: int, how: int, error: int) -> int:
    """In the child: 0 done, 3 refused with a proper error, 4 wrong, 100 the fault never came."""
    faults = ctypes.CDLL(None)
    queue = FileQueue(str(base))
    try:
        faults.fault_arm(at, how, error)
        scene.act(queue)
        code = 0
    except HardwonError:
        code = _REFUSED
    except BaseException:  # noqa: BLE001 - anything else is a finding
        code = _WRONG
    if faults.fault_disarm() < at:
        return 100
    return code if how == KILL or _is_usable(queue) else _WRONG


def _is_usable(queue: FileQueue) -> bool:
    """The same process puts and claims the next job as if nothing had been."""
    try:
        return queue.put(job("next")) and any(
            j.episode.task == "next" for j in iter(lambda: queue.claim(LATER), None)
        )
    except HardwonError:
        return False
