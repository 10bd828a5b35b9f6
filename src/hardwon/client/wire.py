"""Requests to a server: kept-alive connections, time limits, hardwon's own errors."""

from __future__ import annotations

import http.client
import json
import select
import threading
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlencode, urlsplit

from hardwon._patience import Patience
from hardwon.errors import (
    HardwonError,
    InvalidInput,
    NotFound,
    SetupError,
    TransientError,
    Unavailable,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

DOOR = 0.5  # seconds that an agent's turn waits at most
DESK = 60.0  # seconds that other callers wait at most
_IDLE = 4  # idle connections to keep


class Answer(NamedTuple):
    """The answer of a server."""

    status: int
    body: bytes
    retry_after: float | None

    @property
    def json(self) -> Any:
        """The body as a value."""
        return json.loads(self.body) if self.body else None


class Wire:
    """One server and one key."""

    def __init__(self, url: str, key: str, *, door: float = DOOR) -> None:
        parts = urlsplit(url)
        if not parts.hostname or parts.username or parts.query or parts.fragment:
            raise InvalidInput(f"not the address of a server: {url!r}")
        self._is_encrypted = parts.scheme == "https"
        self._host, self._port = parts.hostname, parts.port
        self._prefix = parts.path.rstrip("/")
        self._key = key
        self._door, self._desk = Patience(door), Patience(DESK)
        self._idle: list[http.client.HTTPConnection] = []
        self._lock = threading.Lock()

    def door(self, path: str, body: object, query: Mapping[str, object]) -> Any:
        """The answer of a door; raises Unavailable after the short time limit."""
        return self._value(self._door, "POST", path, body, query, {})

    def get(self, path: str, query: Mapping[str, object]) -> Any:
        """The answer to a GET request, as a value."""
        return self._value(self._desk, "GET", path, None, query, {})

    def send(
        self,
        method: str,
        path: str,
        body: object,
        query: Mapping[str, object],
        *,
        once: str = "",
        door: bool = False,
    ) -> Any:
        """The answer to a change; with `once` the server does it once, however often it is sent."""
        headers = {"Idempotency-Key": once} if once else {}
        return self._value(self._door if door else self._desk, method, path, body, query, headers)

    def text(self, path: str, query: Mapping[str, object]) -> str:
        """The answer to a GET request, as text."""
        answer = self._answer(self._desk, "GET", path, b"", query, {})
        return answer.body.decode("utf-8", "replace")

    def close(self) -> None:
        """Release the connections."""
        with self._lock:
            while self._idle:
                self._idle.pop().close()

    def _value(
        self,
        patience: Patience,
        method: str,
        path: str,
        body: object,
        query: Mapping[str, object],
        headers: dict[str, str],
    ) -> Any:
        content = body
        if not isinstance(body, bytes):
            content = b"" if body is None else json.dumps(body).encode()
            headers = {**headers, "Content-Type": "application/json"}
        assert isinstance(content, bytes)
        return self._answer(patience, method, path, content, query, headers).json

    def _answer(
        self,
        patience: Patience,
        method: str,
        path: str,
        body: bytes,
        query: Mapping[str, object],
        headers: Mapping[str, str],
    ) -> Answer:
        parameters = {name: _written(value) for name, value in query.items() if value is not None}
        target = f"{self._prefix}{path}" + (f"?{urlencode(parameters)}" if parameters else "")
        own_headers = {"Authorization": f"Bearer {self._key}", **headers}
        limit = max(1.0, 2 * patience.seconds)  # by then nobody waits for the answer
        answer = patience.wait(lambda: self._exchanged(method, target, body, own_headers, limit))
        if answer.status >= 400:
            raise _error_of(answer)
        return answer

    def _exchanged(
        self, method: str, target: str, body: bytes, headers: Mapping[str, str], limit: float
    ) -> Answer:
        connection = self._connection()
        connection.timeout = limit
        if connection.sock:
            connection.sock.settimeout(limit)
        try:
            connection.request(method, target, body or None, dict(headers))
            response = connection.getresponse()
            wait = response.headers.get("Retry-After", "")
            answer = Answer(
                response.status, response.read(), float(wait) if wait.isdecimal() else None
            )
        except (OSError, http.client.HTTPException, ValueError) as error:
            connection.close()
            raise Unavailable(f"{self._host}: {str(error) or type(error).__name__}") from error
        self._keep(connection)
        return answer

    def _connection(self) -> http.client.HTTPConnection:
        """An idle connection that the server has not closed, or a new one."""
        with self._lock:
            while self._idle:
                idle = self._idle.pop()
                if idle.sock and not select.select([idle.sock], [], [], 0)[0]:
                    return idle
                idle.close()
        kind = http.client.HTTPSConnection if self._is_encrypted else http.client.HTTPConnection
        return kind(self._host, self._port)

    def _keep(self, connection: http.client.HTTPConnection) -> None:
        with self._lock:
            if len(self._idle) < _IDLE and connection.sock:
                self._idle.append(connection)
                return
        connection.close()


def _written(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _error_of(answer: Answer) -> HardwonError:
    """The error that the same call would have raised on the server."""
    try:
        detail = str(answer.json["detail"])
    except (ValueError, TypeError, KeyError):
        detail = f"the server answered {answer.status}"
    if answer.status == 404:
        missing = NotFound("thing")
        missing.args = (detail,)
        return missing
    if answer.status in {401, 403, 421}:
        return SetupError(f"the server refuses: {detail}")
    if answer.status in {429, 503}:
        return TransientError(detail, retry_after=answer.retry_after)
    return InvalidInput(detail) if answer.status < 500 else Unavailable(detail)
