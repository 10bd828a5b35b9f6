"""What past sessions take: `python -m bench past [--runs runs.jsonl.gz] [--copies 1]`.

Recorded runs are written as sessions of Claude Code, each world a project, and learnt: with one
core, with all, a second time, and with one session more. Each line of `--runs` is a run: group,
task and steps with tool, args, output, failed. Copies have other ids and other times.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID

from bench.timing import table
from hardwon.learn.transcripts.agents.logs import claude_folder

_WORLDS = Path(__file__).parent / "data" / "worlds"
_DAYS = 89  # over which the sessions are spread
_LEARN = """
import os, sys, hardwon
if sys.argv[2] == "1":
    os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])
with hardwon.open(sys.argv[1]) as hw:
    learnt = hw.agent("coder").sessions.learn()
assert len(learnt) == int(sys.argv[3]), len(learnt)
"""


class Cost(NamedTuple):
    """What learning took: seconds, seconds of CPU, and the most memory of all processes."""

    seconds: float
    cpu: float
    megabytes: float


def main() -> None:
    """Print what each way to learn took."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--runs", nargs="*", type=Path, default=sorted(_WORLDS.glob("*.jsonl*")))
    parser.add_argument("--copies", type=int, default=1)
    given, _ = parser.parse_known_args()
    with tempfile.TemporaryDirectory() as folder:
        runs = [run for path in given.runs for run in _read(path)]
        home, count = Path(folder), len(runs) * given.copies
        apart = timedelta(days=_DAYS) / count
        begin = datetime.now(UTC) - timedelta(days=_DAYS, hours=2)
        size = sum(
            _write(home, number, runs[number % len(runs)], begin + number * apart)
            for number in range(count)
        )
        rows = [("one core", _learn(home, "1", count)), ("all cores", _learn(home, "all", count))]
        rows.append(("a second time", _learn(home, "all", 0)))
        _write(home, count, runs[0], begin + count * apart)
        rows.append(("one session more", _learn(home, "all", 1)))
    told = [
        (name, f"{cost.seconds:.1f}", f"{cost.cpu:.1f}", f"{cost.megabytes:.0f}")
        for name, cost in rows
    ]
    table(f"{count:,} sessions, {size / 1e6:,.0f} MB", [("", "s", "s CPU", "MB memory"), *told])
    load = ", ".join(f"{busy:.1f}" for busy in os.getloadavg())
    print(f"\nprocesses that wanted a core in the last 1, 5 and 15 minutes: {load}")


def _learn(folder: Path, cores: str, expected: int) -> Cost:
    """Learn in a process of its own; what it knows is kept for the number of cores."""
    command = [sys.executable, "-c", _LEARN, f"{folder}/home-{cores}", cores, str(expected)]
    began, most, before = time.monotonic(), 0.0, os.times()
    with subprocess.Popen(command, env={**os.environ, "HOME": str(folder)}) as process:
        while process.poll() is None:
            most = max(most, _memory(process.pid))
            time.sleep(0.1)
    if process.returncode:
        raise SystemExit(process.returncode)
    after = os.times()
    cpu = after.children_user + after.children_system
    cpu -= before.children_user + before.children_system
    return Cost(time.monotonic() - began, cpu, most)


def _memory(pid: int) -> float:
    """Megabytes of a process and of those that it started; a page of several is shared out."""
    own, kilobytes = Path(f"/proc/{pid}"), 0
    try:
        children = " ".join(path.read_text() for path in own.glob("task/*/children")).split()
        lines = (own / "smaps_rollup").read_text().splitlines()
        kilobytes = sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    except OSError:  # it has just ended
        return 0.0
    return kilobytes / 1024 + sum(map(_memory, map(int, children)))


def _read(path: Path) -> Iterator[dict[str, Any]]:
    text = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    for line in text.splitlines():
        yield {"group": path.name.partition(".")[0], **json.loads(line)}


def _write(home: Path, number: int, run: dict[str, Any], at: datetime) -> int:
    """Write a run as a session, with all that Claude Code puts into a line; returns its bytes."""
    project, session = home / "projects" / run["group"], str(UUID(int=number))
    folder = home / ".claude" / "projects" / claude_folder(str(project))
    for needed in (project, folder):
        needed.mkdir(parents=True, exist_ok=True)
    path = folder / f"{session}.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for line, (kind, content, more) in enumerate(_lines(run, session)):
            record = {
                "parentUuid": str(UUID(int=line)),
                "isSidechain": False,
                "userType": "external",
                "cwd": str(project),
                "sessionId": session,
                "version": "2.1.325",
                "gitBranch": "main",
                "type": kind,
                "message": {"role": kind, "content": content},
                **more,
                "uuid": str(UUID(int=line + 1)),
                "timestamp": (at + line * timedelta(seconds=1)).isoformat(),
            }
            file.write(json.dumps(record) + "\n")
    os.utime(path, (at.timestamp(), at.timestamp()))
    return path.stat().st_size


def _lines(run: dict[str, Any], session: str) -> Iterator[tuple[str, Any, dict[str, Any]]]:
    yield "user", run["task"], {}
    for number, step in enumerate(run["steps"]):
        key = f"toolu_{session}_{number}"
        call = {"type": "tool_use", "id": key, "name": step["tool"], "input": step["args"]}
        yield "assistant", [call], {"requestId": f"req_{key}"}
        failed = step["failed"] is True
        printed = {"stdout": step["output"], "stderr": "", "interrupted": False, "isImage": False}
        yield (
            "user",
            [
                {
                    "type": "tool_result",
                    "tool_use_id": key,
                    "content": step["output"],
                    "is_error": failed,
                }
            ],
            {"toolUseResult": f"Error: {step['output']}" if failed else printed},
        )


if __name__ == "__main__":
    main()
