"""Ask a model, and once more when its answer cannot be used."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from hardwon.core.errors import BadReply

if TYPE_CHECKING:
    from collections.abc import Callable

    from hardwon.storage.ports import Model, Request

T = TypeVar("T")
_AGAIN = (
    "\n\nYour last answer could not be used: {problem}. Answer once more, with nothing but what is"
    " described above."
)


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
