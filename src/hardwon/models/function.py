"""Models of the user's own program: a Python function, or LiteLLM if it is installed."""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import threading
from collections.abc import Callable
from concurrent.futures import Future
from datetime import timedelta
from importlib import import_module
from typing import Any, cast

from hardwon.core.errors import InvalidInput, SetupError, TransientError
from hardwon.models.classify import classify
from hardwon.storage.ports import Model, Reply, Request


def open(kind: str, target: str, *, key: str, timeout: timedelta) -> Function | LiteLLM:
    """`package.module:function`, or any name that LiteLLM knows."""
    if kind == "litellm":
        try:
            return LiteLLM(import_module(kind), target, timeout=timeout.total_seconds())
        except ImportError as error:
            raise SetupError("litellm:… needs LiteLLM: pip install litellm") from error
    module, _, name = target.partition(":")
    try:
        function = getattr(import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise InvalidInput(f"model {kind}:{target}: {error}") from error
    return Function(function, name=f"{kind}:{target}")


def as_model(model: object) -> Model:
    """The model, or a function wrapped as one; raises InvalidInput for anything else."""
    if hasattr(model, "complete"):
        return cast("Model", model)
    if not callable(model):
        kind = type(model).__name__
        raise InvalidInput(f"a model is a name, a function or has `complete`; {kind} is not one")
    return Function(model)


class Function:
    """Calls `answer(request)`, which may be async and returns a text, a Reply or None: no answer.

    It may raise `TransientError` or `PermanentError` of `hardwon.core.errors`, or an error of a
    provider's library, which is recognized by type and status; any other error crashes the job.
    """

    def __init__(self, answer: Callable[[Request], Any], *, name: str = "") -> None:
        self.name = name or f"python:{getattr(answer, '__qualname__', 'function')}"
        self._answer = answer

    async def complete(self, request: Request) -> Reply:
        if inspect.iscoroutinefunction(self._answer):
            answer = await self._answer(request)
        else:
            answer = await _in_daemon_thread(lambda: self._answer(request))
        if isinstance(answer, Reply):
            return answer
        text = "" if answer is None else str(answer)
        return Reply(text, self.name, len(request.prompt) // 4, len(text) // 4)


async def _in_daemon_thread(call: Callable[[], Any]) -> Any:
    """The result of a blocking call, run in a thread that ends with the process.

    Not `asyncio.to_thread`: an event loop waits for those threads before it ends.
    """
    context, future = contextvars.copy_context(), Future[Any]()
    future.set_running_or_notify_cancel()  # whoever stops waiting cannot cancel the call

    def run() -> None:
        try:
            future.set_result(context.run(call))
        except StopIteration as error:  # asyncio cannot pass it on: the wait would never end
            future.set_exception(RuntimeError(f"function raised StopIteration: {error}"))
        except BaseException as error:  # noqa: BLE001 - raised again where it is waited for
            future.set_exception(error)

    threading.Thread(target=run, daemon=True, name="hardwon-model").start()
    return await asyncio.wrap_future(future)


class LiteLLM:
    """One call of `litellm.acompletion`, without its own retries; hardwon never installs it."""

    def __init__(self, library: Any, model: str, *, timeout: float) -> None:
        self.name = f"litellm:{model}"
        self._library = library
        self._model = model
        self._timeout = timeout

    async def complete(self, request: Request) -> Reply:
        messages = [
            {"role": "system", "content": request.system},
            {"role": "user", "content": request.prompt},
        ]
        try:
            answer = await self._library.acompletion(
                model=self._model,
                messages=messages,
                max_tokens=request.max_tokens,
                timeout=self._timeout,
                num_retries=0,
            )
        except Exception as error:  # its errors have no common base class
            ours = classify(error, "litellm")
            raise (TransientError(f"litellm: {error}") if ours is error else ours) from error
        usage = getattr(answer, "usage", None)
        return Reply(
            answer.choices[0].message.content or "",
            self.name,
            getattr(usage, "prompt_tokens", 0) or 0,
            getattr(usage, "completion_tokens", 0) or 0,
        )
