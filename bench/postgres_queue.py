"""The queue on PostgreSQL beside its peers, on one server in one run: puts, drains, crowds, idling.

    python -m bench postgres_queue [--own]

With `--own` only what has no peer is measured: forwarding, a crowd, idling. The server syncs every
commit. Each producer and each worker is a process of its own.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from bench.timing import median, table
from hardwon.engine.runtime import utc_now
from hardwon.engine.worker import OutboxQueue
from hardwon.storage.postgres.database import Database
from hardwon.storage.queues.files import FileQueue
from hardwon.storage.queues.postgres import PostgresQueue
from hardwon.storage.queues.records import encode
from tests.postgres_server import Place, PostgresServer, running
from tests.samples import job

SCRIPT = Path(__file__).parent / "peers" / "postgres.py"
PACKAGES = ("pgqueuer", "asyncpg", "procrastinate", "psycopg[binary,pool]")
PEERS = ("pgqueuer", "procrastinate")
ROUNDS, PROCESSES, PUTS, SIZE = 3, 8, 150, 2048
CROWD, IDLERS = 200, 50
_PATIENCE = 3.0  # seconds, as a worker has
AWAY: dict[str, tuple[Callable[[PostgresServer], None], Callable[[PostgresServer], None]]] = {
    "a stop": (PostgresServer.stop, PostgresServer.start),
    "a kill": (PostgresServer.kill, PostgresServer.start),
    "a freeze": (PostgresServer.freeze, PostgresServer.thaw),
}
DURABLE = ("-c", "fsync=on", "-c", "synchronous_commit=on", "-c", "max_connections=400")


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--own", action="store_true")
    with (
        tempfile.TemporaryDirectory() as folder,  # on a disk: in memory a sync costs nothing
        running(*DURABLE, disk=Path(folder)) as server,
    ):
        if not parser.parse_known_args()[0].own:
            _print_peers(server)
        _print_own(server)


def _print_peers(server: PostgresServer) -> None:
    with environment() as python:
        pythons = {"hardwon": sys.executable, **dict.fromkeys(PEERS, python)}
        found: dict[str, list[tuple[float, float]]] = {}
        for _ in range(ROUNDS):
            for name in pythons:
                found.setdefault(name, []).append(measured(server, pythons[name], name))
        rows = [
            (name, f"{median([put for put, _ in own]):,.0f}", f"{median([d for _, d in own]):,.0f}")
            for name, own in found.items()
        ]
        head = ("queue", "put/s, 8 producers", "worked/s, 8 workers")
        table(f"{SIZE} bytes a job, medians of {ROUNDS} interleaved rounds", [head, *rows])


def measured(server: PostgresServer, python: str, name: str) -> tuple[float, float]:
    """Puts a second and jobs worked a second, with eight processes each."""
    place = server.empty()
    _once(python, name, "prepare", place.owner)
    size = SIZE - len(encode(job(""))) if name == "hardwon" else SIZE
    put, put_time = _together(python, name, "put", place.owner, size)
    done, drain_time = _together(python, name, "drain", place.owner, size)
    assert put == done == PROCESSES * PUTS, (name, put, done)
    return put / put_time, done / drain_time


def _once(python: str, name: str, verb: str, url: str) -> None:
    command = [python, str(SCRIPT), name, verb, url, "0", "0"]
    subprocess.run(command, check=True, env=_environ(), capture_output=True)


def _together(python: str, name: str, verb: str, url: str, size: int) -> tuple[int, float]:
    """How many jobs all processes put or worked, and how long that took from a common start."""
    began = time.perf_counter()
    starts: list[float] = []
    said = _printed(python, name, verb, url, PUTS, size, started=starts.append)
    counts = [int(lines[-1]) for lines in said]
    return sum(counts), time.perf_counter() - (starts[0] if starts else began)


def _printed(
    python: str,
    name: str,
    verb: str,
    url: str,
    count: int,
    size: int = 0,
    *,
    started: Callable[[float], None] = lambda moment: None,
) -> list[list[str]]:
    """What eight processes printed that began together."""
    pipe = subprocess.PIPE
    command = [python, str(SCRIPT), name, verb, url, str(count), str(size)]
    crew = [
        subprocess.Popen(
            command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True, env=_environ()
        )
        for _ in range(PROCESSES)
    ]
    for one in crew:
        assert one.stdout
        assert one.stdout.readline() == "ready\n"
    started(time.perf_counter())
    for one in crew:
        assert one.stdin
        one.stdin.write("go\n")
        one.stdin.flush()
    return [one.communicate()[0].splitlines() for one in crew]


def _environ() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(SCRIPT.parents[2])}


@contextmanager
def environment() -> Iterator[str]:
    """A Python that has the peers, thrown away afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        python = os.path.join(folder, "bin", "python")
        install = [python, "-m", "pip", "install", "--quiet", *PACKAGES]
        subprocess.run(install, check=True, stderr=subprocess.DEVNULL)
        yield python


