"""Models behind HTTP: Anthropic, OpenAI, and servers that use one of their formats."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hardwon.core.errors import InvalidInput, PermanentError
from hardwon.models.formats import WIRES, WireFormat
from hardwon.models.http import HttpServer, SchemaRefused

if TYPE_CHECKING:
    from datetime import timedelta

    from hardwon.storage.ports import Reply, Request


def open(kind: str, name: str, *, key: str, timeout: timedelta) -> Provider:
    """`model` or `model@address`."""
    model, address = split_address(kind, name)
    server = HttpServer(f"{kind}:{model}", address, timeout=timeout)
    return Provider(WIRES[kind], model, server, key=key)


def split_address(kind: str, name: str) -> tuple[str, str]:
    """The model and the address of `model` or `model@address`."""
    model, _, address = name.partition("@http")
    address = f"http{address}" if address else WIRES[kind].home
    if not model:
        raise InvalidInput(f"model {kind}:{name} is not of the form kind:name@http://host/…")
    return model, address


class Provider:
    """One model of one server. Never retries: the queue does."""

    def __init__(self, wire: WireFormat, model: str, server: HttpServer, *, key: str) -> None:
        self.name = server.name
        self._wire = wire
        self._model = model
        self._server = server
        self._key = key
        self._takes_schema = True

    async def complete(self, request: Request) -> Reply:
        asks_schema = self._takes_schema and request.schema is not None
        try:
            answer = await self._ask(request, with_schema=asks_schema)
        except SchemaRefused:
            self._takes_schema = False
            answer = await self._ask(request, with_schema=False)
        return self._read(answer, request)

    async def _ask(self, request: Request, *, with_schema: bool) -> dict[str, Any]:
        call = self._wire.call(request, self._model, self._key, with_schema=with_schema)
        return await self._server.ask(call, gathered=self._wire.gathered, with_schema=with_schema)

    def _read(self, answer: dict[str, Any], request: Request) -> Reply:
        try:
            reply = self._wire.reply(answer)
        except (KeyError, TypeError, IndexError, AttributeError) as error:
            raise PermanentError(f"{self.name} answered with JSON of an unexpected form") from error
        return reply._replace(
            model=self.name,
            tokens_in=reply.tokens_in or (len(request.system) + len(request.prompt)) // 4,
            tokens_out=reply.tokens_out or len(reply.text) // 4,
        )
