"""The settings of the home, for its owner, and the keys of the tenant, for admins."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from starlette.concurrency import run_in_threadpool
from starlette.routing import Route

from hardwon.settings_file import written
from hardwon.surfaces.serve.pages.addresses import after_form, hw_of
from hardwon.surfaces.serve.pages.views import Fields, View, action, html, page
from hardwon.surfaces.serve.principal import RIGHTS, Right
from hardwon.surfaces.serve.problems import Problem
from hardwon.surfaces.serve.requests import ensure, principal

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

ROLES = tuple(RIGHTS)


def routes() -> list[Route]:
    """Settings and keys."""
    return [
        *page("/settings", settings),
        *page("/keys", keys),
        Route("/keys", _create, methods=["POST"]),
        action("/keys/revoke", _revoke),
    ]


def settings(request: Request) -> View:
    """Every setting of the home, its value and where it was set; secrets are not shown."""
    if not _is_owner(request):
        raise Problem(403, "the settings are shown to the owner of the home only")
    rows = [
        {"key": key, "value": written(value), "origin": origin}
        for key, value, origin in hw_of(request).settings.rows()
    ]
    return View("settings.html", "Settings", {"rows": rows})


def keys(request: Request, made: str = "") -> View:
    """The keys of the tenant; of all tenants for the owner of the home."""
    ensure(principal(request), Right.ADMIN)
    ring = request.app.state.access.keys
    found = ring.list(None if _is_owner(request) else principal(request).tenant)
    values = {
        "rows": [row(one) for one in found],
        "roles": ROLES,
        "made": made,
        "is_owner": _is_owner(request),
    }
    return View("keys.html", "Keys", values)


def row(key: Any) -> dict[str, Any]:
    """A key in the list; its secret is not kept anywhere."""
    times = ("created_at", "expires_at", "used_at", "revoked_at")
    moments = {name: getattr(key, name) for name in times}
    return {
        **{name: getattr(key, name) for name in ("id", "tenant", "role", "note")},
        "agent": key.agent or "",
        "project": key.project or "",
        **{name: at.isoformat() if at else "" for name, at in moments.items()},
    }


async def _create(request: Request) -> Response:
    """The page with the new key, which is shown only now."""
    fields = Fields(await request.body())
    made = await run_in_threadpool(_made, request, fields)
    return await run_in_threadpool(lambda: html(request, keys(request, made)))


def _made(request: Request, fields: Fields) -> str:
    ensure(principal(request), Right.ADMIN)
    tenant = principal(request).tenant
    if _is_owner(request):
        tenant = fields.one("tenant").strip() or tenant
    days = fields.one("days").strip()
    if days and not (days.isascii() and days.isdecimal() and 0 < int(days) < 10_000):
        raise Problem(400, "the days that a key lasts are a number")
    made: tuple[Any, str] = request.app.state.access.keys.create(
        tenant=tenant,
        role=fields.one("role"),
        agent=fields.one("agent").strip() or None,
        project=fields.one("project").strip() or None,
        note=fields.one("note"),
        lasts=timedelta(days=int(days)) if days else None,
    )
    return made[1]


def _revoke(request: Request, fields: Fields) -> str:
    ensure(principal(request), Right.ADMIN)
    tenant = None if _is_owner(request) else principal(request).tenant
    key = request.app.state.access.keys.revoke(fields.one("id"), tenant=tenant)
    return after_form(request, fields.one("next"), f"revoked:{key.id}")


def _is_owner(request: Request) -> bool:
    return not principal(request).key
