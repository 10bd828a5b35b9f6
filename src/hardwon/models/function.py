"""A Python function as a model."""

from __future__ import annotations

import asyncio
import inspect
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

from hardwon.errors import InvalidInput
from hardwon.ports import Reply

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import timedelta

    from hardwon.ports import Model, Request


def open(kind: str, rest: str, *, key: str, timeout: timedelta) -> Function:
    """`package.module:function`."""
    module, _, name = rest.partition(":")
    try:
        found = getattr(import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise InvalidInput(f"model {kind}:{rest}: {error}") from error
    return Function(found, name=f"{kind}:{rest}")


def as_model(given: object) -> Model:
    """The model, or the function made one; raises InvalidInput for what is neither."""
    if hasattr(given, "complete"):
        return cast("Model", given)
    if not callable(given):
        kind = type(given).__name__
        raise InvalidInput(f"a model is a name, a function or has `complete`; {kind} is not one")
    return Function(given)


class Function:
    """Calls `answer(request)`, which may be async; it returns a text or a Reply.

    It raises `hardwon.errors.TransientError` or `PermanentError`; anything else crashes the job.
    """

    def __init__(self, answer: Callable[[Request], Any], *, name: str = "") -> None:
        self.name = name or f"python:{getattr(answer, '__qualname__', 'function')}"
        self._answer = answer

    async def complete(self, request: Request) -> Reply:
        if inspect.iscoroutinefunction(self._answer):
            said = await self._answer(request)
        else:
            said = await asyncio.to_thread(self._answer, request)
        if isinstance(said, Reply):
            return said
        return Reply(str(said), self.name, len(request.prompt) // 4, len(str(said)) // 4)
