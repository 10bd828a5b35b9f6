"""Results of runs, and the tables of what they show."""

from __future__ import annotations

import json
import os
import random
from collections import defaultdict
from statistics import fmean
from typing import TYPE_CHECKING

from bench.trial.memories import Row, read_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

Task = tuple[str, int]  # project and number
Cells = dict[Task, list[Row]]

_DRAWS = 4000
_FIELDS: dict[str, Callable[[Row], float]] = {
    "calls": lambda row: row["calls"],
    "failed calls": lambda row: row["failed"],
    "quirks met": lambda row: sum(row["quirks"].values()),
    "read": lambda row: row["read"],
    "told": lambda row: row["told"],
    "calls apart": lambda row: row.get("apart", 0),
}
_OF_MEMORY = ("told", "calls apart")  # without memory there is nothing of it


def save(work: Path, row: Row) -> str:
    """Keep the result of a run, once for each name; the line as it is kept."""
    line = json.dumps(row)
    (work / "run" / row["run"] / "result.json").write_text(line + "\n")
    results = [path.read_text() for path in sorted(work.glob("run/*/result.json"))]
    new = work / f"results.{os.getpid()}"
    new.write_text("".join(results))
    new.replace(work / "results.jsonl")  # several runs may end at the same time
    return line


def load(paths: Iterable[Path]) -> list[Row]:
    """The results in these files."""
    return [row for path in paths if path.exists() for row in read_rows(path)]


def tables(rows: list[Row]) -> str:
    """All arms in one table, then by project, runs that did harm, and what was not compared.

    Each arm is compared with the runs without memory on the tasks that both have done. A task
    counts once, however often an arm did it. Intervals: 95 %, bootstrap over tasks.
    """
    by_arm = _cells(rows)
    if not by_arm:
        return "no results"
    (first, base), *others = by_arm.items()
    pairs = {arm: _on_tasks_of(cells, base) for arm, cells in others}
    pairs = {arm: cells for arm, cells in pairs.items() if cells}
    compared = {task: runs for cells in pairs.values() or [base] for task, runs in cells.items()}
    pairs = {first: _on_tasks_of(base, compared), **pairs}
    parts = [
        _means_by_arm(pairs),
        _by_project(pairs),
        _harm(pairs),
        _not_compared(rows, compared),
    ]
    return "\n\n".join(filter(None, parts))


def _cells(rows: list[Row]) -> dict[str, Cells]:
    """The runs of each arm by task; `none` comes first, training is left out."""
    by_arm: dict[str, Cells] = defaultdict(lambda: defaultdict(list))
    tests = (row for row in rows if not row["arm"].endswith("training"))
    for row in sorted(tests, key=lambda row: row["arm"] != "none"):
        by_arm[row["arm"]][row["project"], row["task"]].append(row)
    return by_arm


def _on_tasks_of(cells: Cells, other: Cells) -> Cells:
    return {task: cells[task] for task in sorted(cells) if task in other}


def _means_by_arm(pairs: dict[str, Cells]) -> str:
    lines = [
        "| arm | tasks | runs | done | harm | " + " | ".join(_FIELDS) + " |",
        "|---|---|---|---|---|" + "---|" * len(_FIELDS),
    ]
    first = next(iter(pairs))
    for arm, cells in pairs.items():
        runs = [row for cell in cells.values() for row in cell]
        done = sum(row["done"] for row in runs)
        harm = "" if arm == first else len(_harmful(cells, pairs[first]))
        base = None if arm == first else _on_tasks_of(pairs[first], cells)
        texts = [_text(cells, base, name) for name in _FIELDS]
        lines.append(
            f"| {arm} | {len(cells)} | {len(runs)} | {done} | {harm} | {' | '.join(texts)} |"
        )
    lines += [
        "",
        f"*of*: the mean of `{first}` on the same tasks; in brackets the 95 % interval of the"
        " difference.",
        f"*harm*: runs with more failed calls than the worst run of `{first}` on that task.",
    ]
    return "\n".join(lines)


def _text(cells: Cells, base: Cells | None, name: str) -> str:
    value = _FIELDS[name]
    text = _number(_mean(cells, value))
    if base is None or name in _OF_MEMORY:
        return text
    low, high = _interval(base, cells, value)
    of = _number(_mean(base, value))
    return f"{text} of {of} ({_number(low, signed=True)} … {_number(high, signed=True)})"


def _by_project(pairs: dict[str, Cells]) -> str:
    lines = [
        "| calls, failed calls | " + " | ".join(pairs) + " |",
        "|---|" + "---|" * len(pairs),
    ]
    for project in sorted({project for cells in pairs.values() for project, _ in cells}):
        texts = []
        for cells in pairs.values():
            own = {task: runs for task, runs in cells.items() if task[0] == project}
            pair = [_mean(own, _FIELDS[name]) for name in ("calls", "failed calls")] if own else []
            texts.append(", ".join(map(_number, pair)))
        lines.append(f"| {project} | {' | '.join(texts)} |")
    return "\n".join(lines)


def _harmful(cells: Cells, base: Cells) -> list[tuple[Row, int]]:
    """Runs with more failed calls than the worst run of `base` on the task, and that number."""
    worst = {task: max(row["failed"] for row in runs) for task, runs in base.items()}
    return [
        (row, worst[task])
        for task, runs in cells.items()
        for row in runs
        if row["failed"] > worst[task]
    ]


def _harm(pairs: dict[str, Cells]) -> str:
    base, *others = pairs.values()
    found = [
        f"| {row['run']} | {row['arm']} | {row['project']} {row['task']} | {row['calls']} |"
        f" {row['failed']} | {worst} |"
        for cells in others
        for row, worst in _harmful(cells, base)
    ]
    heads = "| harm: run | arm | task | calls | failed calls | worst without memory |"
    return "\n".join([heads, "|---|---|---|---|---|---|", *found]) if found else ""


def _not_compared(rows: list[Row], compared: Cells) -> str:
    texts = sorted(
        f"{row['project']} {row['task']} ({row['arm']}: {row['calls']} calls, {row['failed']}"
        f" failed, {'done' if row['done'] else 'not done'})"
        for row in rows
        if (row["project"], row["task"]) not in compared
    )
    return f"Not compared: {'; '.join(texts)}." if texts else ""


def _mean(cells: Cells, value: Callable[[Row], float]) -> float:
    return fmean(fmean(map(value, runs)) for runs in cells.values())


def _interval(base: Cells, other: Cells, value: Callable[[Row], float]) -> tuple[float, float]:
    """Where 95 % of the differences lie when tasks are drawn again and again."""
    differences = [
        fmean(map(value, runs)) - fmean(map(value, base[task])) for task, runs in other.items()
    ]
    chance = random.Random(7)
    drawn = sorted(fmean(chance.choices(differences, k=len(differences))) for _ in range(_DRAWS))
    return drawn[int(0.025 * _DRAWS)], drawn[int(0.975 * _DRAWS)]


def _number(value: float, *, signed: bool = False) -> str:
    sign = "+" if signed else "-"
    return f"{value:{sign},.0f}" if abs(value) >= 100 else f"{value:{sign}.1f}"
