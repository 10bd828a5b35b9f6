"""A Python function as a model."""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import threading
from contextlib import suppress
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
        function = getattr(import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise InvalidInput(f"model {kind}:{rest}: {error}") from error
    return Function(function, name=f"{kind}:{rest}")


def as_model(model: object) -> Model:
    """The model, or the function made one; raises InvalidInput for what is neither."""
    if hasattr(model, "complete"):
        return cast("Model", model)
    if not callable(model):
        kind = type(model).__name__
        raise InvalidInput(f"a model is a name, a function or has `complete`; {kind} is not one")
    return Function(model)


class Function:
    """Calls `answer(request)`, which may be async; it returns a text or a Reply.

    It raises `hardwon.errors.TransientError` or `PermanentError`, or an error of a provider's
    library, which is told by its type and status; anything else crashes the job.
    """

    def __init__(self, answer: Callable[[Request], Any], *, name: str = "") -> None:
        self.name = name or f"python:{getattr(answer, '__qualname__', 'function')}"
        self._answer = answer

    async def complete(self, request: Request) -> Reply:
        if inspect.iscoroutinefunction(self._answer):
            answer = await self._answer(request)
        else:
            answer = await _beside(lambda: self._answer(request))
        if isinstance(answer, Reply):
            return answer
        return Reply(str(answer), self.name, len(request.prompt) // 4, len(str(answer)) // 4)


async def _beside(call: Callable[[], Any]) -> Any:
    """What a blocking call returns, run in a thread that ends with the process.

    Not `asyncio.to_thread`: a loop that ends waits for its threads, however long they take.
    """
    loop, context = asyncio.get_running_loop(), contextvars.copy_context()
    settled: asyncio.Future[tuple[Any, BaseException | None]] = loop.create_future()

    def settle(result: Any, error: BaseException | None) -> None:
        if not settled.done():
            settled.set_result((result, error))

    def run() -> None:
        outcome: tuple[Any, BaseException | None]
        try:
            outcome = context.run(call), None
        except BaseException as error:  # noqa: BLE001 - raised again where it is waited for
            outcome = None, error
        with suppress(RuntimeError):  # the loop has ended: nobody waits any more
            loop.call_soon_threadsafe(settle, *outcome)

    threading.Thread(target=run, daemon=True, name="hardwon-model").start()
    result, error = await settled
    if error is not None:
        raise error
    return result
