"""Models through LiteLLM, if the user has installed it; hardwon never installs it."""

from __future__ import annotations

from datetime import timedelta
from importlib import import_module
from typing import Any

from hardwon.core.errors import SetupError, TransientError
from hardwon.models.classify import classify
from hardwon.storage.ports import Reply, Request


def open(kind: str, model: str, *, key: str, timeout: timedelta) -> LiteLLM:
    """Any name that LiteLLM knows."""
    try:
        library = import_module("litellm")
    except ImportError as error:
        raise SetupError("litellm:… needs LiteLLM: pip install litellm") from error
    return LiteLLM(library, model, timeout=timeout.total_seconds())


class LiteLLM:
    """One call of `litellm.acompletion`, without its own retries."""

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
