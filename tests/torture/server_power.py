"""R25: power cuts on the disk of a PostgreSQL; what it acknowledged is there. Needs root."""

from __future__ import annotations

import fcntl
import os
import random
import struct
import tempfile
import time
from pathlib import Path

from hardwon import Scope
from hardwon.storage.postgres.database import Database
from hardwon.storage.queues.postgres import PostgresQueue
from hardwon.storage.stores.postgres import PostgresStore
from tests.postgres_server import Place, PostgresServer
from tests.samples import job, lesson
from tests.torture.kill import fork, kill
from tests.torture.power import SHUTDOWN, WITHOUT_FLUSH, mounted, run

_SCOPE = Scope("acme", "coder", "api")
_SIZE = 384 << 20  # bytes of the disk
_WRITERS = range(3)
_FRESH = 20  # lessons that wait for the dictionary: a settler is at work at most cuts
_LIFE = 0.3, 1.2  # seconds until the power goes
_SAFE = ("-c", "fsync=on", "-c", "synchronous_commit=on", "-c", "max_wal_size=64MB")
_UNSAFE = ("-c", "fsync=off", "-c", "full_page_writes=off")
_ACK = struct.Struct("dq16s")  # when, the number of a lesson, the id of a job


def r25(folder: Path, n: int, chance: random.Random, mutant: str) -> tuple[int, int]:
    """The power goes `n` times: how much was acknowledged, and how much of it is not there."""
    folder.chmod(0o711)  # the server is run by another user
    image = folder / "disk.img"
    with image.open("wb") as file:
        file.truncate(_SIZE)
    run("mkfs.ext4", "-q", "-F", image)
    with mounted(image, "-o", "loop") as disk:
        server = PostgresServer(*(_UNSAFE if mutant == "server-unsynced" else _SAFE), disk=disk)
        place = server.database()
        server.stop()
        run("sync", "--file-system", disk)
    try:
        return _cuts(image, server, place, [chance.uniform(*_LIFE) for _ in range(n)])
    finally:
        server.remove()


def _cuts(image: Path, server: PostgresServer, place: Place, lives: list[float]) -> tuple[int, int]:
    """Each life ends with a cut; then the server recovers by itself, and all is looked for."""
    lessons: set[int] = set()
    jobs: set[str] = set()
    bad = 0
    for turn, seconds in enumerate(lives):
        with mounted(image, "-o", "loop") as disk:
            for number, identity in _cut(server, place, disk, turn, seconds):
                lessons.add(number)
                jobs.add(identity)
        with mounted(image, "-o", "loop"):
            try:
                server.start()
            except RuntimeError:  # it does not come up again
                return len(lessons) + len(jobs), bad + 1
            bad += _missing(server, place, lessons, jobs)
            server.stop()
    return len(lessons) + len(jobs), bad + (not lessons)


def _cut(
    server: PostgresServer, place: Place, disk: Path, turn: int, seconds: float
) -> list[tuple[int, str]]:
    """The lessons and jobs that were acknowledged before the power went."""
    handle = os.open(disk, os.O_RDONLY)
    reading, writing = os.pipe()
    server.start()
    crew = [fork(lambda who=who: _write(place.url, f"{turn} {who}", writing)) for who in _WRITERS]  # type: ignore[misc]
    os.close(writing)
    os.read(reading, _ACK.size)  # they are at work
    time.sleep(seconds)
    cut_at = time.monotonic()
    fcntl.ioctl(handle, SHUTDOWN, WITHOUT_FLUSH)
    server.kill()
    for child in crew:
        kill(child)
    os.close(handle)
    with os.fdopen(reading, "rb") as acks:
        whole = acks.read()
    whole = whole[: len(whole) // _ACK.size * _ACK.size]
    # A sync in flight at the moment of the cut may return 0 all the same: it does not count.
    return [(one, name.decode()) for at, one, name in _ACK.iter_unpack(whole) if at < cut_at]


def _write(url: str, name: str, writing: int) -> None:
    with tempfile.TemporaryDirectory() as home:
        store, queue = PostgresStore(url, home, fresh=_FRESH), PostgresQueue(Database(url))
        for number in range(10**6):
            made = job(f"{name} {number}")
            queue.put(made)
            kept = store.lessons.add(lesson(f"common {name} {number}", _SCOPE))
            os.write(writing, _ACK.pack(time.monotonic(), kept.id, made.id.encode()))


def _missing(server: PostgresServer, place: Place, lessons: set[int], jobs: set[str]) -> int:
    """What was acknowledged and is gone, and what the store finds wrong with itself."""
    there = {number for (number,) in server.execute("SELECT id FROM hardwon.lessons", place.name)}
    waiting = {name for (name,) in server.execute("SELECT id FROM hardwon.jobs", place.name)}
    with tempfile.TemporaryDirectory() as home:
        store = PostgresStore(place.url, home)
        wrong = len(store.check())
        store.close()
    return len(lessons - there) + len(jobs - waiting) + wrong
