"""Log a browser in: by a link that works once, or by a key in a form."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import parse_qs

from starlette.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse
from starlette.routing import Route

from hardwon.surfaces.serve import pages
from hardwon.surfaces.serve.gate import cookie_name
from hardwon.surfaces.serve.requests import link

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from hardwon.surfaces.serve.access import Access


def routes() -> list[Route]:
    """Logging in and out."""
    return [
        Route("/login", _form, methods=["GET"]),
        Route("/login", _log_in, methods=["POST"]),
        Route("/logout", _log_out, methods=["POST"]),
    ]


async def _form(request: Request) -> Response:
    code = request.query_params.get("code")
    if code is None:
        return pages.login(request, "")
    cookie = _access(request).sessions.follow(code)
    if cookie is None:
        return pages.login(request, "This link was used or is too old. Log in with a key.")
    return _let_in(request, cookie, "/")


async def _log_in(request: Request) -> Response:
    fields = parse_qs((await request.body()).decode("utf-8", "replace"))
    key = fields.get("key", [""])[-1]
    cookie = await run_in_threadpool(_access(request).log_in, key)
    if cookie is None:
        return pages.login(request, "This key is not known, has expired or was revoked.", 403)
    return _let_in(request, cookie, _local(request.query_params.get("next", "/")))


async def _log_out(request: Request) -> Response:
    name = cookie_name(request.headers)
    _access(request).sessions.end(request.cookies.get(name, ""))
    answer = RedirectResponse(link(request, "/login"), 303)
    answer.delete_cookie(name, path=link(request, "/"))
    return answer


def _let_in(request: Request, cookie: str, target: str) -> Response:
    answer = RedirectResponse(link(request, target), 303)
    answer.set_cookie(
        cookie_name(request.headers),
        cookie,
        path=link(request, "/"),
        secure=request.url.scheme == "https",
        httponly=True,
        samesite="strict",
    )
    return answer


def _local(path: str) -> str:
    """A path on this server; `//host` would be another."""
    is_local = path.startswith("/") and not path.startswith(("//", "/\\"))
    return path if is_local else "/"


def _access(request: Request) -> Access:
    access: Access = request.app.state.access
    return access
