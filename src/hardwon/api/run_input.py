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
            yield _plain(step)


def _plain(step: Any) -> Step:
    """The step with all fields as text."""
    args: object = step.args
    call = args if isinstance(args, str) else call_keys.canonical(args)
    texts = {"tool": as_text(step.tool), "args": call, "output": as_text(step.output)}
    plain: Step = step._replace(**texts, failed=step.failed is True)
    return plain


def flags_of(signals: object) -> dict[str, str]:
    """Signals as text, by name."""
    pairs = signals.items() if isinstance(signals, Mapping) else ()
    return {as_text(name): _flag(value) for name, value in pairs}


def _flag(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else as_text(value)


def problem_of(error: object) -> str:
    """The error as text, "" if there is none; an exception counts even if it is falsy."""
    return as_text(error) if isinstance(error, BaseException) or _is_true(error) else ""


def _is_true(value: object) -> bool:
    try:
        return bool(value)
    except Exception:  # noqa: BLE001 - a foreign object may raise anything
        return True
