"""Helpers for routes: the rights, body, agent and links of a request; errors as answers.

Errors are problem documents (RFC 9457): what is wrong, and what to do about it.
"""

from __future__ import annotations

import asyncio
import base64
import json
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping
from functools import cached_property, wraps
from http import HTTPStatus
from inspect import iscoroutinefunction
from typing import Any
from urllib.parse import parse_qs, unquote

from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from hardwon import Agent, Hardwon, Job, Lesson
from hardwon.api.lessons import Lessons, limit_changes
from hardwon.api.operations import AUTHOR
from hardwon.api.tenants import Tenant
from hardwon.core import errors
from hardwon.core.text.clean import one_line
from hardwon.core.values.report import Mark, mark
from hardwon.core.values.run import Author
from hardwon.core.values.scope import Scope
from hardwon.surfaces.serve.access import Principal, is_same

Endpoint = Callable[[Request], Any]

MEDIA_TYPE = "application/problem+json"
SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
_FORM = "application/x-www-form-urlencoded"
_WHO_LIMIT = 80  # characters of a name
_LARGEST = 2**53  # JSON keeps no larger number exactly

# The first match counts.
_STATUS: tuple[tuple[type[errors.HardwonError], int], ...] = (
    (errors.NotFound, 404),
    (errors.NotAllowed, 403),
    (errors.InvalidInput, 400),
    (errors.MissingExtra, 501),
    (errors.OlderServer, 501),
    (errors.StorageFull, 507),
    (errors.SetupError, 500),
    (errors.TransientError, 503),
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
    ensure(request.state.principal, *rights)
    _allowed_place(request)
    if request.method in SAFE:
        return b""
    body = await body_of(request, most or request.app.state.limits.body)
    token, shown = request.state.csrf, request.headers.get("x-csrf-token", "")
    if token and not shown and request.headers.get("content-type", "").startswith(_FORM):
        shown = form_of(request, body).get("csrf", [""])[-1]
    if token and not is_same(shown, token):
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
    patience = request.app.state.limits.arrival
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
    most = request.app.state.limits.form
    try:
        text = body.decode("utf-8", "replace")
        return parse_qs(text, keep_blank_values=True, max_num_fields=most)
    except ValueError:
        raise Problem(413, f"a form may have at most {most:,} fields") from None


def link(request: Request, path: str) -> str:
    """A path of this server for a browser, also behind a proxy with a prefix."""
    return f"{request.scope.get('root_path', '')}{path}"


def cursor_of(place: Mark | None) -> str | None:
    """A mark as an opaque text for the caller."""
    if place is None:
        return None
    return base64.urlsafe_b64encode(json.dumps(place).encode()).decode().rstrip("=")


def place_of(text: str) -> Mark:
    """The mark that a caller hands in as such a text."""
    try:
        raw = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
        place, name = json.loads(raw)
    except (ValueError, TypeError, RecursionError) as error:
        raise errors.InvalidInput("unknown cursor; use the `next` of a page, or none") from error
    return mark(place, name)


def _allowed_place(request: Request) -> tuple[str | None, str | None]:
    """The `agent` and `project` that the query names, within the key's limits; None: any."""
    who: Principal = request.state.principal
    places = []
    for field, limit in (("agent", who.agent), ("project", who.project)):
        asked = request.query_params.get(field)
        if limit is not None and asked not in {None, "", limit}:
            raise Problem(403, f"this key is limited to the {field} {limit!r}")
        places.append(asked or limit)
    return places[0], places[1]


class Call:
    """One admitted request: who makes it, and about what."""

    def __init__(self, request: Request, body: bytes = b"") -> None:
        self.request = request
        self.body = body
        self.state = request.app.state  # of the application
        self.hw: Hardwon = self.state.hw
        self.principal: Principal = request.state.principal  # who makes it

    @property
    def place(self) -> tuple[str | None, str | None]:
        """The agent and project that the query names, within the limits of the key."""
        return _allowed_place(self.request)

    @cached_property
    def agent(self) -> Agent:
        """The agent that the query names by `agent`, `project` and `run`."""
        name, project = self.place
        agent = self.agent_in(
            name or self.hw.settings.scope.agent,
            project,
            run=self.request.query_params.get("run") or None,
        )
        if self.principal.key:
            agent.by = self.author
        return agent

    def agent_in(self, name: str, project: str | None, **more: Any) -> Agent:
        """An agent of the tenant."""
        return self.hw.agent(name, project=project, tenant=self.principal.tenant, **more)

    @cached_property
    def tenant(self) -> Tenant:
        """The tenant of the key, or the agent and project that the query names."""
        agent, project = self.place
        return self.hw.tenant(self.principal.tenant, agent=agent, project=project)

    @property
    def author(self) -> Author:
        """Whose runs it is about: as the client says, else by the note of its key."""
        said = self.request.headers.get(AUTHOR)
        if said is None:
            return Author(self.principal.note)
        person, _, machine = said.partition(";")
        return Author(*(one_line(unquote(text), _WHO_LIMIT) for text in (person, machine)))

    @property
    def copied(self) -> Scope:
        """The scope whose lessons are copied; without a project, those that hold everywhere."""
        project = self.request.query_params.get("project") or None
        return self.agent.scope._replace(project=project)

    def own_jobs(self, jobs: Iterable[Job]) -> list[Job]:
        """The jobs that the caller may see, of the agent and project that the query names."""
        return [job for job in jobs if self.tenant.place.covers(job.episode.scope)]

    def dead_jobs(self) -> list[Job]:
        """The dead letters among them."""
        return self.own_jobs(self.hw.queue.dead())

    def readable_lesson(self, number: int | None = None) -> tuple[Lessons, Lesson]:
        """A lesson of the tenant, by default that of the path, and the handle to change it."""
        lesson = self.tenant.lesson(self.number if number is None else number)
        return self.lessons_of(lesson.scope), lesson

    @property
    def lessons(self) -> Lessons:
        """The lessons of that agent; those beyond the limits of the key cannot be changed."""
        return self.lessons_of(self.agent.scope)

    def lessons_of(self, scope: Scope) -> Lessons:
        """The lessons that are seen from a scope, with the same limits."""
        lessons = self.agent_in(scope.agent, scope.project).lessons
        return limit_changes(lessons, self.principal.place)

    @property
    def id(self) -> str:
        """What the path names."""
        return str(next(iter(self.request.path_params.values())))

    @property
    def number(self) -> int:
        """The lesson that the path names."""
        text = self.id
        number = int(text) if text.isascii() and text.isdecimal() and len(text) < 19 else None
        if number is None or number > _LARGEST:
            raise errors.NotFound("lesson", text if number is None else number)
        return number
