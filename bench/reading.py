"""How well a failure is read: `HARDWON_BENCH_WORLDS=folder python -m bench reading`.

The folder holds worlds of agent runs (`*.jsonl.gz`, one run a line: group, order, run, steps[tool,
args, output, failed, exact, kind]) and may hold `golden.json` with failures that should teach
something and failures that should not. Rules were chosen on `CHOSEN_ON`; the other groups are
reported apart and were not looked at. The columns:

kind      pairs of failing steps of a group that have one kind by label and by reading: precision,
          recall (the same of the named: steps with an exact label, without missing modules and
          programs, whose labels differ by form and not by name); kinds met again that are found
          again (all, and those with an exact label); kinds never met that are called met
verdict   precision, recall on labelled failures, working calls judged failed per 100
mistakes  steps that should teach nothing and are judged so; golden steps that are judged so
"""

from __future__ import annotations

import gzip
import json
import os
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

from hardwon.core.values.run import Failure, Step
from hardwon.knowledge.reading.call_keys import canonical
from hardwon.knowledge.reading.mistakes import is_mistake
from hardwon.knowledge.reading.reading import read_failure
from hardwon.knowledge.reading.verdict import has_failed

CHOSEN_ON = ("sympy__sympy", "retail")
HALVED = "django__django"  # runs of even order were looked at
_MISSING = "No module named|command not found"
_TIMES = ("reading", "verdict", "mistakes")


class Read(NamedTuple):
    """One step of a run, with its labels and what was made of it."""

    group: str
    run: tuple[int, str]
    step: Step
    exact: str | None
    kind: str | None
    failure: Failure | None
    is_judged_failed: bool
    is_judged_mistake: bool


class Expression(NamedTuple):
    """What finds the steps of one golden item or silence."""

    world: str
    group: str
    tool: re.Pattern[str]
    command: re.Pattern[str]
    output: re.Pattern[str]

    def fits(self, world: str, read: Read) -> bool:
        """Whether the step belongs to it."""
        is_here = self.world == world and self.group in ("*", read.group)
        tool, args, output = read.step.tool, read.step.args[:2000], read.step.output
        found = self.tool.search(tool) and self.command.search(args) and self.output.search(output)
        return is_here and bool(found)


def main() -> None:
    """Print a table for the groups that rules were chosen on, and one for the others."""
    folder = Path(os.environ.get("HARDWON_BENCH_WORLDS", ""))
    worlds = sorted(folder.glob("*.jsonl.gz")) if folder.name else []
    worlds = [path for path in worlds if path.name in {"swe.jsonl.gz", "tau.jsonl.gz"}] or worlds
    if not worlds:
        print("HARDWON_BENCH_WORLDS names no folder with worlds")
        return
    golden, silent = _expressions(folder / "golden.json")
    spent: dict[str, float] = defaultdict(float)
    rows: dict[tuple[str, str], list[Read]] = defaultdict(list)
    for path in worlds:
        for run in _runs(path):
            side = "chosen on" if _is_chosen_on(run) else "left out"
            rows[path.name.split(".")[0], side] += _read(run, spent)
    for (world, side), reads in sorted(rows.items()):
        _print(world, side, reads)
        _print_mistakes(world, reads, golden, silent)
    failing = sum(read.step.failed for reads in rows.values() for read in reads)
    steps = sum(map(len, rows.values()))
    each = {"reading": failing, "verdict": steps, "mistakes": failing}
    print(
        "ms a step:", ", ".join(f"{name} {1e3 * spent[name] / each[name]:.2f}" for name in _TIMES)
    )


