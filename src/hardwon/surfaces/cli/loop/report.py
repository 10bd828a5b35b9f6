"""Analyse, export and import loops and reflections."""

from __future__ import annotations

import json
import os
from itertools import count
from typing import TYPE_CHECKING, Any

import click

from hardwon.core.errors import storage_error
from hardwon.core.text.clean import plural
from hardwon.core.values import plain
from hardwon.learn.trials import exchange
from hardwon.learn.trials.files import loop_ids
from hardwon.surfaces.cli import options
from hardwon.surfaces.cli.loop.chart import bar, plot, spark
from hardwon.surfaces.cli.loop.page import analysis_page, number, percent
from hardwon.surfaces.cli.output import dump, say, table
from hardwon.surfaces.cli.progress import Progress

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hardwon.learn.trials import Loops
    from hardwon.learn.trials.analytics import Analysis, SharedPoint


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
        loops = own.loops
        analysis = _analysis(loops, is_quiet=as_json)
        patterns = loops.patterns(min_frequency=min_frequency)
    if html:
        _write(html, analysis_page(analysis, title="What the trials taught"))
    if as_json:
        dump({**plain(analysis), "patterns": plain(patterns)})
        return
    _figures(analysis)
    _curves(analysis)
    _patterns(patterns)
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
        _write(os.path.join(folder, f"{document['iteration'] + 1:03d}.json"), _text(document))
    say(f"{plural(len(documents), 'reflection')} written to {folder}")


@click.command("import")
@click.argument("path", type=click.Path(exists=True))
@options.verbose
@options.scope
@options.as_json
def import_(path: str, verbose: bool, as_json: bool, **place: Any) -> None:
    """Import the reflections below PATH, in any of the three published formats."""
    progress = Progress("Importing", is_quiet=as_json, kept=_loops_kept)
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


def _loops_kept(done: int) -> str:
    return f"{plural(done, 'loop')} imported; run it again for the others"


def _analysis(loops: Loops, *, is_quiet: bool) -> Analysis:
    total, done = len(loop_ids(loops.root)), count(1)
    with Progress("Reading", is_quiet=is_quiet) as tell:
        return loops.analyze(watch=lambda: tell(next(done), total))


def _figures(analysis: Analysis) -> None:
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
            ("success with / without lessons", _both(analysis)),
        ],
        indent="",
    )


def _both(analysis: Analysis) -> str:
    return f"{percent(analysis.success_with_lessons)} / {percent(analysis.success_without_lessons)}"


def _curves(analysis: Analysis) -> None:
    if not analysis.loops:
        return
    _titled("Reward by trial (mean)", plot(analysis.reward_curve, high=1.0))
    _titled("Errors by trial (mean)", plot(analysis.error_curve))
    most = max((count for _, count in analysis.categories), default=0)
    rows = [f"  {kind:<26}{bar(count, most)} {count}" for kind, count in analysis.categories]
    _titled("Failure categories", rows)
    _titled("Why loops ended", [f"  {count:>5}  {reason}" for reason, count in analysis.reasons])
    _titled(
        "Improvement after a reflection, by its confidence",
        [f"  {name}  {share:>4.0%} of {count}" for name, count, share in analysis.calibration],
    )
    _titled(
        "Kinds of tasks that came again: trials in the first and in the last half",
        [
            f"  {r.first_trials:g} → {r.last_trials:g}  ({r.loops}×)  {r.task}"
            for r in analysis.repeated
        ],
    )
    lines = [f"  {spark(c.rewards, high=1):<12} {c.status:<10} {c.task}" for c in analysis.curves]
    _titled("Newest loops", lines)


def _patterns(patterns: Sequence[SharedPoint]) -> None:
    _titled(
        "Said more than once",
        [f"  {pattern.frequency}×  {pattern.text}" for pattern in patterns[:10]],
    )


def _titled(title: str, lines: list[str]) -> None:
    if lines:
        say(f"\n{title}", bold=True)
    for line in lines:
        say(line)


def _text(document: dict[str, Any]) -> str:
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"


def _write(path: str, text: str) -> None:
    try:
        os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
        with open(path, "w", encoding="utf-8", errors="replace") as file:
            file.write(text)
    except OSError as error:
        raise storage_error(error, path) from error
