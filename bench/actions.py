"""How well a failing call is foretold: `python -m bench actions WORLD.jsonl.gz… [--choose]`.

A world is a file of runs, one JSON object a line: group, order, run, steps[tool, args, output,
failed, kind]. The label `kind` stands for the failure that is read from an output, so that only the
chances are measured. Each group is replayed in order and learnt online. A warning is given once for
a kind in a run, and only of kinds that an earlier run met. `--choose` picks the limits anew for
each group by what is best on all the others, and reports the groups that were left out. The columns
`at the call`, `or earlier` are shares of the repeats; needless: per 100 working calls.
"""

from __future__ import annotations

import gzip
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import product
from typing import Any, NamedTuple

from hardwon.failures.call_keys import canonical
from hardwon.failures.features import call_features
from hardwon.ranking.odds import LIMITS, Call, Counts, OddsLimits, chances, counted, numbered
from hardwon.values.step import Step

_LEVELS = (0.1, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.8)
_ASKED, _PRECISION = 0.3, 0.45  # the chance at which the door speaks, and the aim there


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
    for path in (word for word in sys.argv[1:] if word.endswith(".gz")):
        groups = _read(path)
        print(f"\n{path.rsplit('/', 1)[-1]}, limits as they stand")
        _table(replay(runs, LIMITS) for runs in groups.values())
        if "--choose" in sys.argv:
            print("\nlimits chosen on the other groups")
            _table(_left_out(groups))


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
        args = canonical(step["args"])
        features = numbered(call_features(step["tool"], args, before))
        yield Made(features, not args.startswith("{"), failed, (failed and step["kind"]) or "")
        before.append(Step(step["tool"], args, step["output"], failed))


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


def _left_out(groups: dict[str, dict[str, list[Made]]]) -> Iterable[Replay]:
    """Each group with the limits that are best on all others."""
    grid = [
        LIMITS._replace(doubt=doubt, discount=less, named=less, narrow=narrow, weight=weight)
        for doubt, less, narrow, weight in product((1, 2), (0.4, 0.5, 1), (1, 3), (4, 8))
    ]
    tried = [{name: replay(runs, one) for name, runs in groups.items()} for one in grid]
    picked: Counter[OddsLimits] = Counter()
    for name in groups:
        rest = [
            [found for other, found in each.items() if other != name or len(groups) == 1]
            for each in tried
        ]
        best = max(range(len(grid)), key=lambda place: _worth(rest[place]))
        picked[grid[best]] += 1
        yield tried[best][name]
    for limits, times in picked.most_common():
        print(f"chosen {times} times: {limits}")


def _worth(found: list[Replay]) -> float:
    """The share of repeats that are warned, where enough of the warnings are right."""
    _, right, precision, warned, _, _ = _row(found, _ASKED)
    return warned if precision >= _PRECISION else -1 / (1 + right)


def _table(found: Iterable[Replay]) -> None:
    replays = list(found)
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
