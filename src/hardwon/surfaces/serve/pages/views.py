"""The pages: what a view may ask of its request, and how it becomes HTML or JSON.

Filters are in the address: links keep them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime, timedelta
from functools import cache, cached_property
from typing import Any, NamedTuple, TypeVar
from urllib.parse import urlencode

from jinja2 import Environment, PackageLoader, StrictUndefined, pass_context
from jinja2.runtime import Context
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from hardwon import Agent, Scope
from hardwon.api.codec import encode
from hardwon.api.operations import Right
from hardwon.core.text.clean import one_line, printable
from hardwon.core.values.report import Mark, mark
from hardwon.surfaces import wording
from hardwon.surfaces.page import columns, curve, stack
from hardwon.surfaces.serve.access import own_path
from hardwon.surfaces.serve.requests import Call, Problem, form_of, link, needs

Endpoint = Callable[["Visit"], "View"]
Action = Callable[["Visit"], "str | Response"]

E = TypeVar("E", bound=Endpoint)
NOWHERE = "-"  # stands for lessons without a project
_KEPT = ("agent", "project", "since")  # filters that links to other pages keep
_PASSING = ("done", "after", "at")  # parameters that are dropped when a filter changes
_DONE = re.compile(r"(\w+)(?::([\w.-]+))?")
_UNITS = ((86400, "d"), (3600, "h"), (60, "min"))
_NOTICES = {
    "approved": "Lesson {} is approved: it may be delivered.",
    "retired": "Lesson {} is retired: it is not delivered any more.",
    "edited": "Lesson {} was changed.",
    "made": "Lesson {} now has the fix.",
    "written": "Lesson {} now has the fix.",
    "undone": "The last change of lesson {} was undone.",
    "guarded": "Lesson {} now denies the call.",
    "unguarded": "Lesson {} denies nothing any more.",
    "pinned": "Item {} now comes first.",
    "unpinned": "Item {} is in its usual place again.",
    "moved": "Item {} was moved.",
    "removed": "Item {} is no longer in the playbook.",
    "retried": "Dead letters that wait again: {}.",
    "purged": "Dead letters removed: {}.",
    "mute": "The failure is muted.",
    "resolve": "The failure is resolved. It is listed again if it comes back.",
    "reopen": "The failure is open again.",
    "mutes": "Failures that are muted: {}.",
    "resolves": "Failures that are resolved: {}.",
    "reopens": "Failures that are open again: {}.",
    "approves": "Lessons that are approved: {}.",
    "retires": "Lessons that are retired: {}.",
    "proof": "From the next start on, one run in ten is not told: that measures what it is worth.",
    "merged": "The failures are one kind now: lesson {}.",
    "dream": "The dream was undone. Lessons that are as they were: {}.",
    "tenant": "You are looking at the tenant {}.",
    "revoked": "The key {} is revoked.",
}
_UNDOABLE = {
    *("approved", "retired", "edited", "guarded", "unguarded", "written", "mute", "resolve"),
    *("reopen", "pinned", "unpinned", "moved", "removed"),
}


class View(NamedTuple):
    """The content of a page, of values that can be JSON, too."""

    template: str
    title: str
    values: Mapping[str, Any]
    status: int = 200


class Visit(Call):
    """A request of a browser: the filters in its address, and the fields of its form."""

    @property
    def place(self) -> tuple[str | None, str | None]:
        """The agent and project of the address, within the key's limits; None: any."""
        agent, project = super().place
        return agent or None, "" if project == NOWHERE else project or None

    @property
    def agents(self) -> list[Agent]:
        """Every agent of the address, in all its projects or in the chosen one."""
        agent, project = self.place
        known = {scope.agent for scope in self.tenant.scopes()} | {self.hw.settings.scope.agent}
        names = sorted(known) if agent is None else [agent]
        return [self.agent_in(name, project or None) for name in names]

    @property
    def mark(self) -> Mark | None:
        """Where the last page ended; `1700000000.5~12` in the address."""
        number, _, identity = self.query("after").partition("~")
        return mark(number, identity) if self.query("after") else None

    def query(self, name: str, default: str = "") -> str:
        """A parameter of the address."""
        return self.request.query_params.get(name) or default

    def choose(self, name: str, choices: Iterable[str], default: str, what: str) -> str:
        """A parameter of the address that is one of a few words."""
        chosen = self.query(name, default)
        if chosen not in choices:
            raise Problem(400, f"no such {what}: {chosen!r}; one of {', '.join(choices)}")
        return chosen

    @cached_property
    def _form(self) -> Mapping[str, list[str]]:
        return form_of(self.request, self.request.state.body)

    def field(self, name: str) -> str:
        """The last value of a field of the form."""
        return self._form.get(name, [""])[-1]

    def fields(self, name: str) -> list[str]:
        """Every value of a field."""
        return self._form.get(name, [])

    def redirect(self, note: str, *, page: str = "") -> str:
        """The address after a form: the page it names if that is on this server, with a note."""
        target = self.field("next") or page
        is_local = re.fullmatch(r"/(?![/\\])[^\s\\]*", target) is not None
        base = target if is_local else link(self.request, "/")
        base = re.sub(r"([?&])done=[^&]*&?", r"\1", base).rstrip("?&")
        return f"{base}{'&' if '?' in base else '?'}done={note}"

    @property
    def act(self) -> str:
        """What a form asks for: the last part of its path."""
        return self.request.url.path.rpartition("/")[2]

    @property
    def own_page(self) -> str:
        """The page that a form belongs to."""
        return self.request.url.path.rpartition("/")[0]


