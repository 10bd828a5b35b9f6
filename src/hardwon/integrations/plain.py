"""Agents without a framework: a context manager for a run, a decorator for its tools.

with run(agent, "make the nightly report") as current:
    prompt = f"{current.context}\n\n{task}"
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import wraps
from inspect import iscoroutinefunction, signature
from typing import Any, TypeVar, cast

from hardwon import Agent
from hardwon.integrations.recorder import Recorder, beside

F = TypeVar("F", bound="Callable[..., Any]")


@contextmanager
def run(agent: Agent, task: str) -> Iterator[Recorder]:
    """Record a run on a task: its exception or its last failing call becomes a lesson."""
    recorder = Recorder(agent)
    recorder.start(task)
    try:
        yield recorder
    except BaseException as error:
        recorder.end(error=error)
        raise
    recorder.end()


class _Call:
    """One call of a decorated function: what it gets, and its output once there is one."""

    def __init__(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.name, self._function = function.__name__, function
        self.args, self.kwargs = args, kwargs
        self.output: Any = None
        self.is_answered = False  # the function is not called

    def given(self) -> dict[str, Any]:
        """The arguments by their names; raises TypeError if they do not fit."""
        return signature(self._function).bind(*self.args, **self.kwargs).arguments


def _wrap(function: F, around: Callable[[_Call], AbstractContextManager[object]]) -> F:
    """The function, sync or async, with each of its calls inside a block."""

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        made = _Call(function, args, kwargs)
        with around(made):
            if not made.is_answered:
                made.output = function(*made.args, **made.kwargs)
        return made.output

    @wraps(function)
    async def acall(*args: Any, **kwargs: Any) -> Any:
        made = _Call(function, args, kwargs)
        with around(made):
            if not made.is_answered:
                made.output = await function(*made.args, **made.kwargs)
        return made.output

    return cast("F", acall if iscoroutinefunction(function) else call)


def learning(agent: Agent) -> Callable[[F], F]:
    """Decorate `f(task, …)`, sync or async: it gets the task with the lessons before it."""

    @contextmanager
    def around(call: _Call) -> Iterator[None]:
        task, *others = call.args or (call.kwargs.pop("task"),)
        with run(agent, task) as current:
            call.args = f"{current.context}\n\n{task}" if current.context else task, *others
            yield

    return lambda function: _wrap(function, around)


def watched(recorder: Recorder) -> Callable[[F], F]:
    """Decorate a tool, sync or async: its calls are recorded.

    An error is raised again, with a note of what worked the last time.
    """

    @contextmanager
    def around(call: _Call) -> Iterator[None]:
        given = call.given()
        if denial := recorder.denial(call.name, given):
            raise PermissionError(denial)
        try:
            yield
        except BaseException as error:
            if note := recorder.failed(call.name, given, error):
                error.add_note(note)
            raise
        recorder.worked(call.name, given, call.output)

    return lambda tool: _wrap(tool, around)


def as_tool(recorder: Recorder) -> Callable[[F], F]:
    """Decorate a function, sync or async, as a tool for any framework: its result is for a model.

    A call that failed here last is answered with what worked instead of being made. An error
    becomes its message, with what worked the last time.
    """

    @contextmanager
    def around(call: _Call) -> Iterator[None]:
        given = call.given()
        call.output = recorder.denial(call.name, given)
        call.is_answered = bool(call.output)
        try:
            yield
        except Exception as error:  # noqa: BLE001 - a model reads it
            note = recorder.failed(call.name, given, error)
            call.output = beside(f"{type(error).__name__}: {error}", note)
        else:
            if not call.is_answered:
                note = recorder.worked(call.name, given, call.output)
                call.output = beside(call.output, note)

    return lambda function: _wrap(function, around)
