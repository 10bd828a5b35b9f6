"""Render a view: as a page for people, or as JSON for programs."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse
from starlette.routing import Route

from hardwon.api.operations import Right
from hardwon.surfaces.serve.pages import addresses, templates
from hardwon.surfaces.serve.requests import csrf, form_of, needs

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from starlette.requests import Request
    from starlette.responses import Response

    from hardwon.surfaces.serve.access import Principal

    Endpoint = Callable[[Request], "View"]
    Action = Callable[[Request, "Fields"], str | Response]


class View(NamedTuple):
    """The content of a page: only plain values, so that they can be JSON, too."""

    template: str
    title: str
    values: Mapping[str, Any]
    status: int = 200


class Fields:
    """The fields that a form sent."""

    def __init__(self, fields: Mapping[str, list[str]]) -> None:
        self._all = fields

    def one(self, name: str, default: str = "") -> str:
        """The last value of a field."""
        return self._all.get(name, [default])[-1]

    def many(self, name: str) -> list[str]:
        """Every value of a field."""
        return self._all.get(name, [])


def page(path: str, view: Endpoint, *, name: str = "", right: str = Right.READ) -> list[Route]:
    """The routes of a page: the page, and its values at the same address with `.json`."""

    @needs(right)
    def shown(request: Request) -> Response:
        return html(request, view(request))

    @needs(right)
    def values(request: Request) -> Response:
        return JSONResponse(dict(view(request).values))

    route = name or view.__module__.rpartition(".")[2]
    as_json = "/overview.json" if path == "/" else f"{path}.json"
    return [Route(as_json, values), Route(path, shown, name=route)]


def action(path: str, act: Action, *, right: str = Right.CHANGE) -> Route:
    """The route of a form; `act` returns the address to show next, or a page."""

    @needs(right)
    def acted(request: Request) -> Response:
        done = act(request, Fields(form_of(request, request.state.body)))
        return RedirectResponse(done, 303) if isinstance(done, str) else done

    return Route(path, acted, methods=["POST"])


def _may(who: Principal | None) -> dict[str, bool]:
    """The rights of the principal by their names in lower case, for templates."""
    rights = {name.lower(): right for name, right in vars(Right).items() if name.isupper()}
    return {name: who is not None and who.may(right) for name, right in rights.items()}


def html(request: Request, view: View) -> Response:
    """The page of a view."""
    who = getattr(request.state, "principal", None)
    place = addresses.Addresses(request)
    frame = {
        "title": view.title,
        "now": datetime.now(UTC),
        "who": who,
        "token": templates.token(csrf(request) if who else ""),
        "url": place.url,
        "here": place.here,
        "asset": place.asset,
        "asked": place.asked,
        "path": place.path,
        "section": "/" + place.path.split("/")[1],
        "notice": addresses.notice(request),
        "may": _may(who),
        "scopes": addresses.known_scopes(request) if who else {},
    }
    text = templates.render(view.template, {**view.values, **frame})
    return HTMLResponse(text, view.status)
