"""`hardwon run`, `trace` and `goal`: what ended, and what came of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import AbstractContextManager
from datetime import UTC, datetime, timedelta
from typing import Any

import click

from hardwon import Agent
from hardwon.core.errors import HardwonError
from hardwon.core.settings import load
from hardwon.core.text.clean import clip, one_line, plural, require_text
from hardwon.core.values.run import WITHHELD, EndedRun, Shown
from hardwon.learn.transcripts.past import LEARNT, Learnt
from hardwon.surfaces import wording
from hardwon.surfaces.cli import options, output
from hardwon.surfaces.cli.options import option
from hardwon.surfaces.cli.output import AGAIN, Output, Progress, say, say_folded

_LINES = 6  # lines shown of a failing call's output


@options.group("run")
def command() -> None:
    """See the runs that ended: what they were about, what failed, what they were shown.

    They are kept for `runs.keep`, 30 days by default.
    """


@command.verb("list", place=options.scope_here)
@options.limit(default=25)
def list_(agent: Agent, limit: int) -> Output:
    """The runs of an agent in its project, newest first."""
    runs = agent.runs.list(limit=limit)

    def show() -> None:
        of_whom = options.place(agent.scope)
        say(f"{plural(len(runs), 'run')}{of_whom}:" if runs else f"(no runs{of_whom})")
        now = datetime.now(UTC)
        rows = [
            (
                run.id[:14],
                f"{output.age(run.ended, now)} ago",
                f"{run.outcome}: {_counts(run)}",
                one_line(run.task) or "(no task)",
            )
            for run in runs
        ]
        for line in output.fit_rows(rows):
            say(line)

    return Output(runs, show)


@command.verb("show", place=options.scope_here)
@click.argument("run_id", metavar="ID")
def show(agent: Agent, run_id: str) -> Output:
    """The run ID, step by step, with what it was shown."""
    run = agent.runs.get(run_id)

    def say_run() -> None:
        say_folded(run.task or "(a run without a task)")
        say(f"  {run.begun:%Y-%m-%d %H:%M} to {run.ended:%H:%M}, {run.outcome}: {_counts(run)}")
        for number, event in wording.events(run):
            if isinstance(event, Shown):
                lessons = ", ".join(f"#{one}" for one in event.lessons) or "a warning"
                shown = f"shown {wording.DOORS.get(event.door, event.door)}: {lessons}"
                say(
                    f"       {'withheld by the hold-out' if event.door == WITHHELD else shown}",
                    dim=True,
                )
                continue
            mark = "failed" if event.failed else "worked"
            say_folded(f"  {number:>3}  {mark}  {event.tool}  {one_line(event.args)}")
            for line in event.output.splitlines()[:_LINES] if event.failed else ():
                say_folded(f"       {line}")

    return Output(run, say_run)


def _counts(run: EndedRun) -> str:
    times_told = f", told {plural(run.told, 'time')}" if run.told else ""
    return f"{plural(run.made, 'step')}, {run.failed} failed{times_told}"


@options.group("trace")
def trace_command() -> None:
    """Learn from traces that agents send as OpenTelemetry (OTLP).

    \b
    hardwon trace import traces.jsonl    what the collector's file exporter wrote
    hardwon serve                        takes them at POST /v1/traces and /v1/logs
    """


@trace_command.verb("import", place=options.scope_of_each)
@click.argument("files", nargs=-1, required=True, type=click.Path())
def import_(agent: Agent, files: tuple[str, ...]) -> Output:
    """Record the traces in FILES (OTLP as JSON lines, perhaps gzipped) as runs.

    Exports of Phoenix, LangSmith and Langfuse are read, too.

    A run goes into the project that --project names, else its resource (`hardwon.project`, or
    `service.name`). Importing twice adds nothing.
    """
    skipped: Counter[str] = Counter()
    runs: list[Learnt] = []
    with Progress("Importing", kept="the runs so far are recorded" + AGAIN) as tell:
        for number, file in enumerate(files, 1):
            tell(number, len(files))
            runs += agent.traces.import_file(file, skipped)
    recorded = [run for run in runs if run.status == LEARNT]
    steps, failed = sum(run.steps for run in runs), sum(run.failed for run in runs)
    without = len(runs) - len(recorded)
    value: dict[str, Any] = {"runs": recorded, "steps": steps, "failures": failed}
    value |= {"skipped": dict(skipped), "without_calls": without}

    def lines() -> Iterator[str]:
        yield f"{plural(len(recorded), 'run')} recorded: {plural(steps, 'call')}, {failed:,} failed"
        if without:
            yield f"  {plural(without, 'trace')} without a new call left out"
        for reason, count in skipped.items():
            output.complain(f"left out {plural(count, 'line')}: {reason}")

    return Output(value, lines())


_LONGEST = 20_000  # characters of an id; the stored id is shorter
_GOAL_OR_ALL = click.argument("goal_id", metavar="[GOAL]", required=False)


def _open_patiently(home: str | None, *place: Any) -> AbstractContextManager[Agent]:
    """Like `open_agent`, but waits longer for a slow Redis than an agent's turn."""
    settings = load(home)
    goals = settings.goals._replace(redis_patience=timedelta(seconds=5))
    return options.open_agent(home, *place, settings=settings._replace(goals=goals))


@options.group("goal")
def goal_command() -> None:
    """Report that a goal has ended, and see what past goals taught."""


@goal_command.verb("ended", opens=_open_patiently)
@click.argument("goal_id", metavar="GOAL")
@click.argument("objective")
@option("--state", "How the goal ended.", choices=["completed", "failed"], default="completed")
@option(
    "--task",
    "A task of the goal and its result; may be repeated.",
    "tasks",
    multiple=True,
    metavar="'NAME: OUTPUT'",
)
@option("--error", "What went wrong.", default="")
def report_end(
    agent: Agent, goal_id: str, objective: str, state: str, tasks: tuple[str, ...], error: str
) -> Output:
    """Queue a reflection on GOAL, whose OBJECTIVE was reached or not.

    `hardwon work` turns it into an insight.
    """
    goal_id = require_text(goal_id, "goal id", _LONGEST)
    job = agent.goals.ended(goal_id, objective, state, tasks=tasks, error=error)
    if job is None:
        raise HardwonError("the goal could not be queued; the log says why")
    return Output(job, f"queued as {job.id}; `hardwon work` reflects on it")


@goal_command.verb("context", opens=_open_patiently)
@_GOAL_OR_ALL
@option("--objective", "What a new goal is about; similar ones are found.", default="")
def context(agent: Agent, goal_id: str | None, objective: str) -> Output:
    """Show what the agent would get for GOAL; without one, from the recent goals."""
    found = agent.goals.context(goal_id, objective=objective)
    return Output(
        found, lambda: say_folded(found.text) if found else say("(nothing fits)", dim=True)
    )


@goal_command.verb("list", opens=_open_patiently)
@_GOAL_OR_ALL
@options.limit(default=25)
def list_reflections(agent: Agent, goal_id: str | None, limit: int) -> Output:
    """Reflections on GOAL, or the newest on any goal."""
    reflections = agent.goals.reflections(goal_id, limit=limit)

    def lines() -> Iterator[str]:
        yield f"{plural(len(reflections), 'reflection')}:" if reflections else "(no reflections)"
        for one in reflections:
            name = clip(one_line(one.title or one.subject), 60)
            facts = f"{one.created_at:%Y-%m-%d %H:%M}  {one.state:<9}  {one.importance:.1f}"
            yield f"  {facts}  [{name}]  {one_line(one.insight)}"

    return Output(reflections, lines())
