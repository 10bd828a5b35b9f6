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

Cell = tuple[str, int]  # project and task

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
    return [row for path in paths for row in read_rows(path)]


def tables(rows: list[Row]) -> str:
    """Means by arm with intervals, then by project, then what was not compared.

    Arms are compared on the tasks that every arm has done. A task counts once, however often an
    arm did it. Intervals: 95 %, bootstrap over tasks.
    """
    by_arm = _cells(rows)
    arms = [arm for arm in by_arm if not arm.endswith("training")]
    if not arms:
        return "no results"
    common = sorted(set.intersection(*(set(by_arm[arm]) for arm in arms)))
    if not common:
        return "no task was done in every arm"
    chosen = {arm: [by_arm[arm][cell] for cell in common] for arm in arms}
    parts = [
        f"{len(common)} tasks in {len({project for project, _ in common})} projects",
        _means_by_arm(chosen),
        _by_project(by_arm, arms, common),
        _not_compared(rows, set(common)),
    ]
    return "\n\n".join(filter(None, parts))


def _cells(rows: list[Row]) -> dict[str, dict[Cell, list[Row]]]:
    by_arm: dict[str, dict[Cell, list[Row]]] = defaultdict(lambda: defaultdict(list))
    for row in sorted(rows, key=lambda row: row["arm"] != "none"):  # the first to compare with
        by_arm[row["arm"]][row["project"], row["task"]].append(row)
    return by_arm


def _means_by_arm(chosen: dict[str, list[list[Row]]]) -> str:
    lines = [
        "| arm | runs | done | " + " | ".join(_FIELDS) + " |",
        "|---|---|---|" + "---|" * len(_FIELDS),
    ]
    first = next(iter(chosen))
    for arm, cells in chosen.items():
        runs = [row for cell in cells for row in cell]
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


def _by_project(
    by_arm: dict[str, dict[Cell, list[Row]]], arms: list[str], common: list[Cell]
) -> str:
    lines = [
        "| calls, failed calls | " + " | ".join(arms) + " |",
        "|---|" + "---|" * len(arms),
    ]
    for project in sorted({project for project, _ in common}):
        cells = [cell for cell in common if cell[0] == project]
        texts = []
        for arm in arms:
            groups = [by_arm[arm][cell] for cell in cells]
            pair = [_mean(groups, _FIELDS[field]) for field in ("calls", "failed calls")]
            texts.append(", ".join(map(_number, pair)))
        lines.append(f"| {project} | {' | '.join(texts)} |")
    return "\n".join(lines)


def _not_compared(rows: list[Row], common: set[Cell]) -> str:
    left = [row for row in rows if (row["project"], row["task"]) not in common]
    texts = sorted(
        f"{row['project']} {row['task']} ({row['arm']}: {row['calls']} calls, {row['failed']}"
        f" failed, {'done' if row['done'] else 'not done'})"
        for row in left
    )
    return f"Not compared, for not every arm did them: {'; '.join(texts)}." if texts else ""


def _mean(cells: list[list[Row]], value: Callable[[Row], float]) -> float:
    return fmean(fmean(map(value, rows)) for rows in cells)


def _interval(
    base: list[list[Row]], other: list[list[Row]], value: Callable[[Row], float]
) -> tuple[float, float]:
    """Where 95 % of the differences lie when tasks are drawn again and again."""
    differences = [
        _mean([after], value) - _mean([before], value)
        for before, after in zip(base, other, strict=True)
    ]
    chance = random.Random(7)
    drawn = sorted(fmean(chance.choices(differences, k=len(differences))) for _ in range(_DRAWS))
    return drawn[int(0.025 * _DRAWS)], drawn[int(0.975 * _DRAWS)]


def _number(value: float, *, signed: bool = False) -> str:
    sign = "+" if signed else "-"
    return f"{value:{sign},.0f}" if abs(value) >= 100 else f"{value:{sign}.1f}"
