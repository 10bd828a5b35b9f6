"""`hardwon goal`: report that a goal has ended, and see what past goals taught."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

import click

from hardwon.core.errors import HardwonError
from hardwon.core.settings import load
from hardwon.core.text.clean import clip, one_line, plural, require_text
from hardwon.surfaces.cli import options
from hardwon.surfaces.cli.options import Group
from hardwon.surfaces.cli.output import dump, say, say_folded

if TYPE_CHECKING:
    pass

_LONGEST = 20_000  # characters of an id; the stored id is shorter
_GOAL = click.argument("goal_id", metavar="GOAL")


@click.group("goal", cls=Group)
def command() -> None:
    """Report that a goal has ended, and see what past goals taught."""


@command.command()
@_GOAL
@click.argument("objective")
@click.option(
    "--state",
    type=options.Choice(["completed", "failed"]),
    default="completed",
    show_default=True,
    help="How the goal ended.",
)
@click.option(
    "--task",
    "tasks",
    multiple=True,
    metavar="'NAME: OUTPUT'",
    help="A task of the goal and its result; may be repeated.",
)
@click.option("--error", default="", help="What went wrong.")
@options.scope
@options.as_json
def ended(
    goal_id: str,
    objective: str,
    state: str,
    tasks: tuple[str, ...],
    error: str,
    as_json: bool,
    **place: Any,
) -> None:
    """Queue a reflection on GOAL, whose OBJECTIVE was reached or not.

    `hardwon work` turns it into an insight.
    """
    goal_id = require_text(goal_id, "goal id", _LONGEST)
    with _patient(**place) as agent:
        job = agent.goals.ended(goal_id, objective, state, tasks=tasks, error=error)
    if job is None:
        raise HardwonError("the goal could not be queued; the log says why")
    dump(job) if as_json else say(f"queued as {job.id}; `hardwon work` reflects on it")


@command.command()
@click.argument("goal_id", metavar="[GOAL]", required=False)
@click.option("--objective", default="", help="What a new goal is about; similar ones are found.")
@options.scope
@options.as_json
def context(goal_id: str | None, objective: str, as_json: bool, **place: Any) -> None:
    """Show what the agent would get for GOAL; without one, from the recent goals."""
    with _patient(**place) as agent:
        injection = agent.goals.context(goal_id, objective=objective)
    if as_json:
        dump(injection)
    else:
        say_folded(injection.text) if injection else say("(nothing fits)", dim=True)


@command.command("list")
@click.argument("goal_id", metavar="[GOAL]", required=False)
@click.option("--limit", default=25, show_default=True, help="At most this many.")
@options.scope
@options.as_json
def list_(goal_id: str | None, limit: int, as_json: bool, **place: Any) -> None:
    """Reflections on GOAL, or the newest on any goal."""
    with _patient(**place) as agent:
        reflections = agent.goals.reflections(goal_id, limit=limit)
    if as_json:
        dump(reflections)
        return
    say(f"{plural(len(reflections), 'reflection')}:" if reflections else "(no reflections)")
    for reflection in reflections:
        name = clip(one_line(reflection.title or reflection.subject), 60)
        facts = f"{reflection.created_at:%Y-%m-%d %H:%M}  {reflection.state:<9}"
        insight = one_line(reflection.insight)
        say_folded(f"  {facts}  {reflection.importance:.1f}  [{name}]  {insight}")


def _patient(home: str | None, **place: Any) -> options.Scoped:
    """Like `Scoped`, but waits longer for a slow Redis than an agent's turn."""
    settings = load(home)
    goals = settings.goals._replace(redis_patience=timedelta(seconds=5))
    return options.Scoped(home, **place, settings=settings._replace(goals=goals))
