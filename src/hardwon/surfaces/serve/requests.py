"""Helpers for routes: the rights, agent and links of a request."""

from __future__ import annotations

from functools import wraps
from inspect import iscoroutinefunction
from typing import TYPE_CHECKING, Any

from starlette.concurrency import run_in_threadpool

from hardwon.surfaces.serve.problems import Problem

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from starlette.requests import Request
    from starlette.responses import Response

    from hardwon import Agent
    from hardwon.surfaces.serve.principal import Principal

    Endpoint = Callable[[Request], Any]


def needs(right: str) -> Callable[[Endpoint], Callable[[Request], Awaitable[Response]]]:
    """Call the endpoint only if the caller has the right; a plain function runs in a thread."""

    def guarded(endpoint: Endpoint) -> Callable[[Request], Awaitable[Response]]:
        @wraps(endpoint)
        async def checked(request: Request) -> Response:
            ensure(principal(request), right)
            if iscoroutinefunction(endpoint):
                return await endpoint(request)  # type: ignore[no-any-return]
            return await run_in_threadpool(endpoint, request)

        return checked

    return guarded


def ensure(who: Principal, *rights: str) -> None:
    """Raise Problem unless the principal has one of the rights."""
    if not any(who.may(right) for right in rights):
        raise Problem(403, f"a key with the role {who.role!r} may not {rights[0]}")


def principal(request: Request) -> Principal:
    """The principal of the request."""
    who: Principal = request.state.principal
    return who


def limited(request: Request) -> tuple[str | None, str | None]:
    """The `agent` and `project` that the query names, within the key's limits; None: any."""
    asked, who = request.query_params, principal(request)
    agent = _within("agent", asked.get("agent"), who.agent)
    return agent, _within("project", asked.get("project"), who.project)


def scoped(request: Request) -> Agent:
    """The agent that the query names by `agent`, `project` and `run`, within the key's limits."""
    hw, (agent, project) = request.app.state.hw, limited(request)
    run = request.query_params.get("run") or None
    scoped_agent: Agent = hw.agent(
        agent or hw.settings.scope.agent,
        project=project,
        tenant=principal(request).tenant,
        run=run,
    )
    return scoped_agent


def csrf(request: Request) -> str:
    """The token that forms of this session need."""
    token: str = request.state.csrf
    return token


def link(request: Request, path: str) -> str:
    """A path of this server for a browser, also behind a proxy with a prefix."""
    return f"{request.scope.get('root_path', '')}{path}"


def _within(field: str, asked: str | None, limit: str | None) -> str | None:
    if limit is None or asked in {None, "", limit}:
        return asked or limit
    raise Problem(403, f"this key is limited to the {field} {limit!r}")
