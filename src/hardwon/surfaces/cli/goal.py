"""`hardwon goal`: report that a goal has ended, and see what past goals taught."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from datetime import timedelta
from typing import Any

import click

from hardwon import Agent
from hardwon.core.errors import HardwonError
from hardwon.core.settings import load
from hardwon.core.text.clean import clip, one_line, plural, require_text
from hardwon.surfaces.cli import options
from hardwon.surfaces.cli.options import option
from hardwon.surfaces.cli.output import Output, say, say_folded

_LONGEST = 20_000  # characters of an id; the stored id is shorter
_GOAL_OR_ALL = click.argument("goal_id", metavar="[GOAL]", required=False)


def _open_patiently(home: str | None, *place: Any) -> AbstractContextManager[Agent]:
    """Like `open_agent`, but waits longer for a slow Redis than an agent's turn."""
    settings = load(home)
    goals = settings.goals._replace(redis_patience=timedelta(seconds=5))
    return options.open_agent(home, *place, settings=settings._replace(goals=goals))


@options.group("goal")
def command() -> None:
    """Report that a goal has ended, and see what past goals taught."""


@command.verb("ended", opens=_open_patiently)
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


@command.verb("context", opens=_open_patiently)
@_GOAL_OR_ALL
@option("--objective", "What a new goal is about; similar ones are found.", default="")
def context(agent: Agent, goal_id: str | None, objective: str) -> Output:
    """Show what the agent would get for GOAL; without one, from the recent goals."""
    found = agent.goals.context(goal_id, objective=objective)
    return Output(
        found, lambda: say_folded(found.text) if found else say("(nothing fits)", dim=True)
    )


@command.verb("list", opens=_open_patiently)
@_GOAL_OR_ALL
@options.limit(default=25)
def list_(agent: Agent, goal_id: str | None, limit: int) -> Output:
    """Reflections on GOAL, or the newest on any goal."""
    reflections = agent.goals.reflections(goal_id, limit=limit)

    def lines() -> Iterator[str]:
        yield f"{plural(len(reflections), 'reflection')}:" if reflections else "(no reflections)"
        for one in reflections:
            name = clip(one_line(one.title or one.subject), 60)
            facts = f"{one.created_at:%Y-%m-%d %H:%M}  {one.state:<9}  {one.importance:.1f}"
            yield f"  {facts}  [{name}]  {one_line(one.insight)}"

    return Output(reflections, lines())
