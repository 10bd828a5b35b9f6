"""Calls that are denied because the same call failed here last, and those that would have worked.

    HARDWON_BENCH_WORLDS=folder python -m bench denials

Replays worlds (see `bench worlds`). A recorded call that was denied and had not failed was denied
wrongly: in the recording it was made, and it worked.
"""

from __future__ import annotations

import os
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import hardwon
from bench.worlds import EXAMPLE, read_groups


def main() -> None:
    """One row for each world, and one for all."""
    folder = Path(os.environ.get("HARDWON_BENCH_WORLDS") or EXAMPLE)
    print("| world | calls | denied | wrongly | wrongly in 1,000 calls |\n|---|---|---|---|---|")
    total = Counter[str]()
    for path in sorted((*folder.glob("*.jsonl"), *folder.glob("*.jsonl.gz"))):
        counted = _replay(read_groups(path))
        print(_row(path.name.split(".")[0], counted), flush=True)
        total += counted
    print(_row("**all**", total))


def _row(name: str, counted: Counter[str]) -> str:
    calls, denied, wrong = (counted[key] for key in ("calls", "denied", "wrong"))
    return f"| {name} | {calls:,} | {denied} | {wrong} | {1000 * wrong / max(1, calls):.1f} |"


def _replay(groups: dict[str, list[dict[str, Any]]]) -> Counter[str]:
    """Play the runs of each group in order, and count."""
    counted = Counter[str]()
    with tempfile.TemporaryDirectory() as home, hardwon.open(home) as hw:
        runs = [run for group in groups.values() for run in group]
        for run in sorted(runs, key=lambda run: (run["group"], run["order"])):
            agent = hw.agent("coder", project=run["group"])
            agent.start()
            agent.before_turn(run["task"])
            for step in run["steps"]:
                failed = bool(step["kind"] if step["failed"] is None else step["failed"])
                is_denied = agent.before_action(step["tool"], step["args"]).denied
                counted.update(calls=1, denied=is_denied, wrong=is_denied and not failed)
                agent.after_action(step["tool"], step["args"], output=step["output"], failed=failed)
            agent.after_run(task=run["task"], error=None if run["resolved"] else "not resolved")
            hw.drain()
    return counted
