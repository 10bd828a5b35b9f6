"""How often the right lesson is shown at each door, replaying real runs through the public face.

    HARDWON_BENCH_RUNS=agent-runs.jsonl.gz python -m bench doors [--repo NAME …] [--misses]
    HARDWON_BENCH_RUNS=agent-runs.jsonl.gz python -m bench doors --try likely=0.2,0.3,0.4

Each line of the file is a run: {run, repo, order, task, steps: [{command, returncode, output,
pitfall}]}. `pitfall` labels a failing step; it is only used to score. The runs of a repository are
replayed in order. A step whose label was met in an earlier run of the repository is a repeat, and
the first of its kind in a run is scored: did a shown lesson rest on a step with that label?

With `--try` all is replayed with each value of one of the weights. Then every repository is scored
with the value that is best before an action on the others, and the scores are added up.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import sys
import tempfile
from collections import Counter, defaultdict
from datetime import UTC, datetime, timedelta
from statistics import mean
from typing import TYPE_CHECKING, Any

import hardwon
from bench.internals import opened
from hardwon.knowledge.ranking.scores import WEIGHTS, Weights
from hardwon.knowledge.reading.signature import fold, signature

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

START = datetime(2026, 1, 1, tzinfo=UTC)
DOORS = ("turn", "action", "error")
MOST_NEEDLESS = 0.05  # of the calls that work, warned about


class Clock:
    """A day passes between runs."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        return self.now


