"""How well a failing call is foretold: `python -m bench actions WORLD.jsonl.gz… [--choose]`.

A world is a file of runs, one JSON object a line: group, order, run, steps[tool, args, output,
failed, kind]. The label `kind` stands for the failure that is read from an output, so that only the
chances are measured. Each group is replayed in order and learnt online. A warning is given once for
a kind in a run, and only of kinds that an earlier run met. The columns `at the call`, `or earlier`
are shares of the repeats; needless: per 100 working calls. A second table says how true the chances
are: of all that were stated, not only the first in a run. `--choose` picks the limits anew for each
group by what is best on all other groups of all worlds, and reports the groups that were left out.
"""

from __future__ import annotations

import gzip
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from itertools import pairwise, product
from typing import Any, NamedTuple

from hardwon.failures.call_keys import canonical
from hardwon.failures.features import call_features
from hardwon.failures.operations import operation
from hardwon.ranking.odds import LIMITS, Call, Counts, OddsLimits, chances, counted, numbered
from hardwon.values.step import Step

_LEVELS = (0.1, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.8)
_ASKED = 0.3  # the chance at which the door speaks
_BINS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.01)


class Made(NamedTuple):
    """One call of a run: its features, and what came of it."""

    features: dict[int, str]
    is_shell: bool
    failed: bool
    kind: str


class Warned(NamedTuple):
    """A warning that would be given at any chance up to its own."""

    chance: float
    who: tuple[str, str]  # run and kind
    is_right: bool
    is_needless: bool


class Replay(NamedTuple):
    """What a group gave."""

    warnings: list[Warned]
    repeats: set[tuple[str, str]]
    working: int


def main() -> None:
    """Print the frontier of each world."""
    paths = [word for word in sys.argv[1:] if word.endswith(".gz")]
    worlds = {path.rsplit("/", 1)[-1]: _read(path) for path in paths}
    chosen = _left_out(worlds) if "--choose" in sys.argv else {}
    for world, groups in worlds.items():
        print(f"\n{world}, limits as they stand")
        found = [replay(runs, LIMITS) for runs in groups.values()]
        _table(found)
        _truth(found)
        if chosen:
            print(f"\n{world}, limits chosen on the other groups")
            _table(chosen[world])


def _read(path: str) -> dict[str, dict[str, list[Made]]]:
    """The calls of each run of each group, in order."""
    groups: dict[str, dict[str, list[Made]]] = defaultdict(dict)
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for run in sorted(map(json.loads, file), key=lambda run: run["order"]):
            groups[run["group"]][run["run"]] = list(_made(run["steps"]))
    return groups


def _made(steps: list[dict[str, Any]]) -> Iterable[Made]:
    before: list[Step] = []
    for step in steps:
        failed = step["kind"] is not None if step["failed"] is None else step["failed"]
        tool, args = operation(step["tool"], canonical(step["args"]))
        features = numbered(call_features(tool, args, before))
        yield Made(features, not args.startswith("{"), failed, (failed and step["kind"]) or "")
        before.append(Step(tool, args, step["output"], failed))


def replay(runs: dict[str, list[Made]], limits: OddsLimits) -> Replay:
    """Warn before each call, then learn from it."""
    counts: dict[int, Counts] = {}
    known: set[str] = set()
    found = Replay([], set(), sum(not one.failed for calls in runs.values() for one in calls))
    for run, calls in runs.items():
        met: tuple[str, ...] = ()
        for one in calls:
            told = chances(one.features, counts, is_shell=one.is_shell, least=0.02, by=limits)
            found.warnings.extend(
                Warned(each.chance, (run, each.kind), each.kind == one.kind, not one.failed)
                for each in told[:3]
                if each.kind in known and each.kind not in met
            )
            counted(counts, Call(tuple(one.features), one.kind, met), limits)
            if one.kind and one.kind not in met:
                met = (*met, one.kind)
                found.repeats.update({(run, one.kind)} if one.kind in known else ())
        known.update(met)
    return found


def _left_out(worlds: Mapping[str, dict[str, dict[str, list[Made]]]]) -> dict[str, list[Replay]]:
    """Each group with the limits that are best on all others, of whatever world."""
    grid = [
        LIMITS._replace(discount=less, code=code, narrow=narrow, weight=weight)
        for less, code, narrow, weight in product((0.4, 0.6), (0.75, 1.0), (1.0, 3.0), (4.0, 8.0))
    ]
    tried = [
        {
            (world, name): replay(runs, one)
            for world, groups in worlds.items()
            for name, runs in groups.items()
        }
        for one in grid
    ]
    picked: Counter[OddsLimits] = Counter()
    found: dict[str, list[Replay]] = defaultdict(list)
    for left in tried[0]:
        best = max(range(len(grid)), key=lambda place: _worth(tried[place], left))
        picked[grid[best]] += 1
        found[left[0]].append(tried[best][left])
    for limits, times in picked.most_common():
        print(f"chosen {times} times: {limits}")
    return found


def _worth(tried: Mapping[tuple[str, str], Replay], left: tuple[str, str]) -> float:
    """What the warnings on the groups that were not left out are worth, each world alike.

    A door that speaks from a chance of .3 on takes 7 needless warnings for 3 right ones.
    """
    worlds: dict[str, list[Replay]] = defaultdict(list)
    for (world, group), found in tried.items():
        if (world, group) != left:
            worlds[world].append(found)
    return sum(map(_gain, worlds.values())) / max(1, len(worlds))


def _gain(found: list[Replay]) -> float:
    given, right, *_ = _row(found, _ASKED)
    return (right - _ASKED * given) / max(1, sum(len(one.repeats) for one in found))


def _table(replays: list[Replay]) -> None:
    repeats = sum(len(one.repeats) for one in replays)
    print(f"{repeats} repeats by kind, {sum(one.working for one in replays)} working calls\n")
    print(
        "| chance at least | warnings | right | precision | at the call | or earlier | needless |"
    )
    print("|---|---|---|---|---|---|---|")
    for level in _LEVELS:
        given, right, precision, warned, earlier, needless = _row(replays, level)
        print(
            f"| {level} | {given} | {right} | {precision:.2f} | {warned:.2f} | {earlier:.2f} |"
            f" {needless:.2f} |"
        )


def _truth(replays: list[Replay]) -> None:
    """How often what was given a chance came about."""
    print("\n| chance | stated | in the mean | came about |\n|---|---|---|---|")
    for low, high in pairwise((0.02, *_BINS)):
        found = [one for each in replays for one in each.warnings if low <= one.chance < high]
        if found:
            mean = sum(one.chance for one in found) / len(found)
            share = sum(one.is_right for one in found) / len(found)
            print(f"| {low:.2f}-{min(high, 1):.1f} | {len(found)} | {mean:.2f} | {share:.2f} |")


def _row(replays: list[Replay], level: float) -> tuple[int, int, float, float, float, float]:
    given = right = needless = hit = 0
    for one in replays:
        first: dict[tuple[str, str], Warned] = {}
        for warning in one.warnings:
            if warning.chance >= level:
                first.setdefault(warning.who, warning)
        given += len(first)
        right += sum(warning.is_right for warning in first.values())
        needless += sum(warning.is_needless for warning in first.values())
        hit += len(first.keys() & one.repeats)
    repeats = max(1, sum(len(one.repeats) for one in replays))
    working = max(1, sum(one.working for one in replays))
    shares = right / max(1, given), right / repeats, hit / repeats
    return given, right, *shares, 100 * needless / working
