"""Filters are in the address: read them, and make links that keep them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from hardwon.core.values.report import Mark, mark
from hardwon.surfaces.serve.access import own_path
from hardwon.surfaces.serve.requests import Problem, allowed_place, link, principal

if TYPE_CHECKING:
    from starlette.requests import Request

    from hardwon import Agent, Hardwon
    from hardwon.api.tenants import Tenant

NOWHERE = "-"  # stands for lessons without a project
_KEPT = ("agent", "project", "since")  # filters that links to other pages keep
_PASSING = ("done", "after", "at")  # parameters that are dropped when a filter changes
_DONE = re.compile(r"(\w+)(?::([\w.-]+))?")

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
_UNDOABLE = frozenset(
    (
        *("approved", "retired", "edited", "guarded", "unguarded", "written", "mute", "resolve"),
        *("reopen", "pinned", "unpinned", "moved", "removed"),
    )
)


class Addresses:
    """The links of one page."""

    def __init__(self, request: Request) -> None:
        self._request = request
        self.path = own_path(request.scope)
        self.asked = dict(request.query_params)

    def url(self, path: str, **more: object) -> str:
        """The address of another page with the same agent, project and time."""
        filters = {name: self.asked[name] for name in _KEPT if self.asked.get(name)}
        return self._with(path, {**filters, **more})

    def here(self, **changes: object) -> str:
        """The address of this page with other filters; None removes one."""
        filters = {name: text for name, text in self.asked.items() if name not in _PASSING}
        return self._with(self.path, {**filters, **changes})

    def asset(self, name: str) -> str:
        """The address of a file beside the pages."""
        return link(self._request, f"/static/{name}")

    def _with(self, path: str, query: dict[str, object]) -> str:
        parameters = {name: value for name, value in query.items() if value not in (None, "")}
        return link(self._request, path) + (f"?{urlencode(parameters)}" if parameters else "")


def hw_of(request: Request) -> Hardwon:
    """The opened hardwon."""
    hw: Hardwon = request.app.state.hw
    return hw


def tenant_of(request: Request) -> Tenant:
    """The tenant, limited to the agent and project of the address and of the key."""
    agent, project = chosen_place(request)
    return hw_of(request).tenant(principal(request).tenant, agent=agent, project=project)


def chosen_place(request: Request) -> tuple[str | None, str | None]:
    """The agent and project of the address, within the key's limits; None: any."""
    agent, project = allowed_place(request)
    return agent or None, "" if project == NOWHERE else project or None


def agents_of(request: Request) -> list[Agent]:
    """Every agent of the address, in all its projects or in the chosen one."""
    hw, who = hw_of(request), principal(request)
    agent, project = chosen_place(request)
    agents = {scope.agent for scope in tenant_of(request).scopes()} | {hw.settings.scope.agent}
    names = sorted(agents) if agent is None else [agent]
    return [hw.agent(name, project=project or None, tenant=who.tenant) for name in names]


def known_scopes(request: Request) -> dict[str, list[str]]:
    """The agents and projects that can be chosen."""
    who = principal(request)
    scopes = hw_of(request).tenant(who.tenant, agent=who.agent, project=who.project).scopes()
    agents = sorted({scope.agent for scope in scopes})
    projects = sorted({scope.project for scope in scopes if scope.project})
    return {"agents": agents, "projects": projects}


def mark_of(request: Request) -> Mark | None:
    """Where the last page ended; `1700000000.5~12` in the address."""
    text = request.query_params.get("after", "")
    if not text:
        return None
    number, _, identity = text.partition("~")
    return mark(number, identity)


def mark_text(mark: Mark | None) -> str | None:
    """A mark as the address has it."""
    return None if mark is None else f"{mark[0]!r}~{mark[1]}"


def number_of(request: Request, name: str = "number") -> int:
    """The number in the path; NotFound if it is not a number."""
    text = str(request.path_params[name])
    if not (text.isascii() and text.isdecimal() and len(text) < 19):
        raise Problem(404, f"there is no lesson {text!r}")
    return int(text)


def notice(request: Request) -> tuple[str, str]:
    """What the last form did, and the lesson whose change can be undone."""
    done = _DONE.fullmatch(request.query_params.get("done", ""))
    if done is None or done[1] not in _NOTICES:
        return "", ""
    is_undoable = done[1] in _UNDOABLE and (done[2] or "").isdecimal()
    return _NOTICES[done[1]].format(done[2] or ""), done[2] if is_undoable else ""


def after_form(request: Request, target: str, note: str) -> str:
    """The page after a form: the one it names if it is on this server, with a note."""
    is_local = re.fullmatch(r"/(?![/\\])[^\s\\]*", target) is not None
    base = target if is_local else link(request, "/")
    base = re.sub(r"([?&])done=[^&]*&?", r"\1", base).rstrip("?&")
    return f"{base}{'&' if '?' in base else '?'}done={note}"
