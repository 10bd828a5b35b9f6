"""Errors of any provider's library as hardwon's own, by their type and status."""

from __future__ import annotations

import ssl
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from email.utils import parsedate_to_datetime
from typing import Any

from hardwon.core.errors import HardwonError, PermanentError, TransientError
from hardwon.core.text.clean import as_text, one_line
from hardwon.core.text.redact import redact
from hardwon.storage.ports import Embedder

_LATER = {408, 409, 425, 429}
_NO_CREDIT = "insufficient_quota"  # comes with 429, and waiting does not help
_STATUS_NAMES = ("status_code", "http_status", "status", "code")
# By name: these libraries are the user's; none of them may be imported here.
_NETWORK = {
    *("APIConnectionError", "APITimeoutError", "TransportError", "TimeoutException"),
    *("ConnectionError", "ConnectTimeout", "ReadTimeout", "TimeoutError", "Timeout"),
    *(
        "ServerDisconnectedError",
        "ClientConnectionError",
        "IncompleteRead",
        "EndpointConnectionError",
    ),
}
_NEVER = {"UnsupportedProtocol", "LocalProtocolError", "InvalidURL", "InvalidSchema"}


@contextmanager
def provider_errors(name: str) -> Iterator[None]:
    """Raise errors of a provider's library in the block as hardwon's own."""
    try:
        yield
    except Exception as error:
        ours = classify(error, name)
        if ours is error:
            raise
        raise ours from error


class Translated:
    """The user's embedder; its errors are raised as hardwon's own."""

    def __init__(self, embedder: Embedder) -> None:
        self.name = embedder.name
        self._embedder = embedder

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        with provider_errors(self.name):
            return self._embedder.embed(texts)


def classify(error: Exception, name: str) -> Exception:
    """The error as a TransientError or PermanentError; other errors stay as they are."""
    if isinstance(error, HardwonError):
        return error
    status, problem = _status(error), f"{name}: {one_line(redact(as_text(error)), 300)}"
    if status is not None:
        return of_status(status, problem, headers=_headers(error))
    chain = list(causes_of(error))
    if not any(_is_named(cause, _NETWORK) for cause in chain):
        return error
    if any(isinstance(cause, ssl.SSLCertVerificationError) for cause in chain) or any(
        _is_named(cause, _NEVER) for cause in chain
    ):
        return PermanentError(problem)
    return TransientError(problem)


def of_status(
    status: int, problem: str, *, headers: Mapping[str, str]
) -> TransientError | PermanentError:
    """The error of an HTTP status."""
    if status == 429 and _NO_CREDIT in problem:
        return PermanentError(f"{problem}; check the account's credit")
    if is_passing(status):
        return TransientError(problem, retry_after=retry_after(headers))
    return PermanentError(problem)


def is_passing(status: int) -> bool:
    """Whether the same request may work later."""
    return status in _LATER or status >= 500


def retry_after(headers: Mapping[str, str]) -> float | None:
    """How long the server asks to wait, in seconds; at most a day."""
    header = headers.get("retry-after", "")
    try:
        if headers.get("retry-after-ms"):
            seconds = float(headers["retry-after-ms"]) / 1000
        elif header.strip().replace(".", "", 1).isdigit():
            seconds = float(header)
        else:
            then, now = parsedate_to_datetime(header), parsedate_to_datetime(headers["date"])
            seconds = (then - now).total_seconds()
    except (ValueError, TypeError, KeyError):
        return None
    return min(max(seconds, 0.0), 86_400.0)


def _status(error: Exception) -> int | None:
    """The HTTP status that an error carries, itself or in its response."""
    response: Any = getattr(error, "response", None)
    if isinstance(response, dict):  # the response of a cloud's own library
        response = response.get("ResponseMetadata", {})
        carried = [response.get("HTTPStatusCode")] if isinstance(response, dict) else []
    else:
        places = (error, response)
        carried = [getattr(place, name, None) for place in places for name in _STATUS_NAMES]
    numbers = (value for value in carried if isinstance(value, int) and 400 <= value < 600)
    return next(numbers, None)


def _headers(error: Exception) -> Mapping[str, str]:
    """The headers of the response, by lower-case names."""
    try:
        headers = dict(getattr(error.response, "headers", {}))  # type: ignore[attr-defined]
    except (AttributeError, TypeError, ValueError):
        return {}
    return {str(name).lower(): str(value) for name, value in headers.items()}


def causes_of(error: BaseException) -> Iterator[BaseException]:
    """The error and what caused it."""
    cause: BaseException | None = error
    for _ in range(10):
        if cause is None:
            return
        yield cause
        cause = cause.__cause__ or cause.__context__


def _is_named(error: BaseException, names: set[str]) -> bool:
    return not names.isdisjoint(kind.__name__ for kind in type(error).__mro__)
