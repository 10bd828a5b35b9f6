"""Results of runs, and the tables of what they show."""

from __future__ import annotations

import json
import random
from collections import defaultdict
from statistics import fmean
from typing import TYPE_CHECKING

from bench.trial.live import Row, read_rows

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
}


def save(work: Path, row: Row) -> str:
    """Keep the result of a run, once for each name; the line as it is kept."""
    line = json.dumps(row)
    (work / "run" / row["run"] / "result.json").write_text(line + "\n")
    results = [path.read_text() for path in sorted(work.glob("run/*/result.json"))]
    (work / "results.jsonl").write_text("".join(results))
    return line


def load(paths: Iterable[Path]) -> list[Row]:
    """The results in these files."""
    return [row for path in paths if path.exists() for row in read_rows(path)]


def tables(rows: list[Row]) -> str:
    """Means by arm with intervals and by project, then what was not compared.

    Arms are compared with the first one on the tasks that all of them did: one table for each set
    of tasks, the largest first. A task counts once, however often an arm did it. Intervals: 95 %,
    bootstrap over tasks.
    """
    by_arm = _cells(rows)
    if not by_arm:
        return "no results"
    first, *others = by_arm
    did = {arm: frozenset(by_arm[arm]) & frozenset(by_arm[first]) for arm in by_arm}
    sets = sorted({did[arm] for arm in others or [first]} - {frozenset()}, key=len, reverse=True)
    parts = []
    for tasks in sets:
        chosen = {
            arm: {task: cells[task] for task in sorted(tasks)}
            for arm, cells in by_arm.items()
            if tasks <= did[arm]
        }
        projects = sorted({project for project, _ in tasks})
        parts += [f"{len(tasks)} tasks of {', '.join(projects)}:", _means_by_arm(chosen)]
        if len(projects) > 1:
            parts.append(_by_project(chosen))
    parts.append(_not_compared(rows, frozenset().union(*sets)))
    return "\n\n".join(filter(None, parts))


def _cells(rows: list[Row]) -> dict[str, Cells]:
    """The runs of each arm by task; `none` comes first, training is left out."""
    by_arm: dict[str, Cells] = defaultdict(lambda: defaultdict(list))
    tests = (row for row in rows if not row["arm"].endswith("training"))
    for row in sorted(tests, key=lambda row: row["arm"] != "none"):
        by_arm[row["arm"]][row["project"], row["task"]].append(row)
    return by_arm


def _means_by_arm(chosen: dict[str, Cells]) -> str:
    lines = [
        "| arm | runs | done | " + " | ".join(_FIELDS) + " |",
        "|---|---|---|" + "---|" * len(_FIELDS),
    ]
    first = next(iter(chosen))
    for arm, cells in chosen.items():
        runs = [row for cell in cells.values() for row in cell]
        texts = []
        for value in _FIELDS.values():
            mean = _mean(cells, value)
            text = _number(mean)
            if arm != first and value is not _FIELDS["told"]:
                low, high = _interval(chosen[first], cells, value)
                text += f" ({_number(low, signed=True)} … {_number(high, signed=True)})"
            texts.append(text)
        done = sum(row["done"] for row in runs)
        lines.append(f"| {arm} | {len(runs)} | {done} | {' | '.join(texts)} |")
    lines.append(f"\nIn brackets: the difference from `{first}`, 95 % interval.")
    return "\n".join(lines)


def _by_project(chosen: dict[str, Cells]) -> str:
    lines = [
        "| calls, failed calls | " + " | ".join(chosen) + " |",
        "|---|" + "---|" * len(chosen),
    ]
    tasks = next(iter(chosen.values()))
    for project in sorted({project for project, _ in tasks}):
        texts = []
        for cells in chosen.values():
            own = {task: runs for task, runs in cells.items() if task[0] == project}
            pair = [_mean(own, _FIELDS[field]) for field in ("calls", "failed calls")]
            texts.append(", ".join(map(_number, pair)))
        lines.append(f"| {project} | {' | '.join(texts)} |")
    return "\n".join(lines)


def _not_compared(rows: list[Row], compared: frozenset[Task]) -> str:
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
