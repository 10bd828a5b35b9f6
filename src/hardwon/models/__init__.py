"""Models that word the lessons: providers, commands, functions, or rules alone.

A model is named like a URL: `anthropic:claude-haiku-4-5`, `openai:gpt-5-mini`,
`openai:qwen3@http://127.0.0.1:11434/v1`, `command:my-model`, `agent:claude-code`, `litellm:…`,
`python:pkg.mod:fn`, `scripted:answers.txt`, `rules`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from datetime import timedelta
from importlib import import_module
from typing import TypeVar

from hardwon.core.errors import BadReply, InvalidInput
from hardwon.storage.ports import Model, Request

T = TypeVar("T")

# The module of each kind, imported on first use. Each module has `open(kind, rest, …)`.
KINDS = {
    "rules": "rules",
    "anthropic": "providers",
    "openai": "providers",
    "command": "command",
    "agent": "command",
    "litellm": "function",
    "python": "function",
    "scripted": "scripted",
}
_AGAIN = (
    "\n\nYour last answer could not be used: {problem}. Answer once more, with nothing but what is"
    " described above."
)
# The models that are used when only an API key is set.
DEFAULTS = {
    "anthropic": "anthropic:claude-haiku-4-5",
    "openai": "openai:gpt-5-mini",
}


def open_model(
    name: str, *, keys: Mapping[str, str], timeout: timedelta, preferred: Collection[str] = ()
) -> Model:
    """The model of this name; without a name that of the first preferred kind, else rules.

    `keys` holds the API keys by provider. Raises InvalidInput for an unknown model.
    """
    name = name.strip() or next((DEFAULTS[kind] for kind in DEFAULTS if kind in preferred), "rules")
    kind, _, detail = name.partition(":")
    if kind not in KINDS or (not detail and kind not in {"rules", "scripted"}):
        kinds = ", ".join(sorted(KINDS))
        raise InvalidInput(
            f"model {name!r} is not of the form kind:name, kind being one of {kinds}"
        )
    module = import_module(f"hardwon.models.{KINDS[kind]}")
    model: Model = module.open(kind, detail, key=keys.get(kind, ""), timeout=timeout)
    return model


async def ask(model: Model, request: Request, parse: Callable[[str], T]) -> tuple[T, str]:
    """The parsed answer, and the name of the model that gave it; BadReply after two bad answers."""
    reply = await model.complete(request)
    try:
        answer = parse(reply.text)
    except BadReply as problem:
        again = request._replace(prompt=request.prompt + _AGAIN.format(problem=problem))
        reply = await model.complete(again)
        answer = parse(reply.text)
    return answer, reply.model or model.name
