"""What a step costs as a session grows: `python -m bench session [--steps 5000] [--profile]`.

A named run, as hooks, the daemon and the service have it: every step is asked for and recorded, one
in ten fails. Processor time, as other work on the machine does not change it.
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import tempfile
from time import process_time
from typing import TYPE_CHECKING

import hardwon
from bench.timing import median, table

if TYPE_CHECKING:
    from hardwon import Agent

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
    given, _ = parser.parse_known_args()
    profile = cProfile.Profile() if given.profile else None
    with tempfile.TemporaryDirectory() as home, hardwon.open(home) as hw:
        agent = hw.agent("coder", run=None if given.unnamed else "session")
        agent.before_turn("make the report of the month")
        if profile:
            profile.enable()
        rows = _rows(agent, given.steps)
        if profile:
            profile.disable()
    head = ("steps so far", "before_action, ms", "after_action, ms", "failing, ms", "session, s")
    table("Processor time of a named run", [head, *rows])
    if profile:
        pstats.Stats(profile).sort_stats("cumtime").print_stats(60)


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
