"""Orchestrators: objects that report ended goals, in any common vocabulary."""

from __future__ import annotations

import re
from enum import Enum
from typing import TYPE_CHECKING, Any, Protocol

from hardwon.core.errors import InvalidInput
from hardwon.core.text.clean import as_text
from hardwon.core.values.run import Step

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from hardwon.core.values.job import Job

_COMPLETED = {
    "completed",
    "complete",
    "succeeded",
    "success",
    "successful",
    "done",
    "finished",
    "ok",
    "true",
}
_FAILED = {"failed", "failure", "error", "errored", "aborted", "timeout", "timed_out", "false"}
_READ = 4000  # characters of an output that are looked at
# At the beginning of a line, so that "no errors" and "error handling added" do not count.
_STATED = (
    r"^\W{0,4}(?:(?i:error|err|failed|failure|fatal|exception)\b(?![ -]?(?:free|handling|handler))"
    r"|(?i:could not|unable to|cannot|can't|timed out|time-?out|traceback)\b"
    r"|[\w.]{0,80}(?:Error|Exception|Timeout)\b(?=:|$))"
    r"|\b(?:HTTP|status)(?: code)?[ :]{0,2}[45]\d\d\b"
)
_MARKED = r"(?i:\b(?:failed|failure|error)\b)|[✗✘❌]"
_REGISTRARS = ("on_goal_ended", "on_goal_end", "on_terminal", "add_listener", "subscribe")
_SLOT = "reflection_engine"  # the published orchestrator calls the object in this attribute


class Reflecting(Protocol):
    """An agent to notify of ended goals; `ended` never raises."""

    def ended(
        self,
        goal_id: object,
        objective: object,
        state: object = ...,
        *,
        tasks: Iterable[object] = ...,
        error: object = ...,
    ) -> Job | None:
        """Record that a goal ended."""


class Listener:
    """The callback of an orchestrator: called as a function or as the published engine."""

    def __init__(self, agent: Reflecting) -> None:
        self._agent = agent

    def __call__(self, goal: object = None, *values: object, **fields: Any) -> Any:
        """Take a goal object, a mapping, or its fields in the order id, objective, state, error."""
        if isinstance(goal, str | int) or (goal is not None and values):
            names = ("objective", "state", "error")
            fields = {"goal_id": goal, **dict(zip(names, values, strict=False)), **fields}
            goal = None
        source = fields if goal is None else goal
        return self._agent.ended(
            field(source, "goal_id", "id", "name"),
            field(source, "objective", "title", "description", "goal", default=""),
            field(source, "state", "status", "outcome", default="completed"),
            tasks=field(source, "tasks", "nodes", "task_summaries", "steps", default=()) or (),
            error=field(source, "error", "error_message", "exception", default=""),
        )

    async def reflect_on_goal(
        self,
        goal_id: str,
        objective: str,
        outcome: str,
        error: str = "",
        task_summaries: list[str] | None = None,
        task_id: str | None = None,
    ) -> bool:
        """The published engine's method; True once the goal is safe in the queue."""
        import asyncio

        call = self._agent.ended
        tasks = task_summaries or []
        job = await asyncio.to_thread(call, goal_id, objective, outcome, tasks=tasks, error=error)
        return job is not None


class Attachment:
    """The connection of an orchestrator and an agent; `detach` undoes it where possible."""

    def __init__(self, listener: Listener, undo: Callable[[], None] | None = None) -> None:
        self.listener = listener
        self._undo = undo

    def detach(self) -> None:
        """Restore the orchestrator to what it was before."""
        if self._undo:
            self._undo()


def attach(orchestrator: Any, agent: Reflecting, *, hook: str | None = None) -> Attachment:
    """Make the orchestrator report every ended goal to the agent.

    It needs an attribute `reflection_engine` (as published), or one of `on_goal_ended`,
    `on_goal_end`, `on_terminal`, `add_listener`, `subscribe`: a method that takes a callback, or
    an attribute that holds one or None. `hook` names another.
    """
    listener = Listener(agent)
    if hook is None and hasattr(orchestrator, _SLOT):
        return _set_attribute(orchestrator, _SLOT, listener, listener)
    for name in (hook,) if hook else _REGISTRARS:
        if hasattr(orchestrator, name):
            return _hook_into(orchestrator, name, listener)
    expected = hook or ", ".join((_SLOT, *_REGISTRARS))
    raise InvalidInput(
        f"{type(orchestrator).__name__} has no hook to attach to; expected: {expected}"
    )


def goal_state(state: object) -> str:
    """`completed` or `failed`, from the orchestrator's own term; "" for any other state."""
    words = _words(state)
    if words & _COMPLETED:
        return "completed"
    return "failed" if words & _FAILED else ""


def is_done(task: object) -> bool:
    """Whether a task succeeded; a pending or skipped one did not."""
    if isinstance(task, str):
        return not task_step(task).failed
    state = field(task, "state", "status", "outcome", "success")
    is_well = state is None or bool(_words(state) & _COMPLETED)
    return is_well and not task_step(task).failed


def states_error(text: str) -> bool:
    """Whether an output says that something went wrong."""
    return re.search(_STATED, text[:_READ], re.MULTILINE) is not None


def task_step(task: object) -> Step:
    """A task as a step: from a text, a mapping, or an object with the usual attributes."""
    if isinstance(task, str):  # `name: output`, or an output alone
        name, _, output = task.partition(": ")
        has_failed = states_error(output or task) or bool(output and re.search(_MARKED, name))
        return Step(name if output else "task", "", output or task, failed=has_failed)
    error = str(field(task, "error", "error_message", default="") or "")
    state = field(task, "state", "status", "outcome", "success", default=not error)
    output_text = field(task, "output_summary", "output", "result", "summary", default="")
    return Step(
        tool=str(field(task, "skill_name", "skill", "tool", "name", "title", "id", default="task")),
        args=str(field(task, "args", "arguments", "input", "description", default="") or ""),
        output=error or str(output_text or ""),
        failed=bool(error) or bool(_words(state) & _FAILED),  # pending or skipped is no failure
    )


def field(source: object, *names: str, default: Any = None) -> Any:
    """The first of these fields that a mapping or an object has."""
    for name in names:
        value = source.get(name) if isinstance(source, dict) else getattr(source, name, None)
        if value is not None and not callable(value):
            return value
    return default


def _words(state: object) -> set[str]:
    """The words for a state, in lower case; an enum member gives its name and its value."""
    names = (state.name, state.value) if isinstance(state, Enum) else (state,)
    return {as_text(name).strip().lower().rsplit(".", 1)[-1] for name in names}


def _hook_into(orchestrator: Any, name: str, listener: Listener) -> Attachment:
    present = getattr(orchestrator, name)
    if callable(present) and hasattr(present, "__self__"):  # a method that takes a callback
        present(listener)
        return Attachment(listener)
    if isinstance(present, list):
        present.append(listener)
        return Attachment(listener, lambda: present.remove(listener))
    return _set_attribute(orchestrator, name, _call_both(present, listener), listener)


def _call_both(present: Callable[..., Any] | None, listener: Listener) -> Callable[..., Any]:
    """A callback that calls the present one first, then the listener."""
    if present is None:
        return listener

    def call(*args: Any, **kwargs: Any) -> Any:
        result = present(*args, **kwargs)
        listener(*args, **kwargs)
        return result

    return call


def _set_attribute(orchestrator: Any, name: str, value: object, listener: Listener) -> Attachment:
    before = getattr(orchestrator, name)
    setattr(orchestrator, name, value)
    return Attachment(listener, lambda: setattr(orchestrator, name, before))