def _print_own(server: PostgresServer) -> None:
    crowd, distinct = crowded(server)
    rows = [
        ("forwarding from a local outbox", f"{forwarded(server):,.0f} /s", "≥ 5,000 /s"),
        (f"{CROWD} workers, claim p99", f"{crowd * 1000:.0f} ms", "< 250 ms"),
        (f"{CROWD} workers, jobs worked twice", str(distinct), "0"),
        (f"{IDLERS} idle workers, CPU of the server", f"{idling(server):.2f} %", "< 1 %"),
    ]
    for how in AWAY:
        rows.append((f"sent after {how}", f"{returned(server, how):.1f} s", "< 5 s"))
    table("What was aimed at", [("what", "measured", "aim"), *rows])


def forwarded(server: PostgresServer, count: int = 5000) -> float:
    """Records a second from files to the server."""
    place = server.database()
    with tempfile.TemporaryDirectory() as folder:
        local = FileQueue(folder)
        for number in range(count):
            made = job(f"{number} {'x' * 1000}", utc_now())
            Path(folder, "wal", f"{made.id}.wal").write_bytes(encode(made))
        queue = OutboxQueue(local, lambda: PostgresQueue(Database(place.url)), is_resident=False)
        began = time.perf_counter()
        assert queue.forward() == count
        rate = count / (time.perf_counter() - began)
        queue.close()
    return rate


def returned(server: PostgresServer, how: str) -> float:
    """Seconds from the moment at which the server answers again until what waited is there."""
    leave, come = AWAY[how]
    place = server.database()
    with tempfile.TemporaryDirectory() as folder:
        database = Database(place.url, patience=_PATIENCE)
        queue = OutboxQueue(FileQueue(folder), lambda: PostgresQueue(database), is_resident=True)
        queue.put(job("before", utc_now()))
        _wait_for(place, 1)
        leave(server)
        queue.put(job("while it is away", utc_now()))
        time.sleep(2 * _PATIENCE)  # the sender has tried, and rests
        come(server)
        began = time.perf_counter()
        _wait_for(place, 2)
        seconds = time.perf_counter() - began
        queue.close()
    return seconds


def _wait_for(place: Place, count: int) -> None:
    with closing(PostgresQueue(Database(place.url))) as direct:
        while direct.counts().pending < count:
            time.sleep(0.02)


def crowded(server: PostgresServer, each: int = 10) -> tuple[float, int]:
    """The 99th percentile of a claim, when many workers claim at once, and jobs worked twice."""
    place = server.database()
    producer = PostgresQueue(Database(place.url))
    producer.forward([job(f"{number}", utc_now()) for number in range(CROWD * each)])
    said = _printed(sys.executable, "hardwon", "crowd", place.url, CROWD // PROCESSES)
    times = [float(word) for lines in said for word in lines[-1].split()]
    worked = [line for lines in said for line in lines[:-1]]
    assert len(worked) == len(times) == CROWD * each
    producer.close()
    return sorted(times)[int(len(times) * 0.99)], len(worked) - len(set(worked))


def idling(server: PostgresServer, seconds: float = 20.0) -> float:
    """Per cent of a core that the server needs for workers without work."""
    place = server.database()
    queues = [PostgresQueue(Database(place.url, pool=1)) for _ in range(IDLERS)]
    end = time.monotonic() + seconds + 5

    def idle(queue: PostgresQueue) -> None:
        queue.wakeups()
        while time.monotonic() < end:
            queue.claim(utc_now())
            time.sleep(queue.pause().total_seconds())
        queue.close()

    threads = [threading.Thread(target=idle, args=(queue,)) for queue in queues]
    for thread in threads:
        thread.start()
    time.sleep(4)  # all have connected
    before = _busy(server)
    time.sleep(seconds)
    used = sum(now - before.get(pid, 0.0) for pid, now in _busy(server).items())
    for thread in threads:
        thread.join()
    return 100 * used / seconds


def _busy(server: PostgresServer) -> dict[int, float]:
    """Seconds that each process of the server has run, as the scheduler counts them."""
    found = {}
    for pid in server.pids():
        with suppress(OSError):  # it has just ended
            ran = Path(f"/proc/{pid}/schedstat").read_text().split()[0]
            found[pid] = int(ran) / 1e9
    return found
