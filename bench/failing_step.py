"""What a failing step costs beside one commit: `python -m bench failing_step`.

Both take turns on the same disk. The commit writes the bytes of one step to an SQLite file with the
settings of the store. A failing step is screened, read, recorded with its run, looked up among the
lessons, answered and learnt from. `new` is a failure kind never met before, `known` one whose fix
is proven. A run has five steps; the working ones and the ends of runs are not counted.

    python -m bench failing_step --other CHECKOUT

measures this build and another one in turns; CHECKOUT is a working tree with its own `.venv`.
"""

from __future__ import annotations

import argparse
import json
import os
import sqlite3
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from time import process_time

import hardwon
from bench.timing import interleaved, median, table
from hardwon import Agent, Hardwon

HERE = Path(__file__).resolve().parent.parent
ROUNDS, LESSONS, TURNS = 400, 200, 5
_BODY = "\n".join(f'  File "/srv/app/part_{n}.py", line {n}, in call' for n in range(30))
_WORDS = ("amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "heath", "islet", "jetty")


def main() -> None:
    """Print both costs and how they compare, or those of two builds."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--other", type=Path)
    parser.add_argument("--once", action="store_true", help="print the medians as JSON")
    given, _ = parser.parse_known_args()
    if given.once:
        print(json.dumps(_medians()))
    elif given.other:
        _print_two(given.other.resolve())
    else:
        _print_one()


def _print_one() -> None:
    medians = _medians()
    base, _ = medians["one commit"]
    rows: list[tuple[str, ...]] = [("", "median, ms", "times a commit", "processor time, ms")]
    for name, (whole, own) in medians.items():
        rows.append((name, f"{1e3 * whole:.2f}", f"{whole / base:.1f}", f"{1e3 * own:.2f}"))
    table(f"{ROUNDS} rounds, {LESSONS} lessons in store", rows)


def _print_two(other: Path) -> None:
    """Processor time in both builds, in turns, each in a process of its own."""
    pairs = [(_of_build(HERE), _of_build(other)) for _ in range(TURNS)]
    rows: list[tuple[str, ...]] = [("", "this build, ms", "the other, ms", "ratio")]
    for name in pairs[0][0]:
        new, old = (median([pair[side][name][1] for pair in pairs]) for side in (0, 1))
        rows.append((name, f"{1e3 * new:.2f}", f"{1e3 * old:.2f}", f"{new / old:.2f}"))
    table(f"Processor time, {TURNS} turns of {ROUNDS} rounds, {LESSONS} lessons in store", rows)


def _of_build(folder: Path) -> dict[str, tuple[float, float]]:
    environ = os.environ | {"PYTHONPATH": f"{folder / 'src'}:{HERE}"}
    command = [str(folder / ".venv/bin/python"), __file__, "--once"]
    answer = subprocess.run(command, env=environ, check=True, capture_output=True, text=True)
    medians: dict[str, tuple[float, float]] = json.loads(answer.stdout)
    return medians


def _medians() -> dict[str, tuple[float, float]]:
    """Seconds and processor seconds of a commit and of both sorts of failing step."""
    with (
        tempfile.TemporaryDirectory() as place,
        hardwon.open(Path(place) / "home") as hw,
        hardwon.open("memory:") as in_memory,
    ):
        _stock(hw)
        _stock(in_memory)
        jobs = {
            "one commit": _commit(Path(place) / "beside.db"),
            "failing step, known kind": _failing(hw, known=True),
            "failing step, new kind": _failing(hw, known=False),
            "failing step, known kind, in memory": _failing(in_memory, known=True),
        }
        busy: dict[str, list[float]] = {name: [] for name in jobs}
        timed = {name: _timed(job, busy[name]) for name, job in jobs.items()}
        seconds = interleaved(timed, rounds=ROUNDS)
    return {name: (median(spent), median(busy[name])) for name, spent in seconds.items()}


def _timed(job: Callable[[], object], spent: list[float]) -> Callable[[], object]:
    """The same job, which notes how long the processor worked for it."""

    def run() -> None:
        began = process_time()
        job()
        spent.append(process_time() - began)

    return run


def _stock(hw: Hardwon) -> None:
    """Lessons whose fixes two runs have shown."""
    for kind in range(LESSONS):
        for _ in range(2):
            agent = hw.agent("coder")
            _fail(agent, kind)
            agent.after_action("bash", {"command": f"{_name(kind)} --fast"}, failed=False)
            agent.after_run(task="make the report")


def _name(kind: int) -> str:
    """A program for each kind, in words that are told from others."""
    first, second = divmod(kind, len(_WORDS))
    return f"{_WORDS[second]}-{_WORDS[first % len(_WORDS)]}{'x' * (first // len(_WORDS))}"


def _fail(agent: Agent, kind: int) -> None:
    name = _name(kind)
    output = f"Traceback (most recent call last):\n{_BODY}\n{name}: option --fast is required"
    agent.after_action("bash", {"command": name}, output=output, failed=True)


def _failing(hw: Hardwon, *, known: bool) -> Callable[[], object]:
    kinds = (number % LESSONS for number in count()) if known else count(LESSONS)
    agents = _agents(hw)
    return lambda: _fail(next(agents), next(kinds))


def _agents(hw: Hardwon) -> Iterator[Agent]:
    """The agent of a new run after every few steps."""
    for number in count():
        agent = hw.agent("coder", run=f"run-{number}")
        for _ in range(5):
            yield agent


def _commit(path: Path) -> Callable[[], object]:
    """One durable commit of as many bytes as a step has."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("CREATE TABLE steps (text)")
    text = f"{_BODY}\n" * 2

    def write() -> None:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("INSERT INTO steps VALUES (?)", (text,))
        connection.execute("COMMIT")

    return write


if __name__ == "__main__":
    main()
