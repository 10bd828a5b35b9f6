"""The application: the gate, the routes of the API, the pages."""

from __future__ import annotations

import asyncio
import logging
import os
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.responses import JSONResponse, PlainTextResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from hardwon.core.errors import HardwonError
from hardwon.storage.service import Replies
from hardwon.surfaces.serve import api, login, pages
from hardwon.surfaces.serve.access import own_path
from hardwon.surfaces.serve.gate import LOOPBACK, Gate, is_api
from hardwon.surfaces.serve.limits import Limits, NamedLocks, ThreadPool
from hardwon.surfaces.serve.pages.overview import Reports
from hardwon.surfaces.serve.requests import Problem, problem_of, problem_response
from hardwon.surfaces.serve.traffic import Traffic

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
    traffic: Traffic | None = None,
) -> Starlette:
    """The ASGI application for one opened hardwon; `hosts` are the names it answers to."""
    traffic = traffic or Traffic()
    gate: Any = Middleware(Gate, access=access, hosts=hosts, limits=limits, traffic=traffic)
    app = Starlette(
        routes=[
            Route("/healthz", _alive),
            Route("/readyz", _ready),
            Mount("/static", StaticFiles(directory=_STATIC, check_dir=False)),
            *login.routes(),
            *api.routes(),
            *pages.routes(),
        ],
        middleware=[gate],
        lifespan=_running,
        exception_handlers=dict.fromkeys((HTTPException, HardwonError, Problem), _answer_error),
    )
    app.state.hw, app.state.access, app.state.limits = hw, access, limits
    app.state.traffic, app.state.reports = traffic, Reports()
    app.state.is_ending = lambda: False  # polled by streams
    app.state.replies, app.state.locks = Replies(access.database), NamedLocks()
    # Doors have their own threads: a slow report delays no agent.
    for name, what in {"door_threads": "hardwon-door", "threads": "hardwon-desk"}.items():
        pool = ThreadPool(limits.threads, what, keeps_context=hw.settings.is_observed)
        setattr(app.state, name, pool)
    return app


@asynccontextmanager
async def _running(app: Starlette) -> AsyncIterator[None]:
    """Runs with the server; closes what the application opened."""
    yield
    for threads in (app.state.door_threads, app.state.threads):
        threads.close()


async def _alive(request: Request) -> Response:
    return PlainTextResponse("ok\n")


async def _ready(request: Request) -> Response:
    """Whether requests can be answered; without a key, so it tells no more."""
    state = request.app.state

    def look() -> dict[str, object]:
        state.hw.tenant().lessons(limit=1)
        counts, worker = state.hw.queue.status()
        return {"ready": True, "worker": bool(worker), "waiting": counts.pending}

    try:
        async with asyncio.timeout(state.limits.answer):
            return JSONResponse(await state.threads.run(look))
    except (HardwonError, TimeoutError) as error:
        logging.getLogger("hardwon").error("not ready: %s", error)
        return problem_response(Problem(503, "the database or the queue cannot be read"))


def _answer_error(request: Request, error: Exception) -> Response:
    """An error as the caller sees it: a document for programs, a page for people."""
    if isinstance(error, HTTPException):
        error = Problem(error.status_code, str(error.detail), headers=error.headers)
    problem = problem_of(error)
    wants_page = not is_api(own_path(request.scope)) and request.state.principal is not None
    return pages.problem(request, problem) if wants_page else problem_response(problem)
