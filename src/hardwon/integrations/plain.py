"""Agents without a framework: a context manager for a run, a decorator for its tools.

with run(agent, "make the nightly report") as current:
    prompt = f"{current.context}\n\n{task}"
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
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


def learning(agent: Agent) -> Callable[[F], F]:
    """Decorate `f(task, …)`, sync or async: it gets the task with the lessons before it."""

    def decorate(function: F) -> F:
        @wraps(function)
        def call(task: str, *args: Any, **kwargs: Any) -> Any:
            with run(agent, task) as current:
                return function(_with(current.context, task), *args, **kwargs)

        @wraps(function)
        async def acall(task: str, *args: Any, **kwargs: Any) -> Any:
            with run(agent, task) as current:
                return await function(_with(current.context, task), *args, **kwargs)

        return cast("F", acall if iscoroutinefunction(function) else call)

    return decorate


def watched(recorder: Recorder) -> Callable[[F], F]:
    """Decorate a tool, sync or async: its calls are recorded.

    An error is raised again, with a note of what worked the last time.
    """

    def decorate(tool: F) -> F:
        @wraps(tool)
        def call(*args: Any, **kwargs: Any) -> Any:
            with _Watch(recorder, tool, args, kwargs) as watch:
                watch.output = tool(*args, **kwargs)
            return watch.output

        @wraps(tool)
        async def acall(*args: Any, **kwargs: Any) -> Any:
            with _Watch(recorder, tool, args, kwargs) as watch:
                watch.output = await tool(*args, **kwargs)
            return watch.output

        return cast("F", acall if iscoroutinefunction(tool) else call)

    return decorate


def as_tool(recorder: Recorder) -> Callable[[F], F]:
    """Decorate a function, sync or async, as a tool for any framework: its result is for a model.

    A call that failed here last is answered with what worked instead of being made. An error
    becomes its message, with what worked the last time.
    """

    def decorate(function: F) -> F:
        def ask(args: Any, kwargs: Any) -> tuple[Any, str]:
            given = signature(function).bind(*args, **kwargs).arguments
            return given, recorder.denial(function.__name__, given)

        def note_result(given: Any, result: Any) -> Any:
            return beside(result, recorder.worked(function.__name__, given, result))

        def note_error(given: Any, error: Exception) -> Any:
            note = recorder.failed(function.__name__, given, error)
            return beside(f"{type(error).__name__}: {error}", note)

        @wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            given, denial = ask(args, kwargs)
            try:
                return denial or note_result(given, function(*args, **kwargs))
            except Exception as error:  # noqa: BLE001 - a model reads it
                return note_error(given, error)

        @wraps(function)
        async def acall(*args: Any, **kwargs: Any) -> Any:
            given, denial = ask(args, kwargs)
            try:
                return denial or note_result(given, await function(*args, **kwargs))
            except Exception as error:  # noqa: BLE001 - a model reads it
                return note_error(given, error)

        return cast("F", acall if iscoroutinefunction(function) else call)

    return decorate


class _Watch:
    """One call of a tool."""

    def __init__(self, recorder: Recorder, tool: Any, args: Any, kwargs: Any) -> None:
        self._recorder = recorder
        self._name = tool.__name__
        self._args = signature(tool).bind(*args, **kwargs).arguments
        self.output: Any = None

    def __enter__(self) -> _Watch:
        denial = self._recorder.denial(self._name, self._args)
        if denial:
            raise PermissionError(denial)
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if error is None:
            self._recorder.worked(self._name, self._args, self.output)
        elif note := self._recorder.failed(self._name, self._args, error):
            error.add_note(note)


def _with(context: str, task: str) -> str:
    return f"{context}\n\n{task}" if context else task