class Replay:
    """One repository: its runs in order, and what the doors said."""

    def __init__(self, agent: hardwon.Agent, hw: hardwon.Hardwon) -> None:
        self.agent, self.hw = agent, hw
        self.labels: dict[str, set[str]] = defaultdict(set)  # by failure signature
        self.seen: set[str] = set()
        self.count: Counter[str] = Counter()
        self.tokens: dict[str, list[int]] = defaultdict(list)
        self.misses: list[str] = []

    def run(self, run: dict[str, Any]) -> None:
        """Replay one run, score it, and let it teach."""
        turn = self.agent.before_turn(run["task"])
        self._measure("turn", turn)
        here: set[str] = set()
        taught: list[tuple[str, str]] = []
        calls: list[tuple[str, str]] = []
        for step in run["steps"]:
            label, failed = step["pitfall"], step["returncode"] != 0
            is_repeat = bool(label) and label in self.seen and label not in here
            before = self.agent.before_action("bash", {"command": step["command"]})
            after = self.agent.after_action(
                "bash", {"command": step["command"]}, output=step["output"], failed=failed
            )
            self._calls(before, failed)
            self._loops(after, step, calls)
            if is_repeat:
                self.count["repeats"] += 1
                for door, shown in zip(DOORS, (turn, before, after), strict=True):
                    self._score(door, shown, label, step)
            if label:
                here.add(label)
                taught.append((signature("bash", step["output"]).digest, label))
        self.agent.after_run(task=run["task"], error=None if run["resolved"] else "not solved")
        self.hw.drain()
        self.seen |= here
        for digest, label in taught:
            self.labels[digest].add(label)

    def _score(self, door: str, shown: hardwon.Injection, label: str, step: dict[str, Any]) -> None:
        hits = [
            any(label in self.labels.get(digest, ()) for digest in lesson.signatures)
            for lesson in shown.lessons
        ]
        self.count[f"{door} 1"] += any(hits[:1])
        self.count[f"{door} 3"] += any(hits[:3])
        if not any(hits[:3]):
            command = step["command"].replace("\n", "⏎")[:80]
            self.misses.append(f"{door:6} {len(shown.lessons)} shown | {label[:60]} | {command}")

    def _calls(self, shown: hardwon.Injection, failed: bool) -> None:
        self._measure("action", shown)
        self.count["failed" if failed else "worked"] += 1
        if shown:
            self.count["warned and failed" if failed else "warned and worked"] += 1

    def _loops(
        self, shown: hardwon.Injection, step: dict[str, Any], calls: list[tuple[str, str]]
    ) -> None:
        """A repeat is the same command with the same folded result, earlier in the run."""
        this = (" ".join(step["command"].split()), fold(step["output"]))
        is_loop, said = this in calls, "[LOOP DETECTED]" in shown.text
        if step["returncode"]:
            self.count["loops"] += is_loop
            self.count["loops found"] += is_loop and said
        self.count["loops said"] += said
        self.count["loops said rightly"] += is_loop and said
        calls.append(this)

    def _measure(self, door: str, shown: hardwon.Injection) -> None:
        if shown:
            self.tokens[door].append(len(shown.text) // 4)


def replayed(runs: Iterable[dict[str, Any]], weights: Weights = WEIGHTS) -> Replay:
    """All runs of one repository, replayed in a store of their own."""
    clock = Clock()
    with tempfile.TemporaryDirectory() as home, opened(home, clock=clock) as hw:
        hw.runtime.doors.weights = weights
        replay = Replay(hw.agent("bench", project="repo"), hw)
        for run in sorted(runs, key=lambda run: run["order"]):
            replay.run(run)
            clock.now += timedelta(days=1)
        return replay


def rows(name: str, count: Counter[str]) -> Iterator[str]:
    """One line of the table."""
    repeats, worked = max(1, count["repeats"]), max(1, count["worked"])
    cells = [f"{count[f'{door} {k}'] / repeats:.2f}" for door in DOORS for k in (1, 3)]
    false = f"{count['warned and worked'] / worked:.1%}"
    yield (
        f"{name:28} {count['repeats']:7} "
        + " ".join(f"{cell:>7}" for cell in cells)
        + f" {false:>7}"
    )


def tried(runs: list[dict[str, Any]], name: str, values: Iterable[float]) -> None:
    """Print one line for each value of a weight, and one for what is chosen without looking."""
    repos = list(dict.fromkeys(run["repo"] for run in runs))
    counts: dict[float, dict[str, Counter[str]]] = {}
    for value in values:
        change: dict[str, Any] = {name: value}
        weights = WEIGHTS._replace(**change)
        counts[value] = {
            repo: replayed((run for run in runs if run["repo"] == repo), weights).count
            for repo in repos
        }
        print(*rows(f"{name} = {value:g}", added(counts[value].values())), sep="\n", flush=True)
    unseen = []
    for repo in repos:
        others = {
            value: added(count for other, count in found.items() if other != repo)
            for value, found in counts.items()
        }
        unseen.append(counts[max(others, key=lambda value: _merit(others[value]))][repo])
    print(*rows("chosen on the others", added(unseen)), sep="\n")


def added(counts: Iterable[Counter[str]]) -> Counter[str]:
    """The sum of the counts."""
    total = Counter[str]()
    for count in counts:
        total.update(count)
    return total


def _merit(count: Counter[str]) -> tuple[bool, int, int]:
    """Few enough warnings that were not needed, then hits, then fewer such warnings."""
    needless = count["warned and worked"]
    return needless <= MOST_NEEDLESS * count["worked"], count["action 3"], -needless


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--runs", default=os.environ.get("HARDWON_BENCH_RUNS", ""))
    parser.add_argument("--repo", action="append", help="only this repository; may be repeated")
    parser.add_argument("--misses", action="store_true", help="list the repeats that were missed")
    parser.add_argument("--try", dest="tried", metavar="NAME=N,N", help="compare these values")
    given, _ = parser.parse_known_args()
    if not given.runs:
        print("no runs to replay: name a file in HARDWON_BENCH_RUNS")
        return
    with gzip.open(given.runs, "rt", encoding="utf-8") as lines:
        runs = [json.loads(line) for line in lines]
    heads = " ".join(f"{door} @{k}".rjust(7) for door in ("turn", "act", "err") for k in (1, 3))
    print(f"{'repository':28} repeats {heads}   false")
    if given.tried:
        name, _, values = given.tried.partition("=")
        tried(runs, name, map(float, values.split(",")))
        return
    repos = list(dict.fromkeys(run["repo"] for run in runs))
    total, tokens = Counter[str](), defaultdict[str, list[int]](list)
    for name in given.repo or repos:
        replay = replayed(run for run in runs if run["repo"] == name)
        total.update(replay.count)
        for door, sizes in replay.tokens.items():
            tokens[door] += sizes
        print(*rows(name, replay.count), sep="\n")
        if given.misses:
            print(*(f"    {miss}" for miss in replay.misses), sep="\n", file=sys.stderr)
    print(*rows("all", total), sep="\n")
    for door, sizes in tokens.items():
        print(f"{door}: {len(sizes)} injections, {mean(sizes):.0f} tokens on average")
    print(
        f"loops: {total['loops found']} of {total['loops']} repeated failures found;"
        f" {total['loops said rightly']} of {total['loops said']} warnings were repeats"
    )


if __name__ == "__main__":
    main()
