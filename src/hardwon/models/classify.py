"""Errors of any provider's library as hardwon's own, by their type and status."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from hardwon.core.errors import HardwonError, PermanentError, TransientError
from hardwon.core.text.clean import as_text, one_line
from hardwon.core.text.redact import redact

_LATER = {408, 409, 425, 429}
_NO_CREDIT = "insufficient_quota"  # comes with 429, and waiting does not help
_STATUS_NAMES = ("status_code", "http_status", "status", "code")
# By name: these libraries are the user's; none of them may be imported here.
_NETWORK = {
    *("APIConnectionError", "APITimeoutError", "TransportError", "TimeoutException"),
    *("ConnectionError", "ConnectTimeout", "ReadTimeout", "TimeoutError", "Timeout"),
    *("ServerDisconnectedError", "ClientConnectionError", "EndpointConnectionError"),
    "IncompleteRead",
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


def classify(error: Exception, name: str) -> Exception:
    """The error as a TransientError or PermanentError; other errors stay as they are."""
    if isinstance(error, HardwonError):
        return error
    status, problem = _status(error), f"{name}: {one_line(redact(as_text(error)), 300)}"
    if status is not None:
        return of_status(status, problem, headers=_headers(error))
    names = {kind.__name__ for cause in _causes(error) for kind in type(cause).__mro__}
    if not names & _NETWORK:
        return error
    if "SSLCertVerificationError" in names:
        return PermanentError(f"{name}: its certificate is not trusted on this machine")
    return PermanentError(problem) if names & _NEVER else TransientError(problem)


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
            from email.utils import parsedate_to_datetime  # takes long to import

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


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """The error and what caused it, at most ten."""
    for _ in range(10):
        if error is not None:
            yield error
            error = error.__cause__ or error.__context__
