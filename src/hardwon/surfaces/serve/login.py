"""Log a browser in: by a link that works once, or by a key in a form."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse
from starlette.routing import Route

from hardwon.surfaces.serve import pages
from hardwon.surfaces.serve.access import cookie_name, path_of, shown_cookie
from hardwon.surfaces.serve.requests import body_of, form_of, link, needs

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from hardwon.surfaces.serve.access import Access

_KEY = 4096  # bytes of the form


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
    cookie = await run_in_threadpool(_access(request).logins.follow, code)
    if cookie is None:
        return pages.login(request, "This link was used or is too old. Log in with a key.")
    return _let_in(request, cookie, "/")


async def _log_in(request: Request) -> Response:
    fields = form_of(request, await body_of(request, _KEY))
    key = fields.get("key", [""])[-1]
    cookie = await run_in_threadpool(_access(request).log_in, key)
    if cookie is None:
        return pages.login(request, "This key is not known, has expired or was revoked.", 403)
    return _let_in(request, cookie, _local(request.query_params.get("next", "/")))


@needs()
def _log_out(request: Request) -> Response:
    _access(request).logins.end(shown_cookie(request.headers))
    answer = RedirectResponse(f"{request.state.root}/login", 303)
    answer.delete_cookie(cookie_name(request.headers), path=link(request, "/"))
    return answer


def _let_in(request: Request, cookie: str, target: str) -> Response:
    home = f"{request.state.root}{path_of(cookie, request.headers)}"
    answer = RedirectResponse(f"{home}{target}", 303)
    answer.set_cookie(
        cookie_name(request.headers),
        cookie,
        path=f"{home}/",
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