def _runs(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        yield from map(json.loads, file)


def _is_chosen_on(run: dict[str, Any]) -> bool:
    return run["group"] in CHOSEN_ON or (run["group"] == HALVED and run["order"] % 2 == 0)


def _read(run: dict[str, Any], spent: dict[str, float]) -> Iterator[Read]:
    before: list[Step] = []
    for labelled in run["steps"]:
        flag, kind = labelled["failed"], labelled["kind"]
        failed = kind is not None if flag is None else flag
        step = Step(labelled["tool"], canonical(labelled["args"]), labelled["output"], failed)
        began = perf_counter()
        judged = has_failed(step.tool, step.output, step.args, before)
        spent["verdict"] += perf_counter() - began
        failure, mistake = _failure(step, before, spent) if failed else (None, False)
        labels = (labelled["exact"], kind)
        yield Read(
            run["group"], (run["order"], run["run"]), step, *labels, failure, judged, mistake
        )
        before.append(step)


def _failure(
    step: Step, before: Sequence[Step], spent: dict[str, float]
) -> tuple[Failure | None, bool]:
    began = perf_counter()
    failure = read_failure(step, before)
    read = perf_counter()
    mistake = is_mistake(step, before)
    spent["reading"] += read - began
    spent["mistakes"] += perf_counter() - read
    return failure, mistake


def _print(world: str, side: str, reads: list[Read]) -> None:
    precision, recall = _pairs(reads)
    named_precision, named_recall = _pairs(list(filter(_is_named, reads)))
    found, repeats, named, named_repeats, wrong, fresh = _met_again(reads)
    print(f"\n{world}, groups {side}: {sum(read.step.failed for read in reads)} failing steps")
    print(
        f"kind: precision {precision:.3f} recall {recall:.3f}, of the named "
        f"{named_precision:.3f} {named_recall:.3f}; met again, found "
        f"{_share(found, repeats)}, with an exact label {_share(named, named_repeats)}; "
        f"never met, called met {_share(wrong, fresh)}"
    )
    judged = Counter((bool(read.step.failed), read.is_judged_failed) for read in reads)
    labelled = [read for read in reads if read.kind]
    caught = sum(read.is_judged_failed for read in labelled)
    right = judged[True, True] + judged[False, True]
    working = judged[False, True] + judged[False, False]
    print(
        f"verdict: precision {_share(judged[True, True], right)}, recall "
        f"{_share(caught, len(labelled))}; working calls judged failed "
        f"{100 * judged[False, True] / max(1, working):.2f} per 100"
    )


def _is_named(read: Read) -> bool:
    """A failure with an exact label that is no missing module or program."""
    return bool(read.exact) and not re.search(_MISSING, read.kind or "")


def _pairs(reads: list[Read]) -> tuple[float, float]:
    """Pairs of steps of one group with one kind: shares of those read, and of those labelled."""
    both: Counter[tuple[str, str, str]] = Counter()
    for read in reads:
        if read.kind and read.failure:
            both[read.group, read.kind, read.failure.kind] += 1
    by_label: Counter[tuple[str, str]] = Counter()
    by_reading: Counter[tuple[str, str]] = Counter()
    for (group, label, kind), count in both.items():
        by_label[group, label] += count
        by_reading[group, kind] += count
    same = _pairs_in(both)
    return same / max(1, _pairs_in(by_reading)), same / max(1, _pairs_in(by_label))


def _pairs_in(counts: Counter[Any]) -> int:
    return sum(count * (count - 1) // 2 for count in counts.values())


def _met_again(reads: list[Read]) -> tuple[int, int, int, int, int, int]:
    """Labels met in an earlier run of the group, those found by kind, and false meetings."""
    tally: Counter[str] = Counter()
    groups: dict[str, list[Read]] = defaultdict(list)
    for read in reads:
        if read.step.failed:
            groups[read.group].append(read)
    for group in groups.values():
        _meet(sorted(group, key=lambda read: read.run), tally)
    names = ("found", "repeats", "named", "named repeats", "wrong", "fresh")
    found, repeats, named, named_repeats, wrong, fresh = (tally[name] for name in names)
    return found, repeats, named, named_repeats, wrong, fresh


def _meet(group: list[Read], tally: Counter[str]) -> None:
    labels: dict[str, tuple[int, str]] = {}
    kinds: dict[str, tuple[int, str]] = {}
    counted: set[tuple[Any, str]] = set()
    for read in group:
        if read.kind and (read.run, read.kind) not in counted:
            counted.add((read.run, read.kind))
            is_known = bool(read.failure) and kinds.get(read.failure.kind, read.run) != read.run  # type: ignore[union-attr]
            _count(
                read, tally, is_repeat=labels.get(read.kind, read.run) != read.run, found=is_known
            )
        if read.kind:
            labels.setdefault(read.kind, read.run)
        if read.failure:
            kinds.setdefault(read.failure.kind, read.run)


def _count(read: Read, tally: Counter[str], *, is_repeat: bool, found: bool) -> None:
    if not is_repeat:
        tally["fresh"] += 1
        tally["wrong"] += found
        return
    tally["repeats"] += 1
    tally["found"] += found
    if read.exact:
        tally["named repeats"] += 1
        tally["named"] += found


def _expressions(path: Path) -> tuple[list[Expression], list[Expression]]:
    if not path.is_file():
        return [], []
    held = json.loads(path.read_text(encoding="utf-8"))
    return (
        [_expression(item, output=item["error"]) for item in held["golden"]],
        [_expression(item, output=item["output"]) for item in held["silences"]],
    )


def _expression(item: dict[str, Any], *, output: str) -> Expression:
    command = re.compile(item.get("command", ""))
    tool = re.compile(item["tool"])
    return Expression(item["world"], item["group"], tool, command, re.compile(output))


def _print_mistakes(
    world: str, reads: list[Read], golden: list[Expression], silent: list[Expression]
) -> None:
    tally: Counter[str] = Counter()
    for read in (read for read in reads if read.step.failed):
        if any(each.fits(world, read) for each in golden):
            tally["golden"] += 1
            tally["lost"] += not read.is_judged_mistake
        elif any(each.fits(world, read) for each in silent):
            tally["silent"] += 1
            tally["quiet"] += not read.is_judged_mistake
    if tally:
        print(
            f"mistakes: silences judged none {_share(tally['quiet'], tally['silent'])}, "
            f"golden steps judged none {_share(tally['lost'], tally['golden'])}"
        )


def _share(part: int, whole: int) -> str:
    return f"{part / max(1, whole):.3f} ({part} of {whole})"
