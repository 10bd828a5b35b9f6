"""Models that the user reaches through LiteLLM, if it is installed; we never install it."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from hardwon.errors import PermanentError, SetupError, TransientError
from hardwon.ports import Reply

if TYPE_CHECKING:
    from datetime import timedelta

    from hardwon.ports import Request

_LATER = {408, 409, 425, 429}


def open(kind: str, rest: str, *, key: str, timeout: timedelta) -> LiteLLM:
    """Any name that LiteLLM knows."""
    try:
        library = import_module("litellm")
    except ImportError as error:
        raise SetupError("litellm:… needs LiteLLM: pip install litellm") from error
    return LiteLLM(library, rest, timeout=timeout.total_seconds())


class LiteLLM:
    """One call of `litellm.acompletion`, its own retries switched off."""

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
        except Exception as error:  # its errors have no common root, but all carry a status
            raise _classed(error) from error
        usage = getattr(answer, "usage", None)
        return Reply(
            answer.choices[0].message.content or "",
            self.name,
            getattr(usage, "prompt_tokens", 0) or 0,
            getattr(usage, "completion_tokens", 0) or 0,
        )


def _classed(error: Exception) -> PermanentError | TransientError:
    status = getattr(error, "status_code", None)
    if status is None or status in _LATER or status >= 500:
        return TransientError(f"litellm: {error}")
    return PermanentError(f"litellm: {error}")
