"""The durable queue beside its floor, a C program of the same system calls, and its peers."""

from __future__ import annotations

import asyncio
import os
import resource
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from bench.timing import median, table
from hardwon import Job
from hardwon.core.values.job import Policy
from hardwon.engine.pipeline.work import WorkerPool
from hardwon.engine.runtime import utc_now
from hardwon.storage.queues.files import FileQueue
from hardwon.storage.queues.records import encode
from tests.samples import job

HERE = Path(__file__).parent
SIZE = 2048
ROUNDS = 7
PEERS = ("huey", "persist_queue", "litequeue", "sqlite", "dramatiq", "saq")
PACKAGES = (
    "huey",
    "persist-queue",
    "litequeue",
    "dramatiq[redis]",
    "saq[redis]",
    "typing-extensions",
)
MEMORY = "/dev/shm" if os.path.isdir("/dev/shm") else None
Speed = tuple[float, float]  # puts a second, median in microseconds


class Shape(NamedTuple):
    """Who puts, and how often each."""

    kind: str  # threads of one process, or processes
    producers: int
    puts: int


ONE, THREADS, PROCESSES = (
    Shape("threads", 1, 60),
    Shape("threads", 8, 40),
    Shape("processes", 8, 40),
)
SHAPES = (ONE, THREADS, PROCESSES)
Measure = Callable[[str, Shape], Speed]


def floor(program: str) -> Measure:
    """The C program; it has threads only, and they share no lock."""
    return lambda folder, shape: _printed([program, folder, shape.producers, shape.puts, SIZE])


def puts(python: str, name: str, port: int = 0) -> Measure:
    """A queue in an environment that has it."""
    script = HERE / "peers" / "put.py"
    size = SIZE - len(encode(job(""))) if name == "hardwon" else SIZE
    return lambda folder, shape: _printed([python, script, name, folder, *shape, size, port])


def _printed(command: Sequence[object]) -> Speed:
    home = {**os.environ, "PYTHONPATH": str(HERE.parent)}
    text = subprocess.check_output([str(word) for word in command], text=True, env=home)
    rate, middle = map(float, text.split()[-2:])
    return rate, middle


def side_by_side(measures: dict[str, Measure], root: str | None) -> dict[str, dict[Shape, Speed]]:
    """The median of every measure; they take turns, so that noise hits all alike.

    What they wrote is removed at the very end: ext4 gives no new file the place of one that was
    removed within the last minutes, and looks at all of those for every file it makes.
    """
    found: dict[tuple[str, Shape], list[Speed]] = {}
    turns = [(name, shape) for _ in range(ROUNDS) for name in measures for shape in SHAPES]
    with tempfile.TemporaryDirectory(dir=root) as base:
        for number, (name, shape) in enumerate(turns):
            folder = os.path.join(base, str(number))
            os.mkdir(folder)
            found.setdefault((name, shape), []).append(measures[name](folder, shape))
    return {
        name: {
            shape: (
                median([rate for rate, _ in found[name, shape]]),
                median([middle for _, middle in found[name, shape]]),
            )
            for shape in SHAPES
        }
        for name in measures
    }


@contextmanager
def environment() -> Iterator[str]:
    """A Python that has the peers, thrown away afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        python = os.path.join(folder, "bin", "python")
        install = [python, "-m", "pip", "install", "--quiet", *PACKAGES]
        subprocess.run(install, check=True, stderr=subprocess.DEVNULL)
        yield python


@contextmanager
def redis(program: str) -> Iterator[int]:
    """A Redis of our own that syncs every write."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    with tempfile.TemporaryDirectory() as folder:
        command = [program, "--port", str(port), "--bind", "127.0.0.1", "--dir", folder]
        server = subprocess.Popen(
            [*command, "--appendonly", "yes", "--appendfsync", "always", "--save", ""],
            stdout=subprocess.DEVNULL,
        )
        time.sleep(1)
        try:
            yield port
        finally:
            server.terminate()
            server.wait()


def own_share(program: str) -> float:
    """Microseconds of Python in one put: ours less the floor, where a sync costs nothing."""
    both = side_by_side({"ours": puts(sys.executable, "hardwon"), "floor": floor(program)}, MEMORY)
    return both["ours"][ONE][1] - both["floor"][ONE][1]


def worked(root: str | None, count: int = 3000) -> tuple[float, float, float]:
    """Jobs without work through claim and done: a second, a second of CPU, and syncs for each."""
    with tempfile.TemporaryDirectory(dir=root) as folder:
        queue = FileQueue(folder)
        for number in range(count):
            queue.put(job(str(number), utc_now()))

        async def nothing(one: Job) -> None:
            """No work."""

        syncs, sync = 0, os.fsync

        def counted(fd: Any) -> None:
            nonlocal syncs
            syncs += 1
            sync(fd)

        workers = WorkerPool(queue, nothing, policy=Policy(), clock=utc_now, chance=lambda: 0.5)
        os.fsync = counted
        began, spent = time.perf_counter(), time.process_time()
        try:
            asyncio.run(workers.until_idle())
        finally:
            os.fsync = sync
        seconds, cpu = time.perf_counter() - began, time.process_time() - spent
        return count / seconds, count / cpu, syncs / count


