"""How long a report takes over a million deliveries, and what outcomes cost a run."""

from __future__ import annotations

import json
import random
import sqlite3
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

import hardwon
from hardwon.core.values.run import Shown, Step

DELIVERIES = 1_000_000
UNITS = 200_000
LESSONS = 2_000
DAYS = 30
DOORS = ("start", "turn", "action", "error")
OUTCOMES = ("worked", "failed the same way", "overcome", "repeated", "not met", "")


def main() -> None:
    """Print wall time, CPU time and memory of a report, and the cost of outcomes."""
    with tempfile.TemporaryDirectory() as home:
        _filled(Path(home))
        for _ in range(3):
            ran = subprocess.run(
                [sys.executable, "-c", _MEASURED, home], capture_output=True, text=True, check=True
            )
            wall, cpu, memory = json.loads(ran.stdout)
            print(
                f"report over {DELIVERIES:,} deliveries: {wall:.2f} s, CPU {cpu:.2f} s,"
                f" {memory:.0f} MB"
            )
    print(f"end of a run with 20 deliveries and 200 steps: CPU {_outcomes() * 1000:.2f} ms")


_MEASURED = """
import json, resource, sys, time
import hardwon
began, cpu = time.perf_counter(), time.process_time()
with hardwon.open(sys.argv[1]) as hw:
    report = hw.report("coder", project="acme/api", whole=True)
assert report.shown > 900_000, report.shown
used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps([time.perf_counter() - began, time.process_time() - cpu, used]))
"""


def _filled(home: Path) -> None:
    """A home with lessons by the public face, and log rows as the store would have written them."""
    with hardwon.open(home) as hw:
        agent = hw.agent("coder", project="acme/api")
        for number in range(20):
            agent.learn(f"lesson {number} about file {number}")
        hw.report("coder", project="acme/api")
    now, chance = datetime.now(UTC).timestamp(), random.Random(5)
    database = sqlite3.connect(home / "hardwon.db")
    ((shelf,),) = database.execute("SELECT id FROM shelves WHERE project = 'acme/api'").fetchall()
    deliveries = (
        (
            f"{n:021x}",
            shelf,
            chance.choice(DOORS),
            "asked",
            f"[{n % LESSONS + 1}]",
            "[1.0]",
            chance.randrange(20, 200),
            900,
            now - chance.random() * DAYS * 86400,
            chance.choice(OUTCOMES),
        )
        for n in range(DELIVERIES)
    )
    database.executemany(f"INSERT INTO deliveries VALUES ({','.join('?' * 10)})", deliveries)
    units = (
        (
            shelf,
            f"r{n // 5}",
            f"k{n % 5}-{n % LESSONS}",
            "error",
            n % 10 == 0,
            0.1,
            now - chance.random() * DAYS * 86400,
            chance.choice(("repeated", "not met")),
            n % LESSONS + 1,
            "words",
        )
        for n in range(UNITS)
    )
    database.executemany(
        "INSERT INTO units"
        " (shelf, run, family, door, withheld, share, at, outcome, lesson, wording)"
        f" VALUES ({','.join('?' * 10)})",
        units,
    )
    database.commit()
    database.close()


def _outcomes() -> float:
    """Seconds of CPU that the end of a run takes at the median, half of them for its outcomes."""
    with tempfile.TemporaryDirectory() as home, hardwon.open(home) as hw:
        return median(_ended(hw, run) for run in range(20))


def _ended(hw: hardwon.Hardwon, run: int) -> float:
    agent = hw.agent("coder", run=f"run {run}")
    for number in range(20):
        agent.run.note_shown([], "", Shown(f"{run * 20 + number:021x}", "turn", ("k",)))
    for number in range(200):
        agent.run.record(Step("bash", f"call {number}", "done", failed=False))
    began = time.process_time()
    agent.end_run()
    return time.process_time() - began
