"""Recorded runs of many fields, and what a home knows after them."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from hardwon import Step
from hardwon.core.values.lesson import Status
from hardwon.core.values.report import Window
from hardwon.knowledge.reading.call_keys import canonical
from hardwon.knowledge.reading.verdict import has_failed
from tests.stored import StoredHardwon

BEGIN = datetime(2026, 11, 2, 9, tzinfo=UTC)
_BENCH = Path(__file__).parents[2] / "bench"
_WORLDS = _BENCH / "data" / "worlds"
TRIAL = "trial"
SOURCES = (TRIAL, *sorted(path.name for path in _WORLDS.glob("*.jsonl*")))
_RUNS = 60  # of each world


class Call(NamedTuple):
    """A call of a recorded run."""

    tool: str
    args: Any
    output: str
    failed: bool


class PastRun(NamedTuple):
    """A recorded run, and when it began."""

    name: str
    task: str
    calls: list[Call]
    begun: datetime


def runs_of(source: str) -> list[PastRun]:
    """The recorded runs of the trial, or the first sixty of a world, an hour apart."""
    rows = _trial() if source == TRIAL else _world(_WORLDS / source)
    return [
        PastRun(f"{number:04d}", task, calls, BEGIN + number * timedelta(hours=1))
        for number, (task, calls) in enumerate(rows)
    ]


def trial_projects() -> list[str]:
    """The projects of the trial of which runs were recorded."""
    recorded = (_BENCH / "trial" / "recorded").glob("*.jsonl")
    return sorted({path.name.partition("-")[0] for path in recorded})


def trial_runs(project: str) -> list[PastRun]:
    """The first two recorded runs of a project of the trial, an hour apart."""
    rows = islice(_trial(f"{project}-"), 2)
    return [
        PastRun(f"{number:04d}", task, calls, BEGIN + number * timedelta(hours=1))
        for number, (task, calls) in enumerate(rows)
    ]


def _trial(start: str = "") -> Iterator[tuple[str, list[Call]]]:
    for path in sorted((_BENCH / "trial" / "recorded").glob(f"{start}*.jsonl")):
        head, *rows = map(json.loads, path.read_text().splitlines())
        made = [row for row in rows if "rc" in row]
        yield (
            head["task"],
            [Call("Bash", {"command": row["cmd"]}, row["out"], bool(row["rc"])) for row in made],
        )


def _world(path: Path) -> Iterator[tuple[str, list[Call]]]:
    text = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    for line in text.splitlines()[:_RUNS]:
        run = json.loads(line)
        yield run["task"], [_call(**step) for step in run["steps"]]


def _call(tool: str, args: Any, output: str, failed: bool | None, **_: Any) -> Call:
    if failed is None:
        failed = has_failed(tool, output, canonical(args))
    if re.fullmatch(r"Exit code \d+\s*", output):  # a client wrote it, which its reader leaves out
        output = ""
    return Call(tool, args, output, failed)


def record_live(hw: StoredHardwon, project: str, runs: list[PastRun], at: list[datetime]) -> None:
    """Record the runs as an agent does that reports each run when it ends."""
    agent = hw.agent("coder", project=project)
    for run in runs:
        at[0] = run.begun
        steps = [Step(call.tool, canonical(call.args), *call[2:]) for call in run.calls]
        agent.after_run(task=run.task, steps=steps)


def evidence(hw: StoredHardwon, project: str) -> dict[str, Any]:
    """What is known of a project, without row numbers and times."""
    store, scope = hw.store, hw.agent("coder", project=project).scope
    lessons = store.lessons.recent(scope, status=Status.ALL, limit=10_000)
    times = {"id": 0, "created_at": None, "updated_at": None, "last_seen_at": None}
    plain = [lesson._asdict() | times for lesson in lessons]
    for lesson in plain:
        lesson["evidence"] = [piece._replace(at=0.0) for piece in lesson["evidence"]]
    window = Window(scope, datetime(1970, 1, 1, tzinfo=UTC))
    failures = store.statistics.failures(window, limit=10_000)
    return {
        "lessons": sorted(plain, key=lambda lesson: str(lesson["job"])),
        "runs": [
            (run.task, run.outcome, run.made, run.failed, run.kinds, run.steps)
            for run in store.ended_runs.latest(window, limit=10_000)
        ],
        "failures": sorted((failure.kind, failure.text, failure.met) for failure in failures),
    }
