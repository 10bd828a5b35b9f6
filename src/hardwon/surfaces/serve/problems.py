"""Errors as problem documents (RFC 9457): what is wrong, and what to do about it."""

from __future__ import annotations

import json
import logging
from http import HTTPStatus
from typing import TYPE_CHECKING

from starlette.responses import Response

from hardwon.core.errors import (
    HardwonError,
    InvalidInput,
    MissingExtra,
    NotAllowed,
    NotFound,
    SetupError,
    StorageFull,
    TransientError,
)

if TYPE_CHECKING:
    from collections.abc import Mapping


MEDIA_TYPE = "application/problem+json"

# The first match counts.
_STATUS: tuple[tuple[type[HardwonError], int], ...] = (
    (NotFound, 404),
    (NotAllowed, 403),
    (InvalidInput, 400),
    (MissingExtra, 501),
    (StorageFull, 507),
    (SetupError, 500),
    (TransientError, 503),
)


class Problem(Exception):
    """A request that fails; `detail` tells the caller what to do."""

    def __init__(
        self, status: int, detail: str, *, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail
        self.headers = dict(headers or {})


def response(problem: Problem) -> Response:
    """The problem as a document."""
    document = {
        "title": HTTPStatus(problem.status).phrase,
        "status": problem.status,
        "detail": problem.detail,
    }
    return Response(json.dumps(document), problem.status, problem.headers, MEDIA_TYPE)


def problem_of(error: Exception) -> Problem:
    """The problem for the caller; an unknown error is reported without details."""
    if isinstance(error, Problem):
        return error
    for kind, status in _STATUS:
        if isinstance(error, kind):
            return Problem(status, str(error))
    logging.getLogger("hardwon").error("a request failed", exc_info=error)
    return Problem(500, "the server failed; its log has details")
