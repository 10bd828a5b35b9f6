"""Recurring failures of agents.

    HARDWON_BENCH_WORLDS=folder python -m bench worlds [--sample RUNS] [--only NAME…]

`--sample`: groups in an order drawn by a fixed seed until there are so many runs; `--only`:
memories whose name holds one of these words.

The folder holds worlds (`*.jsonl`, `*.jsonl.gz`), one run a line: world, run, group, order, task,
resolved, steps[tool, args, output, failed, kind, said?]. Runs of a group are replayed in order in
one memory. A failure whose label an earlier run of its group met is a repeat, once in a run.

warned     repeats for which an item about them was shown before this call or an earlier one
reachable  of the repeats: one of our lessons about them had a fix, so that they could be warned of
found      the same after the failure, among the first three
precision  of what is shown: its failure then occurs in this run (turn), at this call (action), is
           this one (error)
needless   calls that worked and got a warning, of 100
new        failures never met before that got something all the same
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.replay.peers import installed
from bench.replay.score import DOORS, Score

if TYPE_CHECKING:
    from collections.abc import Callable

_SEED = 7
EXAMPLE = Path(__file__).parent / "data" / "worlds"  # made by hand, simulators and scripts


def main() -> None:
    """One table for each world."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--only", nargs="*", default=[""])
    given, _ = parser.parse_known_args()
    folder = Path(os.environ.get("HARDWON_BENCH_WORLDS") or EXAMPLE)
    worlds = sorted((*folder.glob("*.jsonl"), *folder.glob("*.jsonl.gz")))
    if not worlds:
        print(f"no worlds in {folder}")
    for path in worlds:
        if groups := _sampled(read_groups(path), given.sample):
            _table(path.name, groups, given.only)


def _sampled(groups: dict[str, list[dict[str, Any]]], runs: int) -> dict[str, list[dict[str, Any]]]:
    """Groups with so many runs together, drawn by a fixed seed; the last one by its first runs."""
    if not runs:
        return groups
    found: dict[str, list[dict[str, Any]]] = {}
    for name in random.Random(_SEED).sample(sorted(groups), len(groups)):
        left = runs - sum(map(len, found.values()))
        if left > 0:
            found[name] = sorted(groups[name], key=lambda row: row["order"])[:left]
    return found


def read_groups(path: Path) -> dict[str, list[dict[str, Any]]]:
    """The runs of a world by group; nothing for files of another format."""
    groups: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8") as file:
        for line in file:
            row = json.loads(line)
            if "group" not in row:
                return {}
            groups[row["group"]].append(row)
    return groups


def _table(name: str, groups: dict[str, list[dict[str, Any]]], only: list[str]) -> None:
    print(f"\n{name}: {sum(map(len, groups.values()))} runs in {len(groups)} groups\n")
    print(
        "| memory | warned | reachable | found | precision t/a/e | needless | new"
        " | turns with a block | tokens a run |\n|---|---|---|---|---|---|---|---|---|"
    )
    chosen = {one: opened for one, opened in installed().items() if any(w in one for w in only)}
    for name, opened in chosen.items():
        print(_row(name, _counts(opened, groups)), flush=True)


def _counts(opened: Callable[[], Any], groups: dict[str, list[dict[str, Any]]]) -> Counter[str]:
    total: Counter[str] = Counter()
    for rows in groups.values():
        memory = opened()
        total += Score(memory).replay(rows)
        if hasattr(memory, "close"):
            memory.close()
    return total


def _row(memory: str, counts: Counter[str]) -> str:
    right = "/".join(_share(counts, f"{door} right", f"{door} shown") for door in DOORS)
    cells = (
        memory,
        _share(counts, "warned", "repeats"),
        _share(counts, "reachable", "repeats") if counts["reachable"] else "–",
        _share(counts, "found", "repeats"),
        right,
        _share(counts, "needless", "working", 100),
        _share(counts, "new told", "new"),
        _share(counts, "turns with a block", "turns"),
        f"{counts['size'] / 4 / max(1, counts['runs']):.0f}",
    )
    return f"| {' | '.join(cells)} |"


def _share(counts: Counter[str], part: str, whole: str, times: int = 1) -> str:
    return f"{times * counts[part] / counts[whole]:.2f}" if counts[whole] else "–"
