"""Pages for people; the docstring of `hardwon.surfaces.serve` lists what a page may use."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from hardwon.surfaces.serve.pages import administration, failures, lessons, overview, work
from hardwon.surfaces.serve.pages.administration import login_routes
from hardwon.surfaces.serve.pages.views import View, html
from hardwon.surfaces.serve.requests import Problem

__all__ = ["login_routes", "problem", "routes"]
_ROOMS = (overview, lessons, failures, work, administration)


def routes() -> list[Route]:
    """The routes of all pages."""
    return [route for room in _ROOMS for route in room.routes]


def problem(request: Request, trouble: Problem) -> Response:
    """The page of an error."""
    values = {"detail": trouble.detail, "status": trouble.status}
    return html(request, View("problem.html", "That did not work", values, trouble.status))
