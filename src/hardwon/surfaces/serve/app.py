"""The application: the gate, the routes of the API, the pages."""

from __future__ import annotations

import os
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from hardwon.core.errors import HardwonError
from hardwon.storage.service.replies import Replies
from hardwon.surfaces.serve import api, login, pages, problems
from hardwon.surfaces.serve.gate import LOOPBACK, Gate, is_api, own_path
from hardwon.surfaces.serve.limits import Limits
from hardwon.surfaces.serve.named_locks import NamedLocks
from hardwon.surfaces.serve.problems import Problem
from hardwon.surfaces.serve.thread_pool import ThreadPool

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Collection

    from starlette.requests import Request
    from starlette.responses import Response

    from hardwon import Hardwon
    from hardwon.surfaces.serve.access import Access

_STATIC = os.path.join(os.path.dirname(__file__), "static")


def create(
    hw: Hardwon,
    access: Access,
    *,
    hosts: Collection[str] = LOOPBACK,
    limits: Limits = Limits(),
) -> Starlette:
    """The ASGI application for one opened hardwon; `hosts` are the names it answers to."""
    gate: Any = Middleware(Gate, access=access, hosts=hosts, limits=limits)
    app = Starlette(
        routes=[
            Route("/healthz", _alive),
            Mount("/static", StaticFiles(directory=_STATIC, check_dir=False)),
            *login.routes(),
            *api.routes(),
            *pages.routes(),
        ],
        middleware=[gate],
        lifespan=_running,
        exception_handlers=dict.fromkeys((HTTPException, HardwonError, Problem), _answered),
    )
    app.state.hw, app.state.access, app.state.limits = hw, access, limits
    app.state.is_ending = lambda: False  # polled by streams
    app.state.replies, app.state.locks = Replies(access.database), NamedLocks()
    # Doors have their own threads: a slow report delays no agent.
    app.state.door_threads = ThreadPool(limits.threads, "hardwon-door")
    app.state.threads = ThreadPool(limits.threads, "hardwon-desk")
    return app


@asynccontextmanager
async def _running(app: Starlette) -> AsyncIterator[None]:
    """Runs with the server; closes what the application opened."""
    yield
    for threads in (app.state.door_threads, app.state.threads):
        threads.close()


async def _alive(request: Request) -> Response:
    return PlainTextResponse("ok\n")


def _answered(request: Request, error: Exception) -> Response:
    """An error as the caller sees it: a document for programs, a page for people."""
    if isinstance(error, HTTPException):
        error = Problem(error.status_code, str(error.detail), headers=error.headers)
    problem = problems.problem_of(error)
    wants_page = not is_api(own_path(request.scope)) and request.state.principal is not None
    return pages.problem(request, problem) if wants_page else problems.response(problem)
