"""The other ways of learning: goals, runs, dreams, loops."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hardwon.core.errors import InvalidInput
from hardwon.core.values.delivery import NOTHING
from hardwon.surfaces.serve.api import views
from hardwon.surfaces.serve.api.verbs import Verb, listed
from hardwon.surfaces.serve.principal import Right

if TYPE_CHECKING:
    from hardwon.surfaces.serve.api.request import ApiRequest

_DOOR, _READ = (Right.DOOR,), (Right.READ,)
_DREAMS, _UNDO_DREAMS = (Right.DREAMS,), (Right.UNDO_DREAMS,)
_SILENT = views.injection(NOTHING)
_GOAL = ("goal_id", "objective", "state", "tasks", "error")
_RUN = ("task", "tools", "seconds", "retries", "failed", "error")


def goals(request: ApiRequest) -> Any:
    """The reflections on a goal, or the newest of all goals."""
    reflections = request.agent.goals.reflections(
        request.query("goal") or None, limit=request.number("limit", 25)
    )
    return {"items": [views.placed("Reflection", reflection) for reflection in reflections]}


def goal_ended(request: ApiRequest) -> Any:
    """Queue a reflection on a goal that ended."""
    goal = (request.text("goal_id"), request.text("objective"), request.text("state", "completed"))
    job = request.agent.goals.ended(*goal, tasks=request.items("tasks"), error=request.any("error"))
    return {"job": views.job(job) if job else None}


def goal_context(request: ApiRequest) -> Any:
    """What was learnt from this goal and similar ones."""
    objective = request.query("objective")
    return views.injection(
        request.agent.goals.context(request.query("goal") or None, objective=objective)
    )


def run_ended(request: ApiRequest) -> Any:
    """Queue a judgement of a run, if there is something to say."""
    seconds, retries = request.any("seconds", 0.0), request.any("retries", 0)
    if not isinstance(seconds, int | float) or not isinstance(retries, int):
        raise InvalidInput("the fields 'seconds' and 'retries' must be numbers")
    job = request.agent.runs.ended(
        request.text("task"),
        tools=[str(tool) for tool in request.items("tools")],
        seconds=seconds,
        retries=retries,
        failed=request.flag("failed") or False,
        error=request.any("error"),
    )
    return {"job": views.job(job) if job else None}


def run_context(request: ApiRequest) -> Any:
    """At most three lines on recent runs."""
    return views.injection(request.agent.runs.context(request.query("text")))


def runs(request: ApiRequest) -> Any:
    """A page of the ended runs, newest first, without their steps."""
    page = request.tenant.ended_runs(
        text=request.query("q"), after=request.cursor(), limit=request.number("limit", 50)
    )
    return listed(page, views.ended_run)


def run(request: ApiRequest) -> Any:
    """One ended run, with its steps and what it was shown at each."""
    return views.ended_run(request.tenant.ended_run(request.path("id")))


def dreams(request: ApiRequest) -> Any:
    """The dreams of an agent, newest first."""
    dreams = request.agent.dreams.list(limit=request.number("limit", 25))
    return {"items": [views.placed("Dream", dream) for dream in dreams]}


def dream(request: ApiRequest) -> Any:
    """One dream with its changes to lessons."""
    dream = request.agent.dreams.get(request.path("id"))
    return {**views.placed("Dream", dream), "changes": request.agent.dreams.changes(dream.id)}


def undo_dream(request: ApiRequest) -> Any:
    """Undo a dream."""
    dream, restored, unchanged = request.agent.dreams.undo(request.path("id"))
    return {"dream": views.placed("Dream", dream), "restored": restored, "left": unchanged}


def loops(request: ApiRequest) -> Any:
    """The loops of an agent, newest first."""
    status, limit = request.query("status") or None, request.number("limit", 20)
    loops = request.agent.loops.list(limit=limit, status=status)
    return {"items": [views.placed("Loop", loop) for loop in loops]}


def loop(request: ApiRequest) -> Any:
    """One loop with its trials."""
    return views.placed("Loop", request.agent.loops.get(request.path("id")))


def loop_reflections(request: ApiRequest) -> Any:
    """What was learnt from each trial of a loop."""
    return {"items": request.agent.loops.reflections(request.path("id"))}


VERBS = (
    Verb("GET", "/v1/goals", _READ, goals),
    Verb("POST", "/v1/goals", _DOOR, goal_ended, takes=_GOAL),
    Verb("GET", "/v1/goals/context", _DOOR, goal_context, otherwise=_SILENT),
    Verb("POST", "/v1/runs", _DOOR, run_ended, takes=_RUN),
    Verb("GET", "/v1/runs/context", _DOOR, run_context, otherwise=_SILENT),
    Verb("GET", "/v1/runs", _READ, runs),
    Verb("GET", "/v1/runs/{id}", _READ, run),
    Verb("GET", "/v1/dreams", _DREAMS, dreams),
    Verb("GET", "/v1/dreams/{id}", _DREAMS, dream),
    Verb("POST", "/v1/dreams/{id}/undo", _UNDO_DREAMS, undo_dream),
    Verb("GET", "/v1/loops", _READ, loops),
    Verb("GET", "/v1/loops/{id}", _READ, loop),
    Verb("GET", "/v1/loops/{id}/reflections", _READ, loop_reflections),
)
