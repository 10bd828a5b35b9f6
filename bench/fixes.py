"""Fixes that runs show: `HARDWON_BENCH_WORLDS=folder python -m bench fixes`.

How many failures get a fix, whether it names the cure, whether it is right. The folder holds worlds
of agent runs (`*.jsonl.gz`) and may hold `golden.json`, as for `bench reading`. Rules were written
while reading the groups of `DEVELOPED`; the figures that count are those of the others. `--show`
prints every fix of the others, to be read.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import statistics
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from hardwon.failures.call_keys import canonical
from hardwon.failures.fixes import fixes_shown
from hardwon.failures.reading import read_failure
from hardwon.values.fix import Fix
from hardwon.values.step import Step

JUDGED = Path(__file__).parent / "data" / "fixes-judged.json"
DEVELOPED = ("sympy__sympy", "sphinx-doc__sphinx", "retail")
HALVED = "django__django"  # runs of an even order were read


class Shown(NamedTuple):
    """A fix, the failing step and the step that showed it."""

    run: dict[str, Any]
    failed: int
    worked: int
    fix: Fix

    @property
    def name(self) -> str:
        """Names the pair of steps, without their words."""
        return f"{self.run['run']}:{self.failed}:{self.worked}"


class Run(NamedTuple):
    """A run with its steps and the fixes they show."""

    row: dict[str, Any]
    steps: list[Step]
    shown: list[Shown]
    seconds: list[float]


def main() -> None:
    """Print the figures of both parts of the data."""
    folder = Path(os.environ.get("HARDWON_BENCH_WORLDS", "."))
    if not list(folder.glob("*.jsonl.gz")):
        print("Set HARDWON_BENCH_WORLDS to a folder with worlds of agent runs.")
        return
    runs = [read_run(row) for row in rows(folder)]
    for title, is_developed in (("read while writing the rules", True), ("held out", False)):
        part = [run for run in runs if is_read(run.row) == is_developed]
        print(f"\n{title}: {len(part)} runs")
        shares(part)
        golden(part, folder / "golden.json")
        if not is_developed:
            verdicts(part)
            speed(part)
            if "--show" in sys.argv:
                show(part)


def rows(folder: Path) -> Iterator[dict[str, Any]]:
    """The runs of all worlds."""
    for path in sorted(folder.glob("*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as file:
            yield from (row for row in map(json.loads, file) if "group" in row)


def is_read(row: dict[str, Any]) -> bool:
    """Whether the run belongs to the part that the rules were written on."""
    return row["group"] in DEVELOPED or (row["group"] == HALVED and row["order"] % 2 == 0)


def read_run(row: dict[str, Any]) -> Run:
    """The run step by step, as an agent would go through it."""
    steps: list[Step] = []
    shown: list[Shown] = []
    seconds: list[float] = []
    for place, raw in enumerate(row["steps"]):
        failed = raw["failed"] or (raw["failed"] is None and bool(raw["exact"] or raw["kind"]))
        step = Step(raw["tool"], canonical(raw["args"]), raw["output"], bool(failed))
        failure = read_failure(step, steps) if step.failed else None
        steps.append(step._replace(failure=failure))
        began = time.perf_counter()
        fixes = fixes_shown(steps)
        seconds.append(time.perf_counter() - began)
        shown += [Shown(row, at, place, fix) for at, fix in fixes]
    return Run(row, steps, shown, seconds)


def shares(runs: list[Run]) -> None:
    """How many failing steps get a fix, by sort."""
    failing = [step for run in runs for step in run.steps if step.failed]
    named = [step for step in failing if step.failure]
    fixed = {(one.run["run"], one.failed) for run in runs for one in run.shown}
    sorts = Counter(one.fix.sort for run in runs for one in run.shown)
    print(f"failing steps {len(failing)}, with an error line {len(named)}")
    print(
        f"with a fix    {len(fixed)} ({len(fixed) / max(1, len(named)):.2f} of those with a line)"
    )
    print("by sort       " + ", ".join(f"{sort} {count}" for sort, count in sorts.most_common()))
    keys = {(one.fix.key, one.run["run"]) for run in runs for one in run.shown}
    twice = sum(count > 1 for count in Counter(key for key, _ in keys).values())
    print(f"fixes that a second run shows too: {twice}")


def golden(runs: list[Run], path: Path) -> None:
    """For each golden lesson the runs that meet it, that show a fix, and that name the cure."""
    if not path.is_file():
        return
    print("golden lesson                  runs  fix  cure")
    sums = Counter[str]()
    means = []
    for item in json.loads(path.read_text(encoding="utf-8"))["golden"]:
        met = [(run, places) for run in runs if (places := _meets(item, run))]
        cured = sum(_names_cure(item, run, places) for run, places in met)
        fixed = sum(any(s.failed in places for s in run.shown) for run, places in met)
        if met:
            print(f"{item['id']:30} {len(met):4} {fixed:4} {cured:5}")
            means.append(cured / len(met))
            sums.update(runs=len(met), cure=cured, **_examples(item, met))
    share = sums["cure"] / sums["runs"]
    print(f"examples {sums['examples']}, of them with the cure {sums['shown']}")
    print(
        f"cure named in {share:.2f} of the meetings; mean over lessons {statistics.mean(means):.2f}"
    )


def _examples(item: dict[str, Any], met: list[tuple[Run, set[int]]]) -> dict[str, int]:
    """How many of the named failing steps get a fix that names the cure."""
    known = {run.row["run"]: run for run, _ in met}
    named = [(known[e["run"]], e["fails"]) for e in item["examples"] if e["run"] in known]
    shown = sum(_names_cure(item, run, {place}) for run, place in named)
    return {"examples": len(named), "shown": shown}


def _meets(item: dict[str, Any], run: Run) -> set[int]:
    if item["group"] not in {"*", run.row["group"]}:
        return set()
    return {
        at
        for at, step in enumerate(run.steps)
        if step.failed and re.search(item["error"], step.output)
        if re.search(item.get("tool") or "", step.tool)
    }


def _names_cure(item: dict[str, Any], run: Run, places: set[int]) -> bool:
    texts = [one.fix.text for one in run.shown if one.failed in places]
    return any(re.search(item["cure"], t) and not re.search(item["never"], t) for t in texts)


def verdicts(runs: list[Run]) -> None:
    """How many of the fixes that were read are right and usable."""
    judged = json.loads(JUDGED.read_text(encoding="utf-8"))["verdicts"]
    shown = {one.name: one.fix.key for run in runs for one in run.shown}
    same = [v for name, v in judged.items() if shown.get(name) == v["key"]]
    print(f"fixes {len(shown)}, judged {len(same)}")
    _print_verdicts("all", same)
    _print_verdicts("runs not read before", [verdict for verdict in same if verdict["unread"]])


def _print_verdicts(title: str, judged: list[dict[str, Any]]) -> None:
    right = sum(verdict["right"] for verdict in judged) / max(1, len(judged))
    values = sum(verdict["value"] for verdict in judged)
    good = [v for v in judged if v["right"] and v["usable"] and not v["value"]]
    share = len(good) / max(1, len(judged))
    print(f"{title}: right {right:.2f}, right and usable {share:.2f}, values of one run {values}")


def speed(runs: list[Run]) -> None:
    """What a step costs."""
    seconds = sorted(second for run in runs for second in run.seconds)
    at = {share: seconds[int(len(seconds) * share)] * 1e3 for share in (0.5, 0.9, 0.99)}
    mean = statistics.mean(seconds) * 1e3
    print(f"ms a step: mean {mean:.2f}, " + ", ".join(f"p{s:.0%} {v:.2f}" for s, v in at.items()))


def show(runs: list[Run]) -> None:
    """Every fix with its failure, to be read."""
    for one in (each for run in runs for each in run.shown):
        failure = next(r for r in runs if r.row is one.run).steps[one.failed].failure
        print(f"\n{one.name} [{one.fix.key}]\n  {failure.line if failure else ''}\n{one.fix.text}")
