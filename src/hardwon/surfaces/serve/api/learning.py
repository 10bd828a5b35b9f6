"""The other ways of learning: goals, runs, dreams, loops."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hardwon.errors import InvalidInput
from hardwon.surfaces.serve.api import views
from hardwon.surfaces.serve.api.verbs import Verb, listed
from hardwon.surfaces.serve.principal import Right
from hardwon.values.delivery import NOTHING

if TYPE_CHECKING:
    from hardwon.surfaces.serve.api.ask import Ask

_DOOR, _READ, _CHANGE = (Right.DOOR,), (Right.READ,), (Right.CHANGE,)
_SILENT = views.injection(NOTHING)
_GOAL = ("goal_id", "objective", "state", "tasks", "error")
_RUN = ("task", "tools", "seconds", "retries", "failed", "error")


def goals(ask: Ask) -> Any:
    """The reflections on a goal, or the newest of all goals."""
    reflections = ask.agent.goals.reflections(
        ask.query("goal") or None, limit=ask.number("limit", 25)
    )
    return {"items": [views.placed("Reflection", reflection) for reflection in reflections]}


def goal_ended(ask: Ask) -> Any:
    """Queue a reflection on a goal that ended."""
    goal = (ask.text("goal_id"), ask.text("objective"), ask.text("state", "completed"))
    job = ask.agent.goals.ended(*goal, tasks=ask.items("tasks"), error=ask.any("error"))
    return {"job": views.job(job) if job else None}


def goal_context(ask: Ask) -> Any:
    """What was learnt from this goal and similar ones."""
    objective = ask.query("objective")
    return views.injection(ask.agent.goals.context(ask.query("goal") or None, objective=objective))


def run_ended(ask: Ask) -> Any:
    """Queue a judgement of a run, if there is something to say."""
    seconds, retries = ask.any("seconds", 0.0), ask.any("retries", 0)
    if not isinstance(seconds, int | float) or not isinstance(retries, int):
        raise InvalidInput("the fields 'seconds' and 'retries' must be numbers")
    job = ask.agent.runs.ended(
        ask.text("task"),
        tools=[str(tool) for tool in ask.items("tools")],
        seconds=seconds,
        retries=retries,
        failed=ask.flag("failed") or False,
        error=ask.any("error"),
    )
    return {"job": views.job(job) if job else None}


def run_context(ask: Ask) -> Any:
    """At most three lines on recent runs."""
    return views.injection(ask.agent.runs.context(ask.query("text")))


def runs(ask: Ask) -> Any:
    """A page of the ended runs, newest first, without their steps."""
    page = ask.tenant.ended_runs(
        text=ask.query("q"), after=ask.cursor(), limit=ask.number("limit", 50)
    )
    return listed(page, views.ended_run)


def run(ask: Ask) -> Any:
    """One ended run, with its steps and what it was shown at each."""
    return views.ended_run(ask.tenant.ended_run(ask.path("id")))


def dreams(ask: Ask) -> Any:
    """The dreams of an agent, newest first."""
    dreams = ask.agent.dreams.list(limit=ask.number("limit", 25))
    return {"items": [views.placed("Dream", dream) for dream in dreams]}


def dream(ask: Ask) -> Any:
    """One dream with its changes to lessons."""
    dream = ask.agent.dreams.get(ask.path("id"))
    return {**views.placed("Dream", dream), "changes": ask.agent.dreams.changes(dream.id)}


def undo_dream(ask: Ask) -> Any:
    """Undo a dream."""
    dream, restored, unchanged = ask.agent.dreams.undo(ask.path("id"))
    return {"dream": views.placed("Dream", dream), "restored": restored, "left": unchanged}


def loops(ask: Ask) -> Any:
    """The loops of an agent, newest first."""
    status, limit = ask.query("status") or None, ask.number("limit", 20)
    loops = ask.agent.loops.list(limit=limit, status=status)
    return {"items": [views.placed("Loop", loop) for loop in loops]}


def loop(ask: Ask) -> Any:
    """One loop with its trials."""
    return views.placed("Loop", ask.agent.loops.get(ask.path("id")))


def loop_reflections(ask: Ask) -> Any:
    """What was learnt from each trial of a loop."""
    return {"items": ask.agent.loops.reflections(ask.path("id"))}


VERBS = (
    Verb("GET", "/v1/goals", _READ, goals),
    Verb("POST", "/v1/goals", _DOOR, goal_ended, takes=_GOAL),
    Verb("GET", "/v1/goals/context", _DOOR, goal_context, otherwise=_SILENT),
    Verb("POST", "/v1/runs", _DOOR, run_ended, takes=_RUN),
    Verb("GET", "/v1/runs/context", _DOOR, run_context, otherwise=_SILENT),
    Verb("GET", "/v1/runs", _READ, runs),
    Verb("GET", "/v1/runs/{id}", _READ, run),
    Verb("GET", "/v1/dreams", _READ, dreams),
    Verb("GET", "/v1/dreams/{id}", _READ, dream),
    Verb("POST", "/v1/dreams/{id}/undo", _CHANGE, undo_dream),
    Verb("GET", "/v1/loops", _READ, loops),
    Verb("GET", "/v1/loops/{id}", _READ, loop),
    Verb("GET", "/v1/loops/{id}/reflections", _READ, loop_reflections),
)
