"""Serve MCP over standard streams, or over HTTP on this machine with a token."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hardwon.storage.auth import is_bearer

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, MutableMapping

    from mcp.server.mcpserver import MCPServer

    Message = MutableMapping[str, Any]
    App = Callable[
        [Message, Callable[[], Awaitable[Message]], Callable[[Message], Awaitable[None]]],
        Awaitable[None],
    ]


def over_stdio(server: MCPServer) -> None:
    """Serve the parent process until it closes the stream."""
    server.run(transport="stdio")


def over_http(server: MCPServer, *, port: int, token: str) -> None:
    """Serve `http://127.0.0.1:<port>/mcp`. Foreign Host and Origin headers are refused."""
    import uvicorn

    uvicorn.run(app(server, token), host="127.0.0.1", port=port, log_level="warning")


def app(server: MCPServer, token: str) -> App:
    """The ASGI application; requests need the token."""
    return TokenGate(server.streamable_http_app(), token)


class TokenGate:
    """Passes on requests with the token; the SDK checks Host and Origin."""

    def __init__(self, inner: App, token: str) -> None:
        self._inner = inner
        self._token = token

    async def __call__(self, scope: Message, receive: Any, send: Any) -> None:
        if scope["type"] != "http" or is_bearer(_header(scope, b"authorization"), self._token):
            await self._inner(scope, receive, send)
            return
        headers = [(b"www-authenticate", b"Bearer"), (b"content-length", b"0")]
        await send({"type": "http.response.start", "status": 401, "headers": headers})
        await send({"type": "http.response.body", "body": b""})


def _header(scope: Message, name: bytes) -> str:
    return next((value.decode("latin-1") for key, value in scope["headers"] if key == name), "")
