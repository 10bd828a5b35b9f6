"""Turn what programs pass at the end of a run into text, whatever its type."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from hardwon.core.text.clean import as_text
from hardwon.core.text.secrets import screen_excerpt
from hardwon.core.values.run import RunSoFar, Step
from hardwon.core.values.scope import Scope
from hardwon.knowledge.reading import call_keys

if TYPE_CHECKING:
    from hardwon.engine.runtime import Runtime

_TASK = 4000  # characters of a task that are kept


def learn_steps(engine: Runtime, scope: Scope, task: str, steps: object) -> tuple[Step, ...]:
    """The steps of a run that are passed only at its end, screened and learnt from."""
    past = RunSoFar(screen_excerpt(task, _TASK))
    with engine.store.together():
        for plain in steps_of(steps):
            step = engine.doors.prepare_step(plain, past.steps)
            counted = engine.doors.recorder.learn(scope, step, past)
            past = past.after(step, counted)
        engine.doors.recorder.end(scope, past)
    return past.steps


def steps_of(steps: object) -> Iterator[Step]:
    """The valid steps in what a program passed, as text."""
    for step in steps if isinstance(steps, list | tuple) else ():
        if isinstance(step, tuple) and hasattr(step, "args"):
            given: Any = step
            call = given.args if isinstance(given.args, str) else call_keys.canonical(given.args)
            texts = {"tool": as_text(given.tool), "args": call, "output": as_text(given.output)}
            yield given._replace(**texts, failed=given.failed is True)


def flags_of(signals: object) -> dict[str, str]:
    """Signals as text, by name."""
    pairs = signals.items() if isinstance(signals, Mapping) else ()
    return {
        as_text(name): str(value).lower() if isinstance(value, bool) else as_text(value)
        for name, value in pairs
    }


def problem_of(error: object) -> str:
    """The error as text, "" if there is none; an exception counts even if it is falsy."""
    try:
        is_there = isinstance(error, BaseException) or bool(error)
    except Exception:  # noqa: BLE001 - a foreign object may raise anything
        is_there = True
    return as_text(error) if is_there else ""
