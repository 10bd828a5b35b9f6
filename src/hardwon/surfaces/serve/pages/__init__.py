"""Pages for people; the docstring of `hardwon.surfaces.serve` lists what a page may use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.routing import Route

from hardwon.api.operations import Right
from hardwon.surfaces.serve.pages import (
    administration,
    failures,
    lessons,
    playbook,
    queue,
    runs,
)
from hardwon.surfaces.serve.pages.overview import events, measure, overview, spend
from hardwon.surfaces.serve.pages.views import View, action, html, page
from hardwon.surfaces.serve.requests import needs

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from hardwon.surfaces.serve.requests import Problem


def routes() -> list[Route]:
    """The routes of all pages."""
    return [
        *page("/", overview),
        action("/proof", measure, right=Right.OWNER),
        *lessons.routes(),
        *playbook.routes(),
        *failures.routes(),
        *runs.routes(),
        *queue.routes(),
        *queue.dream_routes(),
        *queue.loop_routes(),
        *page("/spend", spend, right=Right.COSTS),
        *administration.routes(),
        Route("/events", needs(Right.READ)(events)),
    ]


def login(request: Request, problem: str, status: int = 200) -> Response:
    """The form that asks for a key."""
    return html(request, View("login.html", "Log in", {"problem": problem}, status))


def problem(request: Request, trouble: Problem) -> Response:
    """The page of an error."""
    values = {"detail": trouble.detail, "status": trouble.status}
    return html(request, View("problem.html", "That did not work", values, trouble.status))
