"""Limits on connections that never finish a request, so that they block nobody."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from hardwon.surfaces.serve.limits import Limits

if TYPE_CHECKING:
    import asyncio

_LINGER = 2.0  # seconds for a client to read its answer before the connection is closed
_REFUSALS = {
    400: b"this is not HTTP",
    431: b"the head of the request is too large",
    503: b"too many connections; try again later",
}


class _TooLarge(Exception):
    """The head of a request has too many bytes or fields."""


class PatientProtocol(HttpToolsProtocol):
    """HTTP/1.1, with limits on how many clients there are, and on the head of a request.

    `requests.body_of` limits the bodies; uvicorn closes idle connections.
    """

    limits = Limits()
    _late: asyncio.TimerHandle | None = None
    _waiting = 0  # bytes that arrived for a head that is not complete
    _size = _count = 0  # bytes and fields of the head so far
    _is_over = False  # what arrives now is thrown away

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        if len(self.connections) > self.limits.connections:
            self._refuse(503)
            self.transport.close()  # at once: there may be more of them than files
        else:
            self._await_head()

    def data_received(self, data: bytes) -> None:
        if self._is_over:
            return
        super().data_received(data)
        if self._late is not None:
            self._waiting += len(data)
            if self._waiting > self.limits.head and not self._is_over:
                self._refuse(431)

    def send_400_response(self, msg: str) -> None:
        """Refuse what the parser did not take."""
        is_too_large = self._size > self.limits.head or self._count > self.limits.fields
        self._refuse(431 if is_too_large else 400)

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._size = self._count = 0
        if self._late is None:  # another request on the same connection
            self._await_head()

    def on_url(self, url: bytes) -> None:
        self._grow(len(url), 0)
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Also called for the fields behind a body."""
        self._grow(len(name) + len(value), 1)
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        self._cancel_timer()
        super().on_headers_complete()

    def on_response_complete(self) -> None:
        """Close the connection if the answer is out and the request has not arrived whole."""
        is_half = not self.pipeline and self.cycle.more_body
        super().on_response_complete()
        if is_half and not self.transport.is_closing():
            self._linger()

    def connection_lost(self, exc: Exception | None) -> None:
        self._cancel_timer()
        super().connection_lost(exc)

    def _grow(self, size: int, count: int) -> None:
        self._size += size
        self._count += count
        if self._size > self.limits.head or self._count > self.limits.fields:
            raise _TooLarge

    def _await_head(self) -> None:
        self._waiting = 0
        self._late = self.loop.call_later(self.limits.arrival, self.transport.abort)

    def _cancel_timer(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None

    def _refuse(self, status: int) -> None:
        words = _REFUSALS[status]
        head = f"HTTP/1.1 {status} \r\ncontent-type: text/plain\r\ncontent-length: {len(words)}"
        self.transport.write(f"{head}\r\nconnection: close\r\n\r\n".encode() + words)
        self._linger()

    def _linger(self) -> None:
        """Close in a way that lets the client read its answer: a reset would take it away."""
        self._is_over = True
        self._unset_keepalive_if_required()
        self._cancel_timer()
        self._late = self.loop.call_later(_LINGER, self.transport.abort)
        if self.transport.can_write_eof():
            self.transport.write_eof()
