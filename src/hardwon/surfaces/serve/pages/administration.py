"""Settings and tenants, for the owner of the home; keys, for a tenant's admins."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from hardwon.api.operations import Right
from hardwon.core.settings_file import format_value
from hardwon.core.values.scope import check_name
from hardwon.surfaces.serve.access import RIGHTS, shown_cookie
from hardwon.surfaces.serve.pages.addresses import after_form, hw_of
from hardwon.surfaces.serve.pages.views import Fields, View, action, html, page
from hardwon.surfaces.serve.requests import Problem, principal

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import Route

ROLES = tuple(RIGHTS)


def routes() -> list[Route]:
    """Settings, tenants and keys."""
    return [
        *page("/settings", settings, right=Right.OWNER),
        *page("/tenants", tenants, right=Right.OWNER),
        action("/tenants/choose", _choose, right=Right.OWNER),
        *page("/keys", keys, right=Right.ADMIN),
        action("/keys", _create, right=Right.ADMIN),
        action("/keys/revoke", _revoke, right=Right.ADMIN),
    ]


def settings(request: Request) -> View:
    """Every setting of the home, its value and where it was set; secrets are not shown."""
    rows = [
        {"key": key, "value": format_value(value), "origin": origin}
        for key, value, origin in hw_of(request).settings.rows()
    ]
    return View("settings.html", "Settings", {"rows": rows})


def tenants(request: Request) -> View:
    """Every tenant with a key, and the chosen one."""
    keys = request.app.state.access.keys.list()
    chosen = principal(request).tenant
    now = datetime.now(UTC)
    rows = [
        {
            "name": name,
            "is_chosen": name == chosen,
            "agents": sorted({scope.agent for scope in hw_of(request).tenant(name).scopes()}),
            "lessons": sum(hw_of(request).tenant(name).counts().values()),
            "keys": sum(key.tenant == name and key.is_valid(now) for key in keys),
        }
        for name in sorted(
            {chosen, request.app.state.access.owner.tenant} | {key.tenant for key in keys}
        )
    ]
    return View("tenants.html", "Tenants", {"rows": rows})


def _choose(request: Request, fields: Fields) -> str:
    """Switch to another tenant, in this browser only."""
    name = check_name(fields.one("tenant").strip(), "tenant")
    request.app.state.access.logins.choose(shown_cookie(request.headers), name)
    return after_form(request, fields.one("next"), f"tenant:{name}")


def keys(request: Request, new_key: str = "") -> View:
    """The keys that the viewer may revoke; of all tenants for the owner of the home."""
    visible = request.app.state.access.keys.list(principal(request).keys)
    values = {"rows": [row(key) for key in visible], "roles": ROLES, "made": new_key}
    return View("keys.html", "Keys", values)


def row(key: Any) -> dict[str, Any]:
    """A key in the list, without its secret."""
    times = ("created_at", "expires_at", "used_at", "revoked_at")
    moments = {name: getattr(key, name) for name in times}
    return {
        **{name: getattr(key, name) for name in ("id", "tenant", "role", "note")},
        "agent": key.agent or "",
        "project": key.project or "",
        **{name: at.isoformat() if at else "" for name, at in moments.items()},
    }


def _create(request: Request, fields: Fields) -> Response:
    """The page with the new key, which is shown only now."""
    return html(request, keys(request, _new_key(request, fields)))


def _new_key(request: Request, fields: Fields) -> str:
    who = principal(request)
    days = fields.one("days").strip()
    is_number = days.isascii() and days.isdecimal() and len(days) < 5
    if days and not (is_number and int(days)):
        raise Problem(400, "the lifetime of a key must be 1 to 9999 days")
    created: tuple[Any, str] = request.app.state.access.keys.create(
        tenant=fields.one("tenant").strip() or who.tenant,
        role=fields.one("role"),
        agent=fields.one("agent").strip() or None,
        project=fields.one("project").strip() or None,
        note=fields.one("note"),
        lasts=timedelta(days=int(days)) if days else None,
        limit=who.keys,
    )
    return created[1]


def _revoke(request: Request, fields: Fields) -> str:
    limit = principal(request).keys
    key = request.app.state.access.keys.revoke(fields.one("id"), limit=limit)
    return after_form(request, fields.one("next"), f"revoked:{key.id}")
