"""One HTTP server that answers JSON: limits, redaction, and classified errors."""

from __future__ import annotations

import asyncio
import json
import ssl
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from hardwon.core.errors import InvalidInput, MissingExtra, PermanentError, TransientError
from hardwon.core.text.clean import one_line
from hardwon.core.text.redact import redact
from hardwon.models.classify import is_passing, retry_after
from hardwon.models.formats import events

try:
    import httpx2
except ImportError as error:
    raise MissingExtra("models") from error

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import timedelta

    from hardwon.models.formats import HttpCall

    Gather = Callable[[list[dict[str, Any]]], dict[str, Any]]

BODY_LIMIT = 4 * 1024 * 1024
_CONNECT = 10.0
_SCHEMA_WORDS = ("response_format", "output_config", "json_schema", "output_format", "schema")
_ADVICE = {
    400: "the server does not take this request",
    401: "check the API key",
    402: "check the account's credit",
    403: "this key may not use this model",
    404: "check the name of the model and the address",
    413: "the request is too large for this server",
    422: "the server does not take this request",
}


class HttpServer:
    """One server and its name in messages. Never retries: the queue does."""

    def __init__(self, name: str, address: str, *, timeout: timedelta) -> None:
        if not _is_address(address):
            raise InvalidInput(f"model {name}@{address} is not of the form kind:name@http://host/…")
        self.name = name
        self._address = address.rstrip("/")
        self._timeout = timeout.total_seconds()

    async def ask(
        self, call: HttpCall, *, gathered: Gather | None = None, with_schema: bool = False
    ) -> dict[str, Any]:
        """The JSON object of the answer; `gathered` assembles a stream of events, if one comes."""
        try:
            async with asyncio.timeout(self._timeout):
                status, headers, body = await self._send(call)
        except TimeoutError as error:
            raise TransientError(
                f"{self.name} did not answer within {self._timeout:g} s"
            ) from error
        except (httpx2.TransportError, httpx2.InvalidURL, httpx2.DecodingError) as error:
            raise self._unreached(error) from error
        if status != 200:
            raise self._refused(status, headers, body, had_schema=with_schema)
        return self._answer(headers, body, gathered)

    async def _send(self, call: HttpCall) -> tuple[int, httpx2.Headers, bytes]:
        limits = httpx2.Timeout(self._timeout, connect=min(_CONNECT, self._timeout))
        # Compressed answers are declined: a few bytes could expand to fill the memory.
        headers = {"accept-encoding": "identity", "user-agent": "hardwon", **call.headers}
        async with (
            httpx2.AsyncClient(timeout=limits, follow_redirects=False) as client,
            client.stream(
                "POST", self._address + call.path, json=call.body, headers=headers
            ) as response,
        ):
            if response.headers.get("content-encoding", "identity") != "identity":
                encoding = response.headers["content-encoding"]
                raise PermanentError(
                    f"{self.name} sent Content-Encoding {encoding!r} though identity was requested"
                )
            body = bytearray()
            async for chunk in response.aiter_raw(64 * 1024):
                body += chunk
                if len(body) > BODY_LIMIT:
                    raise PermanentError(f"{self.name} answered more than {BODY_LIMIT} bytes")
            return response.status_code, response.headers, bytes(body)

    def _answer(
        self, headers: httpx2.Headers, body: bytes, gathered: Gather | None
    ) -> dict[str, Any]:
        kind = headers.get("content-type", "").split(";")[0]
        try:
            text = body.decode("utf-8")
            is_stream = "event-stream" in kind
            document = gathered(events(text)) if gathered and is_stream else json.loads(text)
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise PermanentError(
                f"{self.name} answered {kind or 'something'} that is not JSON; is {self._address}"
                " the right address?"
            ) from error
        if not isinstance(document, dict):
            raise PermanentError(f"{self.name} answered with JSON of an unexpected form")
        if document.get("error"):
            raise self._failed(document["error"])
        return document

    def _unreached(self, error: Exception) -> PermanentError | TransientError:
        cause: BaseException | None = error
        while cause is not None:
            if isinstance(cause, ssl.SSLCertVerificationError):
                return PermanentError(
                    f"{self._address}: its certificate is not trusted on this machine"
                )
            cause = cause.__cause__ or cause.__context__
        invalid_request = (httpx2.LocalProtocolError, httpx2.UnsupportedProtocol, httpx2.InvalidURL)
        if isinstance(error, invalid_request):
            return PermanentError(f"{self._address}: {error}")
        return TransientError(f"{self._address}: {str(error) or type(error).__name__}")

    def _refused(
        self, status: int, headers: httpx2.Headers, body: bytes, *, had_schema: bool
    ) -> PermanentError | TransientError:
        words = _words(body)
        if status in {400, 422} and had_schema and any(word in words for word in _SCHEMA_WORDS):
            return SchemaRefused(words)
        problem = (
            f"{self.name} answered {status}: {words}" if words else f"{self.name} answered {status}"
        )
        if status == 429 and "insufficient_quota" in words:
            return PermanentError(f"{problem}; check the account's credit")
        if is_passing(status):
            return TransientError(problem, retry_after=retry_after(headers))
        if 300 <= status < 400:
            return PermanentError(f"{problem}; it points to {headers.get('location', 'nowhere')!r}")
        return PermanentError(f"{problem}; {_ADVICE.get(status, 'the request cannot work')}")

    def _failed(self, error: Any) -> PermanentError | TransientError:
        """An error that came with status 200."""
        code = error.get("code") if isinstance(error, dict) else None
        words = redact(one_line(json.dumps(error), 300))
        if isinstance(code, int) and is_passing(code):
            return TransientError(f"{self.name}: {words}")
        return PermanentError(f"{self.name}: {words}")


def _is_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
        return parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


class SchemaRefused(PermanentError):
    """The server does not accept a schema; the request is sent again without it."""


def _words(body: bytes) -> str:
    """The server's error message, on one line."""
    text = body[:8192].decode("utf-8", "replace")
    try:
        problem = json.loads(text)["error"]
        if isinstance(problem, dict):
            parts = (problem.get("code") or problem.get("type"), problem.get("message"))
            text = ": ".join(str(part) for part in parts if part)
        else:
            text = str(problem)
    except (ValueError, KeyError, TypeError):
        pass
    return redact(one_line(text, 300))
