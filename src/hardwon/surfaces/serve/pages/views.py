"""Render a view: as a page for people, or as JSON for programs."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from jinja2 import Environment, PackageLoader, StrictUndefined, pass_context
from jinja2.runtime import Context
from markupsafe import Markup
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse
from starlette.routing import Route

from hardwon.api.operations import Right
from hardwon.core.text.clean import one_line, printable
from hardwon.surfaces.presentation import wording
from hardwon.surfaces.presentation.page import columns, curve, stack
from hardwon.surfaces.serve.pages import addresses
from hardwon.surfaces.serve.requests import csrf, form_of, needs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

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
    def show(request: Request) -> Response:
        return html(request, view(request))

    @needs(right)
    def values(request: Request) -> Response:
        return JSONResponse(dict(view(request).values))

    route = name or view.__module__.rpartition(".")[2]
    as_json = "/overview.json" if path == "/" else f"{path}.json"
    return [Route(as_json, values), Route(path, show, name=route)]


def action(path: str, act: Action, *, right: str = Right.CHANGE) -> Route:
    """The route of a form; `act` returns the address to show next, or a page."""

    @needs(right)
    def handle(request: Request) -> Response:
        done = act(request, Fields(form_of(request, request.state.body)))
        return RedirectResponse(done, 303) if isinstance(done, str) else done

    return Route(path, handle, methods=["POST"])


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
        "token": token(csrf(request) if who else ""),
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
    text = render(view.template, {**view.values, **frame})
    return HTMLResponse(text, view.status)


_UNITS = ((86400, "d"), (3600, "h"), (60, "min"))


def render(name: str, values: Mapping[str, Any]) -> str:
    """The text of a template."""
    return _environment().get_template(name).render(values)


def token(csrf: str) -> Callable[[], Markup]:
    """The hidden field that every form with an effect needs."""
    return lambda: Markup('<input type="hidden" name="csrf" value="{}">').format(csrf)


@cache
def _environment() -> Environment:
    loader = PackageLoader("hardwon.surfaces.serve.pages", "templates")
    environment = Environment(
        loader=loader,
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        ago=_ago,
        day=_day,
        noun=_noun,
        number=_number,
        plain=printable,
        prose=_prose,
        prose_line=lambda text: _prose(one_line(text)),
        span=_seconds,
        until=_until,
        pairs=_pairs,
    )
    environment.globals.update(
        columns=_as_markup(columns), stack=_as_markup(stack), curve=_as_markup(curve),
        door_names=wording.DOORS, tones=wording.tones, tone=wording.tone, states=wording.STATES,
        state_name=wording.state_name, failure_states=wording.FAILURE_STATES,
    )  # fmt: skip
    return environment


def _as_markup(chart: Any) -> Any:
    """A chart function for templates; its output is already escaped."""
    return lambda *values: Markup(chart(*values))


@pass_context
def _ago(context: Context, moment: str) -> Markup:
    """How long ago something was; the full date is the tooltip."""
    return _time(moment, _span(context["now"] - datetime.fromisoformat(moment), "ago", "just now"))


@pass_context
def _until(context: Context, moment: str) -> Markup:
    """How long until something is due."""
    return _time(moment, _span(datetime.fromisoformat(moment) - context["now"], "from now", "now"))


def _time(moment: str, words: str) -> Markup:
    at = datetime.fromisoformat(moment)
    return Markup('<time datetime="{}" title="{}">{}</time>').format(
        moment, f"{at:%Y-%m-%d %H:%M} UTC", words
    )


def _span(span: timedelta, word: str, nothing: str) -> str:
    seconds = span.total_seconds()
    for size, unit in _UNITS:
        if seconds >= size:
            return f"{int(seconds // size)} {unit} {word}".strip()
    return nothing


def _seconds(seconds: float) -> str:
    """How long something took."""
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes, hours = seconds / 60, seconds / 3600
    return f"{minutes:.0f} min" if hours < 2 else f"{hours:.0f} h"


def _prose(text: str) -> Markup:
    """A text in words with its code marked: between backticks, and in blocks between three."""
    parts = printable(text).strip().split("```")
    shown = Markup()
    for at, part in enumerate(parts):
        if at % 2 and at < len(parts) - 1:
            language, _, code = part.partition("\n")
            frame = "<pre>{}</pre>" if code else "<code>{}</code>"
            shown += Markup(frame).format((code or language).strip())
        else:
            for place, piece in enumerate(re.split("`([^`\n]+)`", part)):
                shown += Markup("<code>{}</code>").format(piece) if place % 2 else piece
    return shown


def _day(moment: str) -> str:
    return wording.day(datetime.fromisoformat(moment).date())


def _noun(count: int, singular: str) -> str:
    """The noun behind a number: `1 | noun("lesson")` is `lesson`, 2 is `lessons`."""
    return singular if count == 1 else f"{singular}s"


def _number(value: float) -> str:
    return f"{value:,}"


def _pairs(names: Iterable[str]) -> list[tuple[str, str]]:
    """Options whose labels are their values."""
    return [(name, name) for name in names]
