"""The verbs of an agent during a run: the doors, the end of the run, a lesson by hand.

A door answers 200 with an empty text even after an error. The end of a run answers with an error if
the run could not be stored.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hardwon import Injection, Step
from hardwon.errors import InvalidInput
from hardwon.surfaces.serve.api import views
from hardwon.surfaces.serve.api.verbs import Verb
from hardwon.surfaces.serve.principal import Right
from hardwon.values.delivery import NOTHING

if TYPE_CHECKING:
    from hardwon.surfaces.serve.api.ask import Ask

_DOOR = (Right.DOOR,)
_SILENT = views.injection(NOTHING)


def start(ask: Ask) -> Any:
    """The failures that recur in this project, once per run."""
    return views.injection(ask.agent.start())


def before_turn(ask: Ask) -> Any:
    """The lessons for a prompt."""
    return views.injection(ask.agent.before_turn(ask.text("prompt"), hyde=ask.flag("hyde")))


def before_action(ask: Ask) -> Any:
    """The known pitfall of exactly this call."""
    return views.injection(ask.agent.before_action(ask.text("tool"), ask.any("args", "")))


def after_action(ask: Ask) -> Any:
    """Record a step; the lessons about its failure."""
    call, output = ask.any("args", ""), ask.any("output", "")
    injection = ask.agent.after_action(
        ask.text("tool"), call, output=output, failed=ask.flag("failed")
    )
    return views.injection(injection)


def after_run(ask: Ask) -> Any:
    """Queue a reflection if the run is worth one; it is durable when this answers."""
    signals = ask.any("signals") or {}
    if not isinstance(signals, dict):
        raise InvalidInput("the field 'signals' must be an object")
    steps = ask.items("steps") if "steps" in ask.fields else None
    job = ask.agent.after_run(
        task=ask.text("task"),
        attempt=ask.text("attempt", ""),
        error=ask.any("error"),
        signals=signals,
        steps=None if steps is None else [_step(step) for step in steps],
    )
    if job is not None and ask.hw.settings.hooks.wake:
        ask.hw.wake()
    return {"job": views.job(job) if job else None}


def end_run(ask: Ask) -> None:
    """Record the outcome of every delivery of the run, and forget its steps."""
    ask.agent.end_run()


def learn(ask: Ask) -> Any:
    """Add a lesson in the caller's own words."""
    situation = ask.text("situation", "")
    return views.lesson(ask.agent.learn(ask.text("text"), situation=situation))


def digest(ask: Ask) -> Any:
    """The lessons that were met most often, as a block for the start of a session."""
    return {"text": ask.agent.digest(tokens=ask.number("tokens", 300, most=10_000))}


def outcome(ask: Ask) -> None:
    """Report the outcome of a delivery."""
    ask.agent.report(Injection(id=ask.path("id")), ask.text("outcome"))


def _step(fields: object) -> Step:
    if not isinstance(fields, dict) or not isinstance(fields.get("tool"), str):
        raise InvalidInput("each of 'steps' must be an object with a 'tool'")
    unknown = fields.keys() - {"tool", "args", "output", "failed"}
    if unknown:
        raise InvalidInput(f"a step has no {sorted(unknown)[0]!r}")
    output, is_failed = fields.get("output", ""), fields.get("failed") is True
    return Step(fields["tool"], fields.get("args", ""), output, is_failed)


VERBS = (
    Verb("POST", "/v1/start", _DOOR, start, otherwise=_SILENT),
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