def pick(value: Any, names: str, **more: Any) -> dict[str, Any]:
    """These attributes of a value, "" for those that are None, and more."""
    found = {name: getattr(value, name) for name in names.split()}
    return {name: "" if one is None else one for name, one in found.items()} | more


def place_of(scope: Scope) -> dict[str, str]:
    """Agent and project of a scope."""
    return {"agent": scope.agent, "project": scope.project or ""}


def mark_text(mark: Mark | None) -> str | None:
    """A mark as the address has it."""
    return None if mark is None else f"{mark[0]!r}~{mark[1]}"


class Routes(list[Route]):
    """The routes of one module of pages: `@routes.page(path)`, `@routes.action(path)`."""

    def page(self, path: str, *, right: str = Right.READ) -> Callable[[E], E]:
        """A page, and its values at the same address with `.json`."""

        def add(view: E) -> E:
            @needs(right)
            def show(request: Request) -> Response:
                return html(request, view(Visit(request)))

            @needs(right)
            def values(request: Request) -> Response:
                return JSONResponse(encode(dict(view(Visit(request)).values)))

            as_json = "/overview.json" if path == "/" else f"{path}.json"
            self.extend((Route(as_json, values), Route(path, show)))
            return view

        return add

    def action(self, *paths: str, right: str = Right.CHANGE) -> Callable[[Action], Action]:
        """What the forms at these paths do; it returns the address to show next, or a page."""

        def add(act: Action) -> Action:
            @needs(right)
            def handle(request: Request) -> Response:
                done = act(Visit(request))
                return RedirectResponse(done, 303) if isinstance(done, str) else done

            self.extend(Route(path, handle, methods=["POST"]) for path in paths)
            return act

        return add


def html(request: Request, view: View) -> Response:
    """The page of a view, with what every page has: links, notice, rights."""
    who = getattr(request.state, "principal", None)
    path, asked = own_path(request.scope), dict(request.query_params)
    rights = {name.lower(): right for name, right in vars(Right).items() if name.isupper()}
    token, scopes = request.state.csrf if who else "", list[Scope]()
    if who:  # the agents and projects that can be chosen
        limits = {"agent": who.agent, "project": who.project}
        scopes = request.app.state.hw.tenant(who.tenant, **limits).scopes()

    def address(path: str, query: Mapping[str, object]) -> str:
        parameters = {name: value for name, value in query.items() if value not in (None, "")}
        return link(request, path) + (f"?{urlencode(parameters)}" if parameters else "")

    def url(path: str, **more: object) -> str:
        """The address of another page with the same agent, project and time."""
        return address(path, {name: asked[name] for name in _KEPT if asked.get(name)} | more)

    def here(**changes: object) -> str:
        """The address of this page with other filters; None removes one."""
        kept = {name: text for name, text in asked.items() if name not in _PASSING}
        return address(path, kept | changes)

    frame = {
        "title": view.title,
        "now": datetime.now(UTC),
        "who": who,
        "token": lambda: Markup('<input type="hidden" name="csrf" value="{}">').format(token),
        "url": url,
        "here": here,
        "asset": lambda name: link(request, f"/static/{name}"),
        "asked": asked,
        "path": path,
        "section": "/" + path.split("/")[1],
        "notice": _notice(asked.get("done", "")),
        "may": {name: who is not None and who.may(right) for name, right in rights.items()},
        "scopes": {
            "agents": sorted({scope.agent for scope in scopes}),
            "projects": sorted({scope.project for scope in scopes if scope.project}),
        },
    }
    text = _environment().get_template(view.template).render({**encode(dict(view.values)), **frame})
    return HTMLResponse(text, view.status)


def _notice(done: str) -> tuple[str, str]:
    """What the last form did, and the lesson whose change can be undone."""
    found = _DONE.fullmatch(done)
    if found is None or found[1] not in _NOTICES:
        return "", ""
    is_undoable = found[1] in _UNDOABLE and (found[2] or "").isdecimal()
    return _NOTICES[found[1]].format(found[2] or ""), found[2] if is_undoable else ""


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
        day=lambda moment: wording.day(datetime.fromisoformat(moment).date()),
        noun=lambda count, singular: singular if count == 1 else f"{singular}s",
        number=lambda value: f"{value:,}",
        plain=printable,
        prose=_prose,
        prose_line=lambda text: _prose(one_line(text)),
        span=_seconds,
        until=_until,
        pairs=lambda names: [(name, name) for name in names],
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
    return _time(moment, context["now"] - datetime.fromisoformat(moment), "ago", "just now")


@pass_context
def _until(context: Context, moment: str) -> Markup:
    """How long until something is due."""
    return _time(moment, datetime.fromisoformat(moment) - context["now"], "from now", "now")


def _time(moment: str, span: timedelta, word: str, nothing: str) -> Markup:
    seconds = span.total_seconds()
    fitting = (f"{int(seconds // size)} {unit} {word}" for size, unit in _UNITS if seconds >= size)
    title = f"{datetime.fromisoformat(moment):%Y-%m-%d %H:%M} UTC"
    text = '<time datetime="{}" title="{}">{}</time>'
    return Markup(text).format(moment, title, next(fitting, nothing))


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
