"""A million runs a day on PostgreSQL, scaled down: eight clients at once, and what each run takes.

    python -m bench postgres_load [--runs 100] [--clients 8]

Every client is a process with a home of its own, as on eight machines. A run begins, has a prompt
and 20 calls, each asked about before and recorded after it. Two calls fail: one as in earlier runs,
then the fix is called; the other fails in a new way in every tenth run. Each client has a project,
with 1,000 imported lessons and 20 earlier runs. At its end a client works its queue and sends its
notes, as a worker would. CPU is that of the clients and of all processes of the server, which keeps
its usual durability; the cores are those of a million runs a day, at a peak of five times the mean.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, suppress
from datetime import timedelta
from pathlib import Path
from typing import NamedTuple

import hardwon
from bench.corpus import Corpus
from bench.failing_step import _name
from bench.timing import at, table
from hardwon.core.values.lesson_formats import to_lines
from tests.postgres_server import PostgresServer, running

STEPS, KINDS, EARLIER, LESSONS = 20, 15, 20, 1_000
_RUNS_A_DAY, _PEAK, _DAY = 1_000_000, 5, 86_400
_TICK = os.sysconf("SC_CLK_TCK")


class Client(NamedTuple):
    """What one client has spent."""

    runs: float  # seconds of CPU in its runs
    upkeep: float  # seconds of CPU for its queue and notes
    seconds: list[float]  # of each run
    troubles: int  # how often a door gave up


def main() -> None:
    """Print what a run takes, and the cores of a million a day."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--clients", type=int, default=8)
    given, _ = parser.parse_known_args()
    with running("-c", "fsync=on") as server, _clients(given.clients) as pool:
        url = server.database().url
        list(pool.map(_fill, [url] * given.clients, range(given.clients)))
        list(pool.map(_work, *zip(*_plans(url, given.clients, EARLIER, first=0), strict=True)))
        before, began = cpu_of(server), time.perf_counter()
        plans = _plans(url, given.clients, given.runs, first=EARLIER)
        spent = list(pool.map(_work, *zip(*plans, strict=True)))
        elapsed, there = time.perf_counter() - began, cpu_of(server) - before
    runs = given.clients * given.runs
    seconds = [one for client in spent for one in client.seconds]
    rows = [("part", "ms of CPU a run", "cores of a million runs a day, peak x 5")]
    parts = {
        "clients, their runs": sum(client.runs for client in spent),
        "clients, queue and notes": sum(client.upkeep for client in spent),
        "server": there,
    }
    parts["all"] = sum(parts.values())
    for name, total in parts.items():
        cores = total / runs * _RUNS_A_DAY * _PEAK / _DAY
        rows.append((name, f"{1e3 * total / runs:.1f}", f"{cores:.1f}"))
    table(f"{given.clients} clients, {runs:,} runs of {STEPS} calls in {elapsed:.0f} s", rows)
    print(f"\nA run: {at(seconds, 0.5):.2f} s at the median, {at(seconds, 0.99):.2f} s at p99")
    print(f"Doors that gave up: {sum(client.troubles for client in spent)}")


@contextmanager
def _clients(count: int) -> Iterator[ProcessPoolExecutor]:
    with ProcessPoolExecutor(count, multiprocessing.get_context("spawn")) as pool:
        list(pool.map(time.sleep, [0.2] * count))  # so that each has its process
        yield pool


def _plans(url: str, clients: int, runs: int, *, first: int) -> list[tuple[str, int, range]]:
    return [(url, client, range(first, first + runs)) for client in range(clients)]


def _opened(url: str, home: str) -> hardwon.Hardwon:
    """The store; its doors wait as long as it takes, so that none leaves work undone."""
    settings = hardwon.Settings(home)
    patient = settings.postgres._replace(patience=timedelta(seconds=60))
    return hardwon.open(url, settings=settings._replace(postgres=patient))


def _fill(url: str, client: int) -> None:
    """Give the project of a client its lessons."""
    with tempfile.TemporaryDirectory() as home, _opened(url, home) as hw:
        pack = Path(home, "pack.jsonl")
        pack.write_text(to_lines(list(Corpus(LESSONS).lessons(LESSONS))), encoding="utf-8")
        hw.agent("coder", project=f"project {client}").lessons.import_from(str(pack), trust=True)


def _work(url: str, client: int, numbers: range) -> Client:
    """Make these runs, then work the queue."""
    seconds: list[float] = []
    troubles: list[BaseException] = []
    with tempfile.TemporaryDirectory() as home:
        with _opened(url, home) as hw:
            hw.on_trouble(troubles.append)
            started = time.process_time()
            for number in numbers:
                began = time.perf_counter()
                _run(hw, client, number)
                seconds.append(time.perf_counter() - began)
            spent = time.process_time() - started
            started = time.process_time()
            hw.drain()
        return Client(spent, time.process_time() - started, seconds, len(troubles))


def _run(hw: hardwon.Hardwon, client: int, number: int) -> None:
    agent = hw.agent("coder", project=f"project {client}")
    task = f"make report {number} of the month"
    agent.start()
    agent.before_turn(task)
    for step in range(STEPS):
        name = _name((number + step - (step == 8)) % KINDS)
        command = f"{name} --read part{step}.txt"
        if step == 7:
            command, text = f"{name} build", f"{name}: option --fast is required"
        elif step == 14 and number % 10 == 0:
            text = f"{name}: {_name(1000 * client + number)} has no such kiln"
        elif step == 14:
            text = f"{name}: the part is locked by another builder"
        else:
            command, text = f"{name} build --fast" if step == 8 else command, ""
        agent.before_action("bash", {"command": command})
        agent.after_action("bash", {"command": command}, output=text or "ok", failed=bool(text))
    agent.after_run(task=task, error="the report is incomplete" if number % 5 == 0 else None)


def cpu_of(server: PostgresServer) -> float:
    """Seconds of CPU of a server's processes, also of those that have ended."""
    main = int((server.data / "postmaster.pid").read_text().split()[0])
    while True:
        children = Path(f"/proc/{main}/task/{main}/children").read_text().split()
        with suppress(FileNotFoundError):  # one has just ended: its time is now the parent's
            return (sum(_times(main)) + sum(sum(_times(int(one))[:2]) for one in children)) / _TICK


def _times(process: int) -> list[int]:
    """User and system time of a process, then of its children that have ended, in ticks."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return [int(field) for field in fields[11:15]]


if __name__ == "__main__":
    main()
