"""Analyse, export and import loops."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from itertools import count
from typing import Any

import click

from hardwon.core.errors import storage_error
from hardwon.core.text.clean import plural
from hardwon.core.values import plain
from hardwon.learn.trials import exchange
from hardwon.learn.trials.analytics import Analysis, Curve
from hardwon.learn.trials.files import loop_ids
from hardwon.surfaces.cli import options
from hardwon.surfaces.cli.output import Progress, dump, say, table
from hardwon.surfaces.presentation.page import SMALL, bars, page, safe, section, tiles
from hardwon.surfaces.presentation.page import line as curve_of

_BLOCKS = "▁▂▃▄▅▆▇█"
_MOST = 60


def spark(values: Sequence[float], *, low: float = 0.0, high: float | None = None) -> str:
    """A line of blocks, one per value."""
    top = high if high is not None else max(values, default=0.0)
    span = (top - low) or 1.0
    highest_block = len(_BLOCKS) - 1
    return "".join(
        _BLOCKS[round(max(0.0, min(1.0, (v - low) / span)) * highest_block)] for v in values
    )


def plot(values: Sequence[float], *, height: int = 6, high: float | None = None) -> list[str]:
    """A curve over trials with its axes; a very long one is cut."""
    plotted = list(values[:_MOST])
    top = high if high is not None else max(plotted, default=1.0) or 1.0
    wide = 4 if len(plotted) <= 16 else 1
    places = [round(max(0.0, min(1.0, value / top)) * height) for value in plotted]
    lines = [_row(row, places, wide, label=top * row / height) for row in range(height, -1, -1)]
    lines.append(" " * 8 + "".join(_tick(at, wide) for at in range(len(plotted))))
    return [line.rstrip() for line in lines]


def _row(row: int, places: Sequence[int], wide: int, *, label: float) -> str:
    cells = ("●" if place == row else "·" if place > row else " " for place in places)
    return f"{label:6.2f} ┤" + "".join(cell.center(wide) for cell in cells)


def _tick(at: int, wide: int) -> str:
    if wide == 4:
        return str(at + 1).center(wide)
    return "+" if (at + 1) % 10 == 0 else "-"


def bar(value: float, most: float, *, width: int = 24) -> str:
    """A bar in proportion to the longest."""
    return "█" * max(1, round(width * value / most)) if value and most else ""


_NOTHING = "<p>nothing yet</p>"


def analysis_page(analysis: Analysis, *, title: str) -> str:
    """The whole page."""
    helped = (
        ("with lessons", analysis.success_with_lessons),
        ("without lessons", analysis.success_without_lessons),
    )
    known = [(name, value) for name, value in helped if value is not None]
    sure = [(f"{name} ({count})", share) for name, count, share in analysis.calibration]
    plots = {
        "Reward by trial (mean)": curve_of(analysis.reward_curve, "bar", label="reward", high=1.0),
        "Errors by trial (mean)": curve_of(analysis.error_curve, "bad", label="errors"),
        "Failure categories": bars(analysis.categories),
        "Why loops ended": bars(analysis.reasons),
        "Improvement after a reflection, by its confidence": bars(sure, most=1, show=percent),
        "Success with recalled lessons and without": bars(known, most=1, show=percent),
    }
    wide = {
        "Kinds of tasks that came again": _repeats_list(analysis),
        "Newest loops": "".join(map(_cell, reversed(analysis.curves))),
    }
    wide["Newest loops"] = f'<div class="small">{wide["Newest loops"] or _NOTHING}</div>'
    sections = (section(head, drawn or _NOTHING) for head, drawn in plots.items())
    return page(
        title,
        f"{plural(analysis.loops, 'loop')}, {plural(analysis.trials, 'trial')}",
        tiles(*_tiles(analysis)),
        f'<div class="pairs">{"".join(sections)}</div>',
        *(section(head, drawn or _NOTHING) for head, drawn in wide.items()),
    )


def _tiles(analysis: Analysis) -> list[tuple[str, str]]:
    return [
        (percent(analysis.success_rate), "loops that succeeded"),
        (number(analysis.trials_to_success), "trials to success"),
        (number(analysis.seconds_to_success, " s"), "time to success"),
        (f"{analysis.learning_rate:+.3f}", "learning rate per trial"),
        (str(analysis.breakthroughs), "trials that did better"),
        (percent(analysis.lesson_reuse_rate), "loops that reused lessons"),
        (number(analysis.confidence_correlation), "confidence against improvement (r)"),
        (str(analysis.low_quality), "poor reflections"),
    ]


def _repeats_list(analysis: Analysis) -> str:
    rows = "".join(
        f"<li><b>{row.loops}×</b><span>{safe(row.task)}</span>"
        f'<span class="side soft">{row.first_trials:g} → {row.last_trials:g} trials</span></li>'
        for row in analysis.repeated
    )
    return f"<ul>{rows}</ul>" if rows else ""


def _cell(curve: Curve) -> str:
    drawn = curve_of(curve.rewards, "bar", label="reward", high=1.0, size=SMALL)
    words = f"{curve.task} · {curve.status} after {len(curve.rewards)} · {curve.loop_id}"
    return f'<div>{drawn}<p class="soft">{safe(words)}</p></div>'


def percent(value: float | None) -> str:
    """A share for people."""
    return "–" if value is None else f"{value:.0%}"


def number(value: float | None, unit: str = "") -> str:
    """A number for people."""
    return "–" if value is None else f"{value:.2f}{unit}"


@click.command()
@click.option("--html", metavar="FILE", help="Write one self-contained page with the plots.")
@click.option(
    "--min-frequency",
    default=2,
    show_default=True,
    help="Only points that at least this many reflections make.",
)
@options.scope
@options.as_json
def analyze(html: str | None, min_frequency: int, as_json: bool, **place: Any) -> None:
    """Statistics over all loops: tables, curves, patterns."""
    with options.Scoped(**place) as own:
        loops, done = own.loops, count(1)
        total = len(loop_ids(loops.root))
        with Progress("Reading", is_quiet=as_json) as tell:
            analysis = loops.analyze(watch=lambda: tell(next(done), total))
        patterns = loops.patterns(min_frequency=min_frequency)
    if html:
        _write(html, analysis_page(analysis, title="What the trials taught"))
    if as_json:
        dump({**plain(analysis), "patterns": plain(patterns)})
        return
    _print_figures(analysis)
    _print_curves(analysis)
    shared = [f"  {pattern.frequency}×  {pattern.text}" for pattern in patterns[:10]]
    _print_titled("Said more than once", shared)
    if html:
        say(f"\nwritten: {html}")


@click.command()
@click.argument("loop_id")
@click.option("--published", is_flag=True, help="In the published schema (ralph-… ids).")
@click.option(
    "--to",
    "target",
    metavar="DIR",
    help="Write NNN.json files there instead; into DIR/<ralph-id>/ when DIR ends in"
    " .aiwg/ralph/reflections.",
)
@options.scope
def export(loop_id: str, published: bool, target: str | None, **place: Any) -> None:
    """The reflections of a loop as JSON."""
    is_layout = target is not None and os.path.abspath(target).endswith(exchange.LAYOUT)
    with options.Scoped(**place) as own:
        records = own.loops.reflections(loop_id)
    documents = exchange.export(records, published=published or is_layout)
    if target is None:
        dump(documents)
        return
    folder = os.path.join(target, exchange.published_id(loop_id)) if is_layout else target
    for document in documents:
        text = json.dumps(document, ensure_ascii=False, indent=2) + "\n"
        _write(os.path.join(folder, f"{document['iteration'] + 1:03d}.json"), text)
    say(f"{plural(len(documents), 'reflection')} written to {folder}")


@click.command("import")
@click.argument("path", type=click.Path(exists=True))
@options.verbose
@options.scope
@options.as_json
def import_(path: str, verbose: bool, as_json: bool, **place: Any) -> None:
    """Import the reflections below PATH, in any of the three published formats."""
    progress = Progress(
        "Importing",
        is_quiet=as_json,
        kept=lambda done: f"{plural(done, 'loop')} imported; run it again for the others",
    )
    with options.Scoped(**place) as own, progress as tell:
        imported = own.loops.import_from(path, tell=tell)
    if as_json:
        dump(imported)
        return
    counts = (
        f"{plural(imported.reflections, 'reflection')} of {plural(len(imported.loops), 'loop')}"
    )
    unchanged = f"; known already: {imported.known:,}" if imported.known else ""
    say(f"{counts} imported, {plural(imported.lessons, 'lesson')} learnt{unchanged}")
    for loop_id in imported.known_loops if verbose else ():
        say(f"  nothing new in {loop_id}")
    for problem in imported.refused:
        say(f"  refused: {problem}", fg="yellow")


def _print_figures(analysis: Analysis) -> None:
    with_lessons = percent(analysis.success_with_lessons)
    without = percent(analysis.success_without_lessons)
    table(
        [
            ("loops", f"{analysis.loops} ({plural(analysis.trials, 'trial')})"),
            ("success rate", percent(analysis.success_rate)),
            ("trials to success", number(analysis.trials_to_success)),
            ("time to success", number(analysis.seconds_to_success, " s")),
            ("learning rate", f"{analysis.learning_rate:+.3f} per trial"),
            ("breakthroughs", str(analysis.breakthroughs)),
            ("confidence", number(analysis.average_confidence)),
            ("confidence against improvement (r)", number(analysis.confidence_correlation)),
            ("poor reflections", str(analysis.low_quality)),
            ("loops that reused lessons", percent(analysis.lesson_reuse_rate)),
            ("success with / without lessons", f"{with_lessons} / {without}"),
        ],
        indent="",
    )


def _print_curves(analysis: Analysis) -> None:
    if not analysis.loops:
        return
    _print_titled("Reward by trial (mean)", plot(analysis.reward_curve, high=1.0))
    _print_titled("Errors by trial (mean)", plot(analysis.error_curve))
    most = max((count for _, count in analysis.categories), default=0)
    rows = [f"  {kind:<26}{bar(count, most)} {count}" for kind, count in analysis.categories]
    _print_titled("Failure categories", rows)
    _print_titled(
        "Why loops ended", [f"  {count:>5}  {reason}" for reason, count in analysis.reasons]
    )
    _print_titled(
        "Improvement after a reflection, by its confidence",
        [f"  {name}  {share:>4.0%} of {count}" for name, count, share in analysis.calibration],
    )
    _print_titled(
        "Kinds of tasks that came again: trials in the first and in the last half",
        [
            f"  {r.first_trials:g} → {r.last_trials:g}  ({r.loops}×)  {r.task}"
            for r in analysis.repeated
        ],
    )
    lines = [f"  {spark(c.rewards, high=1):<12} {c.status:<10} {c.task}" for c in analysis.curves]
    _print_titled("Newest loops", lines)


def _print_titled(title: str, lines: list[str]) -> None:
    if lines:
        say(f"\n{title}", bold=True)
    for line in lines:
        say(line)


def _write(path: str, text: str) -> None:
    try:
        os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
        with open(path, "w", encoding="utf-8", errors="replace") as file:
            file.write(text)
    except OSError as error:
        raise storage_error(error, path) from error
