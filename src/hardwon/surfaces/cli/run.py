"""`hardwon run`: the runs that ended, and their steps."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import click

from hardwon.core.text.clean import one_line, plural
from hardwon.core.values.run import WITHHELD, EndedRun, Shown, Step, timeline
from hardwon.surfaces.cli import options
from hardwon.surfaces.cli.options import Group
from hardwon.surfaces.cli.output import age, dump, fit_rows, say, say_folded, width
from hardwon.surfaces.presentation import wording

_LINES = 6  # lines shown of a failing call's output


@click.group("run", cls=Group)
def command() -> None:
    """See the runs that ended: what they were about, what failed, what they were shown.

    They are kept for `runs.keep`, 30 days by default.
    """


@command.command("list")
@click.option("--text", default="", help="Only those whose task contains it.")
@click.option("--limit", default=25, show_default=True, help="At most this many.")
@options.scope_here
@options.as_json
def list_(text: str, limit: int, as_json: bool, **place: Any) -> None:
    """The runs of an agent in its project, newest first."""
    with options.Scoped(**place) as agent:
        runs = agent.runs.list(text=text, limit=limit)
    if as_json:
        dump(runs)
        return
    of_whom = options.place(agent.scope)
    say(f"{plural(len(runs), 'run')}{of_whom}:" if runs else f"(no runs{of_whom})")
    now = datetime.now(UTC)
    for line in fit_rows([_row(run, now) for run in runs], room=width() - 2):
        say(f"  {line}")


@command.command()
@click.argument("run_id", metavar="ID")
@options.scope_here
@options.as_json
def show(run_id: str, as_json: bool, **place: Any) -> None:
    """The run ID, step by step, with what it was shown."""
    with options.Scoped(**place) as agent:
        run = agent.runs.get(run_id)
    if as_json:
        dump(run)
        return
    say_folded(run.task or "(a run without a task)")
    say(f"  {run.begun:%Y-%m-%d %H:%M} to {run.ended:%H:%M}, {run.outcome}: {_counts(run)}")
    number = run.made - len(run.steps)
    for event in timeline(run.steps, run.shown):
        if isinstance(event, Shown):
            say(f"       {_delivery_line(event)}", dim=True)
            continue
        number += 1
        _say_step(number, event)


def _row(run: EndedRun, now: datetime) -> tuple[str, ...]:
    facts = f"{run.outcome}: {_counts(run)}"
    return run.id[:14], f"{age(run.ended, now)} ago", facts, one_line(run.task) or "(no task)"


def _counts(run: EndedRun) -> str:
    times_told = f", told {plural(run.told, 'time')}" if run.told else ""
    return f"{plural(run.made, 'step')}, {run.failed} failed{times_told}"


def _delivery_line(shown: Shown) -> str:
    """What the run was shown, or what was withheld from it."""
    if shown.door == WITHHELD:
        return "withheld by the hold-out"
    lessons = ", ".join(f"#{number}" for number in shown.lessons)
    return f"shown {wording.DOORS.get(shown.door, shown.door)}: {lessons or 'a warning'}"


def _say_step(number: int, step: Step) -> None:
    mark = "failed" if step.failed else "worked"
    say_folded(f"  {number:>3}  {mark}  {step.tool}  {one_line(step.args)}")
    for line in step.output.splitlines()[:_LINES] if step.failed else ():
        say_folded(f"       {line}")
