"""R3, R6: power cuts on a real ext4. R7: a disk without room or inodes. All need root."""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import errno
import fcntl
import os
import random
import shutil
import struct
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from hardwon import Job
from hardwon.core.errors import StorageError, StorageFull
from hardwon.storage.queues.files import FileQueue
from hardwon.storage.stores.sqlite import SqliteStore
from tests.samples import CODER, job
from tests.torture.kill import all_learnt, crew, fork, kill, learnt_from

SHUTDOWN = 0x8004587D  # EXT4_IOCSHUTDOWN
WITHOUT_FLUSH = struct.pack("I", 2)
_FOLDERS = 2
_STORE_LIVES = 20  # so many cuts
_ACK = struct.Struct("d16s")


def run(*command: object) -> None:
    places = f"{os.environ.get('PATH', os.defpath)}:/usr/sbin:/sbin"  # mkfs lives there
    environ = {**os.environ, "PATH": places}
    subprocess.run([str(word) for word in command], check=True, capture_output=True, env=environ)


@contextlib.contextmanager
def mounted(disk: Path, *options: str) -> Iterator[Path]:
    place = disk.with_suffix(".mount")
    place.mkdir(exist_ok=True)
    run("mount", *options, disk, place)
    try:
        yield place
    finally:
        _unmount(place)


def _unmount(place: Path) -> None:
    for _ in range(100):
        if subprocess.run(["umount", str(place)], capture_output=True).returncode == 0:
            return
        time.sleep(0.05)
    run("umount", "--lazy", place)


def r3(folder: Path, n: int, chance: random.Random, mutant: str) -> tuple[int, int]:
    """The power goes `n` times while jobs are put and worked: each waits or was learnt, once."""
    return _cuts(folder, n, chance, lambda: None)


def r6(folder: Path, n: int, chance: random.Random, mutant: str) -> tuple[int, int]:
    """The same on a disk whose folder syncs fail, some or all of them, before the power goes."""
    faults = ctypes.CDLL(None)
    return _cuts(
        *(folder, n, chance),
        lambda: faults.fault_sync(chance.randint(1, 20), chance.randint(1, 3), errno.EIO, _FOLDERS),
    )


def _cuts(
    folder: Path, n: int, chance: random.Random, harm: Callable[[], object]
) -> tuple[int, int]:
    """What was acknowledged before `n` power cuts, and how much of it was lost."""
    image = folder / "disk.img"
    with image.open("wb") as file:
        file.truncate(64 << 20)
    run("mkfs.ext4", "-q", "-F", image)
    acked = lost = 0
    for turn in range(n):
        safe = _cut(image, turn, chance, harm)
        with mounted(image, "-o", "loop") as disk:
            found = _found(disk)
            if turn % _STORE_LIVES == 0:
                shutil.rmtree(disk / "store")
        doubled = len(found) - len(set(found))
        acked, lost = acked + len(safe), lost + len(safe - set(found)) + doubled
    return acked, lost


def _found(disk: Path) -> list[str]:
    """The jobs that wait or were learnt; the queue is empty afterwards."""
    queue = FileQueue(str(disk / "queue"))
    waiting = {one.id for one in (*queue.waiting(), *queue.dead())}
    for identity in waiting:
        queue._waiting.remove(identity)
        queue._dead.remove(identity)
    for path in (disk / "queue" / "quarantine").iterdir():
        path.unlink()
    store = SqliteStore(str(disk / "store"))
    learnt = all_learnt(store)
    store.close()
    return [*(waiting - set(learnt)), *learnt]


def _cut(image: Path, turn: int, chance: random.Random, harm: Callable[[], object]) -> set[str]:
    """The ids that were acknowledged before the power went."""
    reading, writing = os.pipe()
    with mounted(image, "-o", "loop") as disk:
        folder = os.open(disk, os.O_RDONLY)
        FileQueue(str(disk / "queue"))
        (disk / "store").mkdir(exist_ok=True)
        store = SqliteStore(str(disk / "store"))
        store.lessons.recent(CODER, status="active", limit=1)
        store.close()
        run("sync", "--file-system", disk)
        child = fork(lambda: _produce(disk / "queue", turn, writing, harm))
        os.close(writing)
        time.sleep(chance.uniform(0.05, 0.15))
        cut_at = time.monotonic()
        fcntl.ioctl(folder, SHUTDOWN, WITHOUT_FLUSH)
        kill(child)
        os.close(folder)
    with os.fdopen(reading, "rb") as acks:
        whole = acks.read()
    whole = whole[: len(whole) // _ACK.size * _ACK.size]
    # An fsync in flight at the moment of the cut may return 0 all the same: it does not count.
    return {identity.decode() for at, identity in _ACK.iter_unpack(whole) if at < cut_at}


def _produce(base: Path, turn: int, writing: int, harm: Callable[[], object]) -> None:
    queue = FileQueue(str(base))
    harm()

    def put(thread: int) -> None:
        for number in range(10**6):
            made = job(f"{turn} {thread} {number}")
            if _persists(queue, made):
                os.write(writing, _ACK.pack(time.monotonic(), made.id.encode()))

    for thread in range(4):
        threading.Thread(target=put, args=(thread,), daemon=True).start()
    store = SqliteStore(str(base.with_name("store")))

    async def learn(one: Job) -> None:
        store.lessons.add(learnt_from(one))

    asyncio.run(crew(queue, learn).until(asyncio.Event()))


def _persists(queue: FileQueue, made: Job) -> bool:
    """Whether a job was taken at last; that the disk fails is the point."""
    for _ in range(3):
        with contextlib.suppress(StorageError):
            queue.put(made)
            return True
    return False


def r7(folder: Path, n: int, chance: random.Random, mutant: str) -> tuple[int, int]:
    """A disk fills up, by bytes or by inodes: a clear error, nothing lost, then it goes on."""
    bad = 0
    for turn in range(n):
        place = folder / f"full{turn}"
        place.mkdir()
        limit = "size=1m" if turn % 2 else "nr_inodes=40"
        run("mount", "-t", "tmpfs", "-o", limit, "tmpfs", place)
        try:
            bad += not _is_honest(place, chance)
        finally:
            _unmount(place)
    return n, bad


def _is_honest(place: Path, chance: random.Random) -> bool:
    queue, acked = FileQueue(str(place / "queue")), set()
    ballast = [place / f"ballast{number}" for number in range(4)]
    for path in ballast:
        path.write_bytes(b"x" * 20_000)
    for number in range(500):
        made = job(f"{number} " + "x" * chance.randrange(6000))
        try:
            queue.put(made)
        except StorageFull:
            break
        acked.add(made.id)
    else:
        return False
    is_whole = acked <= {one.id for one in queue.waiting()}
    for path in ballast:
        path.unlink()
    return is_whole and queue.put(job("after"))
