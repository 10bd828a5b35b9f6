"""Helpers for routes: the rights, body, agent and links of a request; errors as answers.

Errors are problem documents (RFC 9457): what is wrong, and what to do about it.
"""

from __future__ import annotations

import asyncio
import base64
import json
import logging
from functools import wraps
from http import HTTPStatus
from inspect import iscoroutinefunction
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, unquote

from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect
from starlette.responses import Response

from hardwon.api.lessons import limit_changes
from hardwon.api.operations import AUTHOR
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
from hardwon.core.text.clean import one_line
from hardwon.core.values.run import Author
from hardwon.surfaces.serve.access import is_same

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from starlette.requests import Request

    from hardwon import Agent
    from hardwon.api.lessons import Lessons
    from hardwon.core.values.report import Mark
    from hardwon.core.values.scope import Scope
    from hardwon.surfaces.serve.access import Principal
    from hardwon.surfaces.serve.limits import Limits

    Endpoint = Callable[[Request], Any]

MEDIA_TYPE = "application/problem+json"
_WHO_LIMIT = 80  # characters of a name

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


def problem_response(problem: Problem) -> Response:
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


SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
_FORM = "application/x-www-form-urlencoded"


def needs(*rights: str) -> Callable[[Endpoint], Callable[[Request], Awaitable[Response]]]:
    """Call the endpoint only if the request is admitted; a plain function runs in a thread.

    The endpoint finds the body in `request.state.body`.
    """

    def guard(endpoint: Endpoint) -> Callable[[Request], Awaitable[Response]]:
        @wraps(endpoint)
        async def admitted_endpoint(request: Request) -> Response:
            request.state.body = await admit(request, *rights)
            if iscoroutinefunction(endpoint):
                return await endpoint(request)  # type: ignore[no-any-return]
            return await run_in_threadpool(endpoint, request)

        return admitted_endpoint

    return guard


async def admit(request: Request, *rights: str, most: int = 0) -> bytes:
    """The body of a request whose principal has one of the rights and keeps to its limits.

    Nothing of the body is read before that. A browser's request must show the CSRF token.
    """
    ensure(principal(request), *rights)
    allowed_place(request)
    if request.method in SAFE:
        return b""
    body = await body_of(request, most or limits_of(request).body)
    token = csrf(request)
    if token and not is_same(_shown_token(request, body), token):
        raise Problem(403, "the form has expired; open the page again and repeat it")
    return body


def ensure(who: Principal, *rights: str) -> None:
    """Raise Problem unless the principal has one of the rights; without rights, anybody has."""
    if rights and not any(who.may(right) for right in rights):
        limits = {"agent": who.agent, "project": who.project}
        only = [f"the {name} {limit!r}" for name, limit in limits.items() if limit is not None]
        limited_to = f" for {' and '.join(only)} only" if only else ""
        raise Problem(403, f"a key with the role {who.role!r}{limited_to} may not {rights[0]}")


async def body_of(request: Request, most: int) -> bytes:
    """The body, if it has arrived in time and has at most so many bytes."""
    patience = limits_of(request).arrival
    too_large = Problem(413, f"a request may have at most {most:,} bytes")
    declared = request.headers.get("content-length", "0")
    if len(declared) > 18 or (declared.isdecimal() and int(declared) > most):
        raise too_large
    body = bytearray()
    try:
        async with asyncio.timeout(patience):
            async for piece in request.stream():
                body += piece
                if len(body) > most:
                    raise too_large
    except TimeoutError:
        raise Problem(408, f"no whole request within {patience:g} s") from None
    except ClientDisconnect:
        raise Problem(400, "the request ended in the middle") from None
    return bytes(body)


def form_of(request: Request, body: bytes) -> dict[str, list[str]]:
    """The fields of a form; Problem if there are too many."""
    most = limits_of(request).form
    try:
        text = body.decode("utf-8", "replace")
        return parse_qs(text, keep_blank_values=True, max_num_fields=most)
    except ValueError:
        raise Problem(413, f"a form may have at most {most:,} fields") from None


def principal(request: Request) -> Principal:
    """The principal of the request."""
    who: Principal = request.state.principal
    return who


def limits_of(request: Request) -> Limits:
    """The limits of the server."""
    limits: Limits = request.app.state.limits
    return limits


def allowed_place(request: Request) -> tuple[str | None, str | None]:
    """The `agent` and `project` that the query names, within the key's limits; None: any."""
    asked, who = request.query_params, principal(request)
    agent = _within("agent", asked.get("agent"), who.agent)
    return agent, _within("project", asked.get("project"), who.project)


def agent_of_query(request: Request) -> Agent:
    """The agent that the query names by `agent`, `project` and `run`, within the key's limits."""
    hw, (agent, project) = request.app.state.hw, allowed_place(request)
    run = request.query_params.get("run") or None
    who = principal(request)
    scoped_agent: Agent = hw.agent(
        agent or hw.settings.scope.agent, project=project, tenant=who.tenant, run=run
    )
    if who.key:
        scoped_agent.by = author(request)
    return scoped_agent


def author(request: Request) -> Author:
    """Whose runs a request is about: as the client says, else by the note of its key."""
    said = request.headers.get(AUTHOR)
    if said is None:
        return Author(principal(request).note)
    person, _, machine = said.partition(";")
    return Author(*(one_line(unquote(text), _WHO_LIMIT) for text in (person, machine)))


def lessons_of(request: Request, scope: Scope) -> Lessons:
    """The lessons that are seen from a scope; those beyond the key's limits cannot be changed."""
    who = principal(request)
    agent: Agent = request.app.state.hw.agent(scope.agent, project=scope.project, tenant=who.tenant)
    return limit_changes(agent.lessons, who.place)


def csrf(request: Request) -> str:
    """The token that forms of this login need."""
    token: str = request.state.csrf
    return token


def link(request: Request, path: str) -> str:
    """A path of this server for a browser, also behind a proxy with a prefix."""
    return f"{request.scope.get('root_path', '')}{path}"


def _shown_token(request: Request, body: bytes) -> str:
    token = request.headers.get("x-csrf-token", "")
    if token or not request.headers.get("content-type", "").startswith(_FORM):
        return token
    return form_of(request, body).get("csrf", [""])[-1]


def _within(field: str, asked: str | None, limit: str | None) -> str | None:
    if limit is None or asked in {None, "", limit}:
        return asked or limit
    raise Problem(403, f"this key is limited to the {field} {limit!r}")


def cursor_of(place: Mark | None) -> str | None:
    """A mark as an opaque text for the caller."""
    if place is None:
        return None
    return base64.urlsafe_b64encode(json.dumps(place).encode()).decode().rstrip("=")
