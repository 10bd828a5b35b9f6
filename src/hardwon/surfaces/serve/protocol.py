"""Limits on connections that never finish a request, so that they block nobody."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

if TYPE_CHECKING:
    import asyncio

PATIENCE = 10.0  # seconds for the head of a request
_HEAD = 1 << 20  # bytes; may include the start of the body


class PatientProtocol(HttpToolsProtocol):
    """HTTP/1.1, with limits on how long and how large the head of a request may be.

    The gate limits the bodies; uvicorn closes idle connections.
    """

    patience = PATIENCE
    _late: asyncio.TimerHandle | None = None
    _read = 0

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._await_head()

    def data_received(self, data: bytes) -> None:
        if self._late is not None:
            self._read += len(data)
            if self._read > _HEAD:
                self.transport.abort()
                return
        super().data_received(data)

    def on_message_begin(self) -> None:
        super().on_message_begin()
        if self._late is None:  # another request on the same connection
            self._await_head()

    def on_headers_complete(self) -> None:
        self._cancel_timer()
        super().on_headers_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        self._cancel_timer()
        super().connection_lost(exc)

    def _await_head(self) -> None:
        self._read = 0
        self._late = self.loop.call_later(self.patience, self.transport.abort)

    def _cancel_timer(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None
