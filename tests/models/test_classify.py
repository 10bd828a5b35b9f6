"""Errors of foreign libraries in our terms: told by status and type, without importing any."""

from __future__ import annotations

import asyncio
import ssl
from typing import Any

import pytest

import hardwon
from hardwon.core.errors import PermanentError, TransientError
from hardwon.models.classify import classify
from hardwon.models.function import Function
from hardwon.storage.ports import Request


class Response:
    """What many libraries hang on their errors."""

    def __init__(self, status_code: int, **headers: str) -> None:
        self.status_code = status_code
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}


class ProviderError(Exception):
    """An error of a library that nobody has heard of."""


def carrying(**attributes: Any) -> Exception:
    """An error with these attributes."""
    error = ProviderError("no luck")
    vars(error).update(attributes)
    return error


def named(*names: str) -> Exception:
    """An error whose classes have these names, the outermost first."""
    kind: type[Exception] = Exception
    for name in reversed(names):
        kind = type(name, (kind,), {})
    return kind("no luck")


@pytest.mark.parametrize(
    "error",
    [
        carrying(status_code=429),
        carrying(status_code=503),
        carrying(status_code=529),
        carrying(http_status=500),
        carrying(status=502),
        carrying(code=504),
        carrying(response=Response(429)),
        carrying(response={"ResponseMetadata": {"HTTPStatusCode": 503}}),
        named("APITimeoutError", "APIConnectionError", "APIError"),
        named("ReadError", "TransportError"),
        TimeoutError("slow"),
        ConnectionResetError("cut"),
    ],
)
def test_what_may_work_later_is_tried_again(error: Exception) -> None:
    assert isinstance(classify(error, "model"), TransientError)


@pytest.mark.parametrize(
    "error",
    [
        carrying(status_code=400),
        carrying(status_code=401),
        carrying(response=Response(404)),
        named("UnsupportedProtocol", "TransportError"),
    ],
)
def test_what_cannot_work_is_not(error: Exception) -> None:
    assert isinstance(classify(error, "model"), PermanentError)


def test_an_account_without_credit_does_not_mend_itself() -> None:
    error = type("RateLimitError", (Exception,), {"status_code": 429})("insufficient_quota")

    assert isinstance(classify(error, "model"), PermanentError)


def test_a_certificate_that_is_not_trusted_stays_so() -> None:
    error = named("APIConnectionError")
    error.__cause__ = ssl.SSLCertVerificationError("self-signed")

    assert isinstance(classify(error, "model"), PermanentError)


@pytest.mark.parametrize("error", [KeyError("x"), carrying(code="429"), carrying(status_code=200)])
def test_a_mistake_in_the_function_stays_a_crash(error: Exception) -> None:
    assert classify(error, "model") is error


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry_after": "7"}, 7.0),
        ({"Retry_After": "7"}, 7.0),
        ({"retry_after_ms": "1500"}, 1.5),
        ({"retry_after": "soon"}, None),
    ],
)
def test_the_wait_that_the_server_asks_for_is_kept(
    headers: dict[str, str], seconds: float | None
) -> None:
    found = classify(carrying(response=Response(429, **headers)), "model")

    assert isinstance(found, TransientError)
    assert found.retry_after == seconds


def test_an_object_with_complete_is_classed_like_a_function() -> None:
    class Mine:
        name = "mine"

        async def complete(self, request: object) -> object:
            raise carrying(status_code=503)

    with hardwon.open("memory:", model=Mine()) as hw:  # type: ignore[call-overload]
        hw.agent("coder").after_run(task="t", error="e")
        assert hw.drain().retried == 1


def test_a_blocking_function_raises_where_it_is_waited_for() -> None:
    def stops(asked: object) -> str:
        raise StopIteration("odd")

    model = Function(stops)
    with pytest.raises(RuntimeError, match="StopIteration"):
        asyncio.run(model.complete(Request("s", "p")))
