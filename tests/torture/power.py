"""R3: power cuts on a real ext4. R7: a disk without room or without inodes. Both need root."""

from __future__ import annotations

import contextlib
import fcntl
import os
import random
import struct
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from hardwon.backends.files import FileQueue
from hardwon.errors import StorageFull
from tests.samples import job
from tests.torture.kill import fork, kill

_SHUTDOWN = 0x8004587D  # EXT4_IOC_SHUTDOWN
_WITHOUT_FLUSH = struct.pack("I", 2)
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
    """The power goes `n` times while four threads put jobs: what was acknowledged is there."""
    image = folder / "disk.img"
    with image.open("wb") as file:
        file.truncate(64 << 20)
    run("mkfs.ext4", "-q", "-F", image)
    acked = lost = 0
    for turn in range(n):
        safe = _cut(image, turn, chance)
        with mounted(image, "-o", "loop") as disk:
            queue = FileQueue(str(disk / "queue"))
            waiting = {one.id for one in queue.waiting()}
            for identity in waiting:
                queue._waiting.remove(identity)
            for path in (disk / "queue" / "quarantine").iterdir():
                path.unlink()
            del queue
        acked, lost = acked + len(safe), lost + len(safe - waiting)
    return acked, lost


def _cut(image: Path, turn: int, chance: random.Random) -> set[str]:
    """The ids that were acknowledged before the power went."""
    reading, writing = os.pipe()
    with mounted(image, "-o", "loop") as disk:
        folder = os.open(disk, os.O_RDONLY)
        FileQueue(str(disk / "queue"))
        run("sync", "--file-system", disk)
        child = fork(lambda: _produce(disk / "queue", turn, writing))
        os.close(writing)
        time.sleep(chance.uniform(0.05, 0.15))
        cut_at = time.monotonic()
        fcntl.ioctl(folder, _SHUTDOWN, _WITHOUT_FLUSH)
        kill(child)
        os.close(folder)
    with os.fdopen(reading, "rb") as acks:
        whole = acks.read()
    whole = whole[: len(whole) // _ACK.size * _ACK.size]
    # An fsync in flight at the moment of the cut may return 0 all the same: it does not count.
    return {identity.decode() for at, identity in _ACK.iter_unpack(whole) if at < cut_at}


def _produce(base: Path, turn: int, writing: int) -> None:
    threading.excepthook = lambda _: None  # that the disk fails is the point
    queue = FileQueue(str(base))

    def put(thread: int) -> None:
        for number in range(10**6):
            made = job(f"{turn} {thread} {number}")
            queue.put(made)
            os.write(writing, _ACK.pack(time.monotonic(), made.id.encode()))

    for thread in range(3):
        threading.Thread(target=put, args=(thread,), daemon=True).start()
    put(3)


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
