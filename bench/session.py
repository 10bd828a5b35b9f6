"""What a step costs as a session grows: `python -m bench session [--steps 5000] [--profile]`.

A named run, as hooks, the daemon and the service have it: every step is asked for and recorded, one
in ten fails. Processor time, as other work on the machine does not change it.

    python -m bench session --runs runs.jsonl.gz [--most 100]

replays recorded runs instead. Each line is a run: group, task and steps with tool, args, output and
failed (null: judged by the output).
"""

from __future__ import annotations

import argparse
import cProfile
import gzip
import json
import pstats
import tempfile
from itertools import islice
from time import process_time
from typing import TYPE_CHECKING

import hardwon
from bench.timing import median, table

if TYPE_CHECKING:
    from hardwon import Agent, Hardwon

STEPS = 5000
_LOOKED = (0, 300, 700, 1500, 2000, 3000, 5000)  # steps after which a call is timed
_WORDS = ("amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "heath", "islet", "jetty")
_TIMES = 20


def main() -> None:
    """Print the cost of a call before and after so many steps, and of the session up to there."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--profile", action="store_true")
    parser.add_argument("--unnamed", action="store_true", help="a run in memory instead")
    parser.add_argument("--runs", help="recorded runs, which are replayed")
    parser.add_argument("--most", type=int, default=100, help="so many of them")
    given, _ = parser.parse_known_args()
    profile = cProfile.Profile() if given.profile else None
    with tempfile.TemporaryDirectory() as home, hardwon.open(home) as hw:
        if profile:
            profile.enable()
        if given.runs:
            _print_replay(hw, given.runs, given.most)
        else:
            _print_session(hw, given.steps, None if given.unnamed else "session")
        if profile:
            profile.disable()
    if profile:
        pstats.Stats(profile).sort_stats("cumtime").print_stats(60)


def _print_session(hw: Hardwon, steps: int, name: str | None) -> None:
    agent = hw.agent("coder", run=name)
    agent.before_turn("make the report of the month")
    head = ("steps so far", "before_action, ms", "after_action, ms", "failing, ms", "session, s")
    table("Processor time of one run", [head, *_rows(agent, steps)])


def _print_replay(hw: Hardwon, path: str, most: int) -> None:
    steps, began = 0, process_time()
    with gzip.open(path, "rt") as lines:
        for number, line in enumerate(islice(lines, most)):
            run = json.loads(line)
            agent = hw.agent("coder", project=run["group"], run=f"run-{number}")
            agent.before_turn(run["task"])
            for step in run["steps"]:
                agent.before_action(step["tool"], step["args"])
                agent.after_action(
                    step["tool"], step["args"], output=step["output"], failed=step["failed"]
                )
            agent.after_run(task=run["task"], error=None)
            steps += len(run["steps"])
    spent = process_time() - began
    row = (f"{steps:,}", f"{1e3 * spent / max(1, steps):.2f}", f"{spent:.1f}")
    table("Processor time of recorded runs", [("steps", "ms a step", "s"), row])


def _rows(agent: Agent, steps: int) -> list[tuple[str, ...]]:
    rows, made, spent = list[tuple[str, ...]](), 0, 0.0
    asked, worked, failed = [0.0], [0.0], [0.0]
    for number in range(steps + 1):
        if number in _LOOKED:
            shown = [f"{1e3 * median(part[-_TIMES:]):.2f}" for part in (asked, worked, failed)]
            rows.append((f"{made:,}", *shown, f"{spent:.2f}"))
        is_failing = number % 10 == 9
        before, after = _step(agent, number, is_failing=is_failing)
        asked.append(before)
        (failed if is_failing else worked).append(after)
        made, spent = made + 1, spent + before + after
    return rows


def _step(agent: Agent, number: int, *, is_failing: bool) -> tuple[float, float]:
    """Seconds of the processor before and after one call."""
    word, other = _WORDS[number % 10], _WORDS[number // 10 % 10]
    call = {"command": f"{word} {other}/part_{number}.py --level {number % 7}"}
    lines = "\n".join(f"{other} {line}: {word} read {number * line} rows" for line in range(12))
    output = f"{lines}\n{word}: cannot read {other}/part_{number}.py" if is_failing else lines
    began = process_time()
    agent.before_action("bash", call)
    between = process_time()
    agent.after_action("bash", call, output=output, failed=is_failing)
    return between - began, process_time() - between


if __name__ == "__main__":
    main()
