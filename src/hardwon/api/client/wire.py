"""Requests to a server: kept-alive connections, time limits, hardwon's own errors."""

from __future__ import annotations

import http.client
import json
import select
import threading
from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode, urlsplit

from hardwon.api.operations import AUTHOR, JSON, OPERATIONS
from hardwon.core import errors
from hardwon.core.time_limits import TimeLimit
from hardwon.core.values.run import Author

DOOR = 0.5  # seconds that an agent's turn waits at most
_OTHERS = 60.0  # seconds that other callers wait at most
_ABOUT = {"agent", "project", "run", "view"}  # only in the query
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

    def __init__(self, url: str, key: str, *, author: Author, door: float = DOOR) -> None:
        parts = urlsplit(url)
        if not parts.hostname or parts.username or parts.query or parts.fragment:
            raise errors.InvalidInput(f"not the address of a server: {url!r}")
        self._is_encrypted = parts.scheme == "https"
        self._host, self._port = parts.hostname, parts.port
        self._prefix = parts.path.rstrip("/")
        said = ";".join(quote(text, safe="") for text in author)
        self._headers = {"Authorization": f"Bearer {key}", AUTHOR: said}
        self._door, self._others = TimeLimit(door), TimeLimit(_OTHERS)
        self._idle: list[http.client.HTTPConnection] = []
        self._lock = threading.Lock()

    def call(
        self,
        name: str,
        identity: object,
        arguments: Mapping[str, Any],
        *,
        once: str = "",
        briefly: bool = False,
    ) -> Any:
        """The answer of an operation; `identity` is what its path names, None is left out.

        With `once` the server does it once, however often it is sent. `briefly`: it raises
        Unavailable after the short time limit.
        """
        operation = OPERATIONS[name]
        given = {key: value for key, value in arguments.items() if value is not None}
        query = {
            key: str(value).lower() if isinstance(value, bool) else str(value)
            for key, value in given.items()
            if key in operation.query
        }
        body = {key: value for key, value in given.items() if key not in _ABOUT | query.keys()}
        path = operation.path.replace("{id}", quote(str(identity), safe=""))
        headers = {"Idempotency-Key": once} if once else {}
        content = b""
        if operation.takes_bytes:
            content = given["bytes"]
        elif operation.body:
            content = json.dumps(body).encode()
            headers["Content-Type"] = JSON
        target = path + (f"?{urlencode(query)}" if query else "")
        limit = self._door if briefly else self._others
        patience = max(1.0, 2 * limit.seconds)
        answer = limit.run(
            lambda: self._exchange(operation.method, target, content, headers, patience=patience)
        )
        if answer.status >= 400:
            raise _error_of(answer)
        if operation.gives is str:
            return answer.body.decode("utf-8", "replace")
        return answer.json

    def close(self) -> None:
        """Release the connections."""
        with self._lock:
            while self._idle:
                self._idle.pop().close()

    def _exchange(
        self, method: str, target: str, body: bytes, headers: Mapping[str, str], *, patience: float
    ) -> Answer:
        """The answer; gives up when nobody waits for it any more."""
        connection = self._connection()
        connection.timeout = patience
        if connection.sock:
            connection.sock.settimeout(patience)
        try:
            address, every = f"{self._prefix}{target}", {**self._headers, **headers}
            connection.request(method, address, body or None, every)
            response = connection.getresponse()
            wait = response.headers.get("Retry-After", "")
            answer = Answer(
                response.status, response.read(), float(wait) if wait.isdecimal() else None
            )
        except (OSError, http.client.HTTPException, ValueError) as error:
            connection.close()
            raise errors.Unavailable(
                f"{self._host}: {str(error) or type(error).__name__}"
            ) from error
        with self._lock:
            has_room = len(self._idle) < _IDLE and connection.sock is not None
            if answer.status < 400 and has_room:
                self._idle.append(connection)
                return answer
        connection.close()  # a server may close it as well, when it has not read the body
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


def _error_of(answer: Answer) -> errors.HardwonError:
    """The error that the same call would have raised on the server."""
    try:
        detail = str(answer.json["detail"])
    except (ValueError, TypeError, KeyError):
        detail = f"the server answered {answer.status}"
        if answer.status == 404:  # of a proxy, or of another program
            return errors.Unavailable(f"{detail}, not as hardwon does")
    if answer.status == 404:
        missing = errors.NotFound("thing")
        missing.args = (detail,)
        return missing
    if answer.status in {401, 403, 421}:
        return errors.SetupError(f"the server refuses: {detail}")
    if answer.status == 501:
        return errors.OlderServer(detail)
    if answer.status in {429, 503}:
        return errors.TransientError(detail, retry_after=answer.retry_after)
    return errors.InvalidInput(detail) if answer.status < 500 else errors.Unavailable(detail)
