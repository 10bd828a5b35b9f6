"""How long past sessions take: `python -m bench past [--runs runs.jsonl.gz] [--copies 1]`.

Recorded runs are written as sessions of Claude Code, each world a project, and learnt with one core
and with all. Each line of `--runs` is a run: group, task and steps with tool, args, output, failed.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

from bench.timing import interleaved, median, table
from tests.learn.transcripts.transcripts import Claude

_WORLDS = Path(__file__).parent / "data" / "worlds"
_BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
_LEARN = """
import os, sys, hardwon
if sys.argv[2] == "1":
    os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])
with hardwon.open(sys.argv[1]) as hw:
    hw.agent("coder").sessions.learn()
"""


def main() -> None:
    """Print megabytes a second with one core and with all."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--runs", nargs="*", type=Path, default=sorted(_WORLDS.glob("*.jsonl*")))
    parser.add_argument("--copies", type=int, default=1)
    given, _ = parser.parse_known_args()
    with tempfile.TemporaryDirectory() as folder:
        runs = [run for path in given.runs for run in _read(path)] * given.copies
        size = sum(_write(Path(folder), number, run) for number, run in enumerate(runs)) / 1e6
        homes = iter(range(100))

        def learn(cores: str) -> None:
            home = f"{folder}/home-{next(homes)}"
            command = [sys.executable, "-c", _LEARN, home, cores]
            subprocess.run(command, check=True, env={**os.environ, "HOME": folder})

        jobs = {"one core": lambda: learn("1"), "all cores": lambda: learn("all")}
        spent = {name: median(each) for name, each in interleaved(jobs, rounds=1).items()}
    rows = [(name, f"{took:.1f}", f"{size / took:.1f}") for name, took in spent.items()]
    table(f"{len(runs):,} sessions, {size:.0f} MB", [("", "s", "MB/s"), *rows])
    print(f"\nall cores / one: {spent['all cores'] / spent['one core']:.2f}")


def _read(path: Path) -> Iterator[dict[str, Any]]:
    text = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    for line in text.splitlines():
        yield {"group": path.name.partition(".")[0], **json.loads(line)}


def _write(home: Path, number: int, run: dict[str, Any]) -> int:
    """Write a run as a session; returns its bytes."""
    project = home / "projects" / run["group"]
    project.mkdir(parents=True, exist_ok=True)
    at = _BEGIN + number * timedelta(hours=1)
    talk = Claude(str(project), str(UUID(int=number)), at).says(run["task"])
    for step in run["steps"]:
        talk.act(step["tool"], step["args"], step["output"], step["failed"] is True)
    path = talk.write(home)
    os.utime(path, (at.timestamp(), at.timestamp()))
    return path.stat().st_size
