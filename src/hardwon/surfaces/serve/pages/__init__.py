"""Pages for people. What they may rely on is told in `hardwon.surfaces.serve`."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from starlette.responses import HTMLResponse
from starlette.routing import Route

from hardwon.surfaces.serve.requests import csrf, link, principal, scoped

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from hardwon.surfaces.serve.problems import Problem

_PAGE = (
    '<!doctype html><html lang="en"><meta charset="utf-8">'
    "<title>{title}</title><h1>{title}</h1>{body}"
)


def routes() -> list[Route]:
    """The routes of all pages."""
    return [Route("/", overview)]


def overview(request: Request) -> Response:
    """The newest lessons."""
    items = (
        f"<li><pre>{escape(one.row())}</pre>" for one in scoped(request).lessons.list(limit=20)
    )
    logout = (
        f'<form method="post" action="{link(request, "/logout")}">'
        f'<input type="hidden" name="csrf" value="{csrf(request)}"><button>Log out</button></form>'
    )
    who = f"<p>{escape(principal(request).tenant)}"
    return _page("Lessons", f"{who}<ul>{''.join(items)}</ul>{logout}")


def login(request: Request, problem: str, status: int = 200) -> Response:
    """The form that asks for a key."""
    body = (
        f'<p role="alert">{escape(problem)}<form method="post"><label>Key '
        '<input type="password" name="key" autocomplete="current-password"></label>'
        "<button>Log in</button></form>"
    )
    return _page("Log in to hardwon", body, status)


def problem(request: Request, told: Problem) -> Response:
    """What went wrong."""
    return _page("That did not work", f"<p>{escape(told.detail)}", told.status)


def _page(title: str, body: str, status: int = 200) -> Response:
    return HTMLResponse(_PAGE.format(title=title, body=body), status)