def replayed(count: int = 100_000) -> tuple[float, float, float]:
    """Seconds to the first job of a backlog, records read a second, and megabytes in use."""
    padding = "x" * 1000
    with tempfile.TemporaryDirectory(dir=MEMORY) as folder:
        wal = Path(folder, "wal")
        FileQueue(folder)
        for number in range(count):
            made = job(f"{number} {padding}", utc_now())
            (wal / f"{made.id}.wal").write_bytes(encode(made))
        queue = FileQueue(folder)
        began = time.perf_counter()
        assert queue.claim(utc_now())
        ready = time.perf_counter() - began
        began = time.perf_counter()
        assert sum(1 for one in queue._waiting.ids() if queue._waiting.get(one)) == count
        rate = count / (time.perf_counter() - began)
        return ready, rate, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def compiled(folder: str) -> str:
    """The floor program."""
    program = os.path.join(folder, "floor")
    source = HERE / "queue_floor.c"
    subprocess.run(["gcc", "-O2", "-pthread", "-o", program, str(source)], check=True)
    return program


def main() -> None:
    """Print the tables."""
    with tempfile.TemporaryDirectory() as folder:
        program = compiled(folder)
        ready, rate, megabytes = replayed()
        share, in_memory, on_disk = own_share(program), worked(MEMORY), worked(None, 600)
        with _peers() as peers:
            ours = puts(sys.executable, "hardwon")
            found = side_by_side({"C floor": floor(program), "hardwon": ours, **peers}, None)
    _print_puts(found)
    base, mine = found["C floor"], found["hardwon"]
    rows = [
        ("one producer, p50 ÷ C floor", f"{mine[ONE][1] / base[ONE][1]:.2f}", "≤ 1.10"),
        ("8 threads ÷ 8 C threads", f"{mine[THREADS][0] / base[THREADS][0]:.2f}", "≥ 0.85"),
        ("8 threads ÷ one", f"{mine[THREADS][0] / mine[ONE][0]:.1f}", "≥ 4"),
        ("8 processes ÷ 8 C threads", f"{mine[PROCESSES][0] / base[PROCESSES][0]:.2f}", "–"),
        ("Python's own share of a put", f"{share:.0f} µs", "≤ 60 µs"),
        ("claim and done of jobs without work, in memory", _rates(in_memory), "≥ 2,000 /s"),
        ("the same on this disk", _rates(on_disk), "≥ 3,000 /s"),
        ("100,000 waiting records: first job after", f"{ready:.2f} s", "≤ 5 s"),
        ("records read and checked", f"{rate:,.0f} /s", "≥ 25,000 /s"),
        ("memory in use with 100,000 waiting", f"{megabytes:.0f} MB", "≤ 200 MB"),
    ]
    table("What was aimed at", [("what", "measured", "aim"), *rows])


def _rates(measured: tuple[float, float, float]) -> str:
    rate, of_cpu, syncs = measured
    return f"{rate:,.0f} /s, {of_cpu:,.0f} /s of CPU, {syncs:.2f} syncs each"


@contextmanager
def _peers() -> Iterator[dict[str, Measure]]:
    """The other queues; without Redis only those that need none."""
    program = shutil.which("redis-server")
    names = PEERS if program else PEERS[:4]
    with environment() as python:
        if not program:
            print("Without Redis: apt-get install redis-server")
            yield {name: puts(python, name) for name in names}
            return
        with redis(program) as port:
            yield {name: puts(python, name, port) for name in names}


def _print_puts(found: dict[str, dict[Shape, Speed]]) -> None:
    base = found["C floor"]
    head = ("queue", "1 producer p50", "÷ floor", "8 threads", "÷ floor", "8 processes", "÷ floor")
    rows = [
        (
            name,
            f"{speeds[ONE][1] / 1000:.2f} ms",
            f"{speeds[ONE][1] / base[ONE][1]:.2f}",
            *_rate(speeds, base, THREADS),
            *_rate(speeds, base, PROCESSES),
        )
        for name, speeds in found.items()
    ]
    table(f"Durable puts of {SIZE} bytes, medians of {ROUNDS} interleaved rounds", [head, *rows])


def _rate(speeds: dict[Shape, Speed], base: dict[Shape, Speed], shape: Shape) -> tuple[str, str]:
    return f"{speeds[shape][0]:,.0f} /s", f"{speeds[shape][0] / base[shape][0]:.2f}"


if __name__ == "__main__":
    main()
