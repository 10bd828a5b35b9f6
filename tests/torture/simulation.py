"""R18: simulated clock, disk and worker. A seed decides everything; the same seed, the same run."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace

from hardwon import Job
from hardwon.core import _files
from hardwon.storage.queues.files import FileQueue, QueueLimits, folder, record_dir
from tests.samples import NOW, job
from tests.torture.simulated_disk import Disk, PowerCut

WAITING, DEAD, NOWHERE = "waiting", "dead", "nowhere"
STEPS = 40


def r18(folder: Path, n: int, chance: random.Random, mutant: str) -> tuple[int, int]:
    """`n` lives of a queue under random operations, power cuts in the middle of them, and jumps."""
    first = chance.randrange(1 << 40)
    syncs = {"no-file-fsync": "file", "no-folder-fsync": "folder"}
    return n, sum(not Life(first + number, syncs.get(mutant, "")).holds() for number in range(n))


class Life:
    """One queue, and what must be true of it: where each job may be."""

    def __init__(self, seed: int, unsynced: str) -> None:
        self.chance = random.Random(seed)
        self.disk = _broken(Disk(), unsynced)
        self.now = NOW
        self.places: dict[str, set[str]] = {}
        self.attempts: dict[str, int] = {}
        self.claimed: list[Job] = []
        _install(self.disk)
        self.queue = self._boot()

    def holds(self) -> bool:
        """Whether every promise was kept to the end."""
        for _ in range(STEPS):
            self._step()
            if not self._is_balanced():
                return False
            if self.chance.random() < 0.15 and not self._is_true_after_crash():
                return False
        return self._is_true_after_crash()

    def _step(self) -> None:
        act = self.chance.choice(
            [self._put, self._put, self._claim, self._claim, self._end, self._end, self._revive,
             self._purge, self._pass_time]
        )  # fmt: skip
        if self.chance.random() < 0.2:
            self.disk.fuse = self.chance.randrange(12)
        self.now += timedelta(microseconds=1)
        try:
            act()
        except PowerCut:
            self._crash()
        self.disk.fuse = -1

    def _put(self) -> None:
        made = job(str(self.chance.randrange(12)), self.now)
        before = self.places.setdefault(made.id, {NOWHERE})
        self.places[made.id] = before | {WAITING}
        self.attempts.pop(made.id, None)
        is_new = self.queue.put(made)
        # One that was there already may be on its way to the dead: a burial was cut short.
        self.places[made.id] = {WAITING} if is_new else {WAITING} | (before & {DEAD})

    def _claim(self) -> None:
        found = self.queue.claim(self.now)
        if found is None:
            return
        self.claimed.append(found)
        self.attempts[found.id] = found.attempts

    def _end(self) -> None:
        if not self.claimed:
            return
        one = self.claimed.pop(self.chance.randrange(len(self.claimed)))
        kind = self.chance.randrange(4)
        if kind == 0:
            self.places[one.id] = {
                NOWHERE,
                WAITING,
            }  # it may come back
            self.queue.done(one)
        elif kind == 1:
            self.queue.retry(one.postponed(self.now + timedelta(seconds=9), "429"))
        elif kind == 2:
            self.attempts.pop(one.id, None)
            self.queue.retry(one.handed_back())
        else:
            self._move(one.id, {DEAD}, lambda: self.queue.bury(one, "no"))

    def _revive(self) -> None:
        for identity in self._dead():
            self.attempts.pop(identity, None)
            self._move(identity, {WAITING}, lambda: self.queue.revive(identity, self.now))  # noqa: B023

    def _purge(self) -> None:
        for identity in self._dead():
            self._move(identity, {NOWHERE}, lambda: self.queue.purge(identity))  # noqa: B023

    def _move(self, identity: str, to: set[str], act: Callable[[], None]) -> None:
        """While it lasts the job may be at either end; once it is done, only where it went."""
        self.places[identity] = self.places[identity] | to
        act()
        self.places[identity] = to

    def _dead(self) -> list[str]:
        dead = [one.id for one in self.queue.dead() if self.places[one.id] == {DEAD}]
        return dead[:1]

    def _pass_time(self) -> None:
        jump = timedelta(days=self.chance.choice([-30, 3])) if self.chance.random() < 0.2 else None
        self.now += jump or timedelta(seconds=self.chance.randrange(20))

    def _crash(self) -> None:
        self.disk.crash(self.chance)
        self.claimed.clear()
        self.queue = self._boot()

    def _boot(self) -> FileQueue:
        return FileQueue("/q", QueueLimits(capacity=4, stale_after=timedelta(0)))

    def _is_balanced(self) -> bool:
        told = self.queue.counts()
        if not told.accepted:
            return True
        self.queue._admission.look(self.now)
        told = self.queue.counts()
        return told.accepted == told.done + told.buried + told.set_aside + told.pending

    def _is_true_after_crash(self) -> bool:
        """Every job is in exactly one of the places where it may be, its attempts remembered."""
        self._crash()
        while self.queue.claim(self.now + timedelta(days=90)):
            pass
        waiting = {one.id: one for one in self.queue.waiting()}
        dead = {one.id for one in self.queue.dead()}
        is_true = not waiting.keys() & dead
        for identity, allowed in self.places.items():
            place = WAITING if identity in waiting else DEAD if identity in dead else NOWHERE
            is_true = is_true and place in allowed
            self.places[identity] = {place}
            if identity in waiting:
                is_true = is_true and waiting[identity].attempts >= self.attempts.get(identity, 0)
        self.attempts.clear()
        self._crash()
        return is_true


def _broken(whole: Disk, unsynced: str) -> Disk:
    """A disk that forgets to sync files or folders, for the mutants."""
    if unsynced:
        sync = whole.fsync

        def fsync(handle: int) -> None:
            is_folder = hasattr(whole.handles[handle], "log")
            if is_folder != (unsynced == "folder"):
                sync(handle)

        whole.fsync = fsync  # type: ignore[method-assign]
    return whole


def _install(simulated: Disk) -> None:
    """Let the queue run on the simulated disk."""
    for module in (_files, folder, record_dir):
        vars(module)["os"] = simulated.module()
    vars(folder)["sync"] = _files.sync  # a mutant may have put its own here
    vars(folder)["fcntl"] = SimpleNamespace(
        LOCK_EX=2, LOCK_NB=4, LOCK_SH=1, LOCK_UN=8, flock=simulated.flock
    )
    vars(record_dir)["time"] = lambda: 0.0
