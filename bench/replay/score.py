"""Replays the runs of a group through a memory and counts what it showed, and when."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any, NamedTuple

from bench.replay.memories import Memory, Told

DOORS = ("turn", "action", "error")


class Run(NamedTuple):
    """How far one run has come."""

    later: list[set[str]]  # labels of the failures from each step on
    met: set[str]
    warned: set[str]  # labels of what was shown before this call or earlier


class Score:
    """The counts of one memory in one group."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._about: defaultdict[Any, set[str]] = defaultdict(set)
        self._known: set[str] = set()  # labels that an earlier run met
        self.counts: Counter[str] = Counter()

    def replay(self, rows: Sequence[dict[str, Any]]) -> Counter[str]:
        """The counts after all runs, in their order."""
        for row in sorted(rows, key=lambda row: row["order"]):
            self._run(row)
        return self.counts

    def _run(self, row: dict[str, Any]) -> None:
        run = Run(_later(row["steps"]), set(), set())
        self.counts["runs"] += 1
        self._turn(row["task"], run, 0)
        for place, step in enumerate(row["steps"]):
            for said in step.get("said") or ():
                self._turn(said, run, place)
            self._step(step, run)
        self._known |= run.met
        last = next((step for step in reversed(row["steps"]) if fails(step)), None)
        is_lost = last is not None and not row["resolved"]
        self._memory.after_run(row["task"], last["output"][-800:] if is_lost and last else None)

    def _turn(self, text: str, run: Run, place: int) -> None:
        told = self._memory.before_turn(text)
        self._shown("turn", told, run.later[place])
        self.counts["turns"] += 1
        self.counts["turns with a block"] += bool(told.items)

    def _step(self, step: dict[str, Any], run: Run) -> None:
        tool, args, failed = step["tool"], step["args"], fails(step)
        labels = {step["kind"]} if failed and step["kind"] else set()
        told = self._memory.before_action(tool, args)
        self._shown("action", told, labels)
        run.warned.update(*(self._about[item] for item in told.items))
        self.counts["failing" if failed else "working"] += 1
        self.counts["needless"] += bool(told.items) and not failed
        told, grown = self._memory.after_action(tool, args, step["output"], failed)
        for label in labels - run.met:
            self._failure(label, told, run)
        if failed:
            self._shown("error", told, labels)
        for item in grown:
            self._about[item] |= labels
        run.met.update(labels)

    def _failure(self, label: str, told: Told, run: Run) -> None:
        """A failure that this run meets for the first time."""
        if label not in self._known:
            self.counts["new"] += 1
            self.counts["new told"] += bool(told.items)
            return
        self.counts["repeats"] += 1
        self.counts["warned"] += label in run.warned
        fixed = getattr(self._memory, "fixed", ())
        self.counts["reachable"] += any(label in self._about[item] for item in fixed)
        self.counts["found"] += any(label in self._about[item] for item in told.items[:3])

    def _shown(self, door: str, told: Told, labels: set[str]) -> None:
        self.counts["size"] += told.size
        self.counts[f"{door} shown"] += len(told.items)
        right = sum(bool(self._about[item] & labels) for item in told.items)
        self.counts[f"{door} right"] += right


def fails(step: dict[str, Any]) -> bool:
    """By its flag; without one, by its label."""
    return bool(step["failed"] if step["failed"] is not None else step["kind"])


def _later(steps: Sequence[dict[str, Any]]) -> list[set[str]]:
    """The labels of the failures from each step on; one set more, for the end."""
    found: list[set[str]] = [set()]
    for step in reversed(steps):
        label = {step["kind"]} if fails(step) and step["kind"] else set()
        found.append(found[-1] | label)
    return found[::-1]
