"""Settings and tenants, for the owner of the home; keys, for a tenant's admins; logging in."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from hardwon.api.operations import Right
from hardwon.core.settings_file import format_value
from hardwon.core.values.scope import check_name
from hardwon.surfaces.serve.access import RIGHTS, cookie_name, path_of, shown_cookie
from hardwon.surfaces.serve.pages.views import Routes, View, Visit, html, pick
from hardwon.surfaces.serve.requests import Problem, body_of, form_of, link, needs

_KEY_FORM = 4096  # bytes of the form with a key
_KEY_FIELDS = "id tenant role note agent project created_at expires_at used_at revoked_at"


routes = Routes()


@routes.page("/settings", right=Right.OWNER)
def settings(visit: Visit) -> View:
    """Every setting of the home, its value and where it was set; secrets are not shown."""
    rows = [
        {"key": key, "value": format_value(value), "origin": origin}
        for key, value, origin in visit.hw.settings.rows()
    ]
    return View("settings.html", "Settings", {"rows": rows})


@routes.page("/tenants", right=Right.OWNER)
def tenants(visit: Visit) -> View:
    """Every tenant with a key, and the chosen one."""
    access, chosen, now = visit.state.access, visit.principal.tenant, datetime.now(UTC)
    keys = access.keys.list()
    rows = [
        {
            "name": name,
            "is_chosen": name == chosen,
            "agents": sorted({scope.agent for scope in visit.hw.tenant(name).scopes()}),
            "lessons": sum(visit.hw.tenant(name).counts().values()),
            "keys": sum(key.tenant == name and key.is_valid(now) for key in keys),
        }
        for name in sorted({chosen, access.owner.tenant} | {key.tenant for key in keys})
    ]
    return View("tenants.html", "Tenants", {"rows": rows})


@routes.action("/tenants/choose", right=Right.OWNER)
def choose_tenant(visit: Visit) -> str:
    """Switch to another tenant, in this browser only."""
    name = check_name(visit.field("tenant").strip(), "tenant")
    visit.state.access.logins.choose(shown_cookie(visit.request.headers), name)
    return visit.redirect(f"tenant:{name}")


@routes.page("/keys", right=Right.ADMIN)
def keys(visit: Visit, new_key: str = "") -> View:
    """The keys that the viewer may revoke; of all tenants for the owner of the home."""
    visible = visit.state.access.keys.list(visit.principal.keys)
    rows = [pick(key, _KEY_FIELDS) for key in visible]
    return View("keys.html", "Keys", {"rows": rows, "roles": tuple(RIGHTS), "made": new_key})


@routes.action("/keys", right=Right.ADMIN)
def create_key(visit: Visit) -> Response:
    """The page with the new key, which is shown only now."""
    days = visit.field("days").strip()
    is_number = days.isascii() and days.isdecimal() and len(days) < 5
    if days and not (is_number and int(days)):
        raise Problem(400, "the lifetime of a key must be 1 to 9999 days")
    created: tuple[Any, str] = visit.state.access.keys.create(
        tenant=visit.field("tenant").strip() or visit.principal.tenant,
        role=visit.field("role"),
        agent=visit.field("agent").strip() or None,
        project=visit.field("project").strip() or None,
        note=visit.field("note"),
        lasts=timedelta(days=int(days)) if days else None,
        limit=visit.principal.keys,
    )
    return html(visit.request, keys(visit, created[1]))


@routes.action("/keys/revoke", right=Right.ADMIN)
def revoke_key(visit: Visit) -> str:
    """Revoke a key, at once."""
    key = visit.state.access.keys.revoke(visit.field("id"), limit=visit.principal.keys)
    return visit.redirect(f"revoked:{key.id}")


def _login_page(request: Request, problem: str, status: int = 200) -> Response:
    """The form that asks for a key."""
    return html(request, View("login.html", "Log in", {"problem": problem}, status))


async def show_login(request: Request) -> Response:
    """The form, or the answer to a link that logs in once."""
    code = request.query_params.get("code")
    if code is None:
        return _login_page(request, "")
    cookie = await run_in_threadpool(request.app.state.access.logins.follow, code)
    if cookie is None:
        return _login_page(request, "This link was used or is too old. Log in with a key.")
    return _let_in(request, cookie, "/")


async def log_in(request: Request) -> Response:
    """Let a browser in that shows a key."""
    key = form_of(request, await body_of(request, _KEY_FORM)).get("key", [""])[-1]
    cookie = await run_in_threadpool(request.app.state.access.log_in, key)
    if cookie is None:
        return _login_page(request, "This key is not known, has expired or was revoked.", 403)
    target = request.query_params.get("next", "/")
    is_local = target.startswith("/") and not target.startswith(("//", "/\\"))  # `//host` is not
    return _let_in(request, cookie, target if is_local else "/")


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


@needs()
def log_out(request: Request) -> Response:
    """Forget the login of this browser."""
    request.app.state.access.logins.end(shown_cookie(request.headers))
    answer = RedirectResponse(f"{request.state.root}/login", 303)
    answer.delete_cookie(cookie_name(request.headers), path=link(request, "/"))
    return answer


login_routes = [
    Route("/login", show_login, methods=["GET"]),
    Route("/login", log_in, methods=["POST"]),
    Route("/logout", log_out, methods=["POST"]),
]
