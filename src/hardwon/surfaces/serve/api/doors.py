"""The verbs of an agent during a run: the doors, the end of the run, a lesson by hand.

A door answers 200 with an empty text even after an error. The end of a run answers with an error if
the run could not be stored.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hardwon import Injection, Step
from hardwon.core.errors import InvalidInput
from hardwon.core.values.delivery import NOTHING
from hardwon.surfaces.serve.api import views
from hardwon.surfaces.serve.api.verbs import Verb
from hardwon.surfaces.serve.principal import Right

if TYPE_CHECKING:
    from hardwon.surfaces.serve.api.request import ApiRequest

_DOOR = (Right.DOOR,)
_SILENT = views.injection(NOTHING)


def start(request: ApiRequest) -> Any:
    """The playbook of this project, or the failures that recur in it, once per run."""
    return views.injection(request.agent.start(again=request.flag("again") or False))


def before_turn(request: ApiRequest) -> Any:
    """The lessons for a prompt."""
    return views.injection(
        request.agent.before_turn(request.text("prompt"), hyde=request.flag("hyde"))
    )


def before_action(request: ApiRequest) -> Any:
    """The known pitfall of exactly this call."""
    return views.injection(
        request.agent.before_action(request.text("tool"), request.any("args", ""))
    )


def after_action(request: ApiRequest) -> Any:
    """Record a step; the lessons about its failure."""
    call, output = request.any("args", ""), request.any("output", "")
    injection = request.agent.after_action(
        request.text("tool"), call, output=output, failed=request.flag("failed")
    )
    return views.injection(injection)


def after_run(request: ApiRequest) -> Any:
    """Queue a reflection if the run is worth one; it is durable when this answers."""
    signals = request.any("signals") or {}
    if not isinstance(signals, dict):
        raise InvalidInput("the field 'signals' must be an object")
    steps = request.items("steps") if "steps" in request.fields else None
    job = request.agent.after_run(
        task=request.text("task"),
        attempt=request.text("attempt", ""),
        error=request.any("error"),
        signals=signals,
        steps=None if steps is None else [_step(step) for step in steps],
    )
    if job is not None and request.hw.settings.hooks.wake:
        request.hw.wake()
    return {"job": views.job(job) if job else None}


def end_run(request: ApiRequest) -> None:
    """Record the outcome of every delivery of the run, and forget its steps."""
    if request.agent.end_run() is not None and request.hw.settings.hooks.wake:
        request.hw.wake()


def learn(request: ApiRequest) -> Any:
    """Add a lesson in the caller's own words."""
    situation = request.text("situation", "")
    return views.lesson(request.agent.learn(request.text("text"), situation=situation))


def digest(request: ApiRequest) -> Any:
    """The lessons that were met most often, as a block for the start of a session."""
    return {"text": request.agent.digest(tokens=request.number("tokens", 300, most=10_000))}


def outcome(request: ApiRequest) -> None:
    """Report the outcome of a delivery."""
    request.agent.report(Injection(id=request.path("id")), request.text("outcome"))


def _step(fields: object) -> Step:
    if not isinstance(fields, dict) or not isinstance(fields.get("tool"), str):
        raise InvalidInput("each of 'steps' must be an object with a 'tool'")
    unknown = fields.keys() - {"tool", "args", "output", "failed"}
    if unknown:
        raise InvalidInput(f"a step has no {sorted(unknown)[0]!r}")
    output, is_failed = fields.get("output", ""), fields.get("failed") is True
    return Step(fields["tool"], fields.get("args", ""), output, is_failed)


VERBS = (
    Verb("POST", "/v1/start", _DOOR, start, takes=("again",), otherwise=_SILENT),
    Verb(
        "POST", "/v1/before_turn", _DOOR, before_turn, takes=("prompt", "hyde"), otherwise=_SILENT
    ),
    Verb(
        "POST", "/v1/before_action", _DOOR, before_action, takes=("tool", "args"), otherwise=_SILENT
    ),
    Verb(
        "POST",
        "/v1/after_action",
        _DOOR,
        after_action,
        takes=("tool", "args", "output", "failed"),
        otherwise=_SILENT,
    ),
    Verb(
        "POST",
        "/v1/after_run",
        _DOOR,
        after_run,
        takes=("task", "attempt", "error", "signals", "steps"),
    ),
    Verb("POST", "/v1/end_run", _DOOR, end_run, status=204),
    Verb(
        "POST",
        "/v1/learn",
        (Right.DOOR, Right.CHANGE),
        learn,
        takes=("text", "situation"),
        status=201,
    ),
    Verb("GET", "/v1/digest", (Right.DOOR, Right.LESSONS), digest),
    Verb("POST", "/v1/deliveries/{id}/outcome", _DOOR, outcome, takes=("outcome",), status=204),
)
