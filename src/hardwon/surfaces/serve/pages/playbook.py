"""The playbook of a project: its items in order, with their evidence, and what was changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hardwon.core.errors import NotAllowed
from hardwon.core.text.clean import clip, one_line
from hardwon.core.values.lesson import Change, Status
from hardwon.surfaces.presentation import wording
from hardwon.surfaces.serve.pages.addresses import (
    NOWHERE,
    after_form,
    chosen_place,
    hw_of,
    number_of,
    tenant_of,
)
from hardwon.surfaces.serve.pages.views import View, action, page
from hardwon.surfaces.serve.requests import principal

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.routing import Route

    from hardwon import Agent, Scope
    from hardwon.api.playbook import Playbook
    from hardwon.surfaces.serve.pages.views import Fields

_CHANGES = 20  # listed
_WAS = 240  # characters of an earlier version
_WAITING = (Status.CANDIDATE, Status.QUARANTINED)


def routes() -> list[Route]:
    """The page and the actions on its items."""
    return [
        *page("/playbook", playbook),
        action("/playbook/{number}/pin", _pin),
        action("/playbook/{number}/up", _up),
        action("/playbook/{number}/down", _down),
        action("/playbook/{number}/remove", _remove),
    ]


def playbook(request: Request) -> View:
    """The playbook of the chosen project, or the projects to choose from."""
    agent = _agent(request)
    places = [] if agent else [_place(scope) for scope in tenant_of(request).scopes()]
    values: dict[str, Any] = {"places": places, "place": _place(agent.scope) if agent else None}
    if agent:
        values |= _item_values(agent.playbook)
    return View("playbook.html", "What do we know?", values)


def _agent(request: Request) -> Agent | None:
    """The agent in the chosen project; None if one must be chosen first."""
    name, project = chosen_place(request)
    scopes = [scope for scope in tenant_of(request).scopes() if scope.project]
    if project is None and len(scopes) != 1:
        return None
    tenant, own, only = scopes[0] if project is None else (principal(request).tenant, "", project)
    agent = name or own or hw_of(request).settings.scope.agent
    return hw_of(request).agent(agent, project=only or None, tenant=tenant)


def _place(scope: Scope) -> dict[str, str]:
    return {"agent": scope.agent, "project": scope.project or NOWHERE}


def _item_values(playbook: Playbook) -> dict[str, Any]:
    block = playbook.block()
    told = {item.id for item in block.lessons}
    waiting = [item for status in _WAITING for item in playbook.list(status=status)]
    return {
        "items": [wording.describe_item(item, told) for item in playbook.list()],
        "waiting": [wording.describe_item(item, told) for item in waiting],
        "tokens": block.tokens,
        "history": [_change(change) for change in playbook.history()[:_CHANGES]],
    }


def _change(change: Change) -> dict[str, Any]:
    was = one_line(f"{change.before.situation}: {change.before.correction}")
    at = change.at.isoformat()
    return {"id": change.before.id, "act": change.act, "at": at, "was": clip(was, _WAS)}


def _pin(request: Request, fields: Fields) -> str:
    is_on = fields.one("on") == "yes"
    _playbook(request).pin(number_of(request), on=is_on)
    return _next(request, fields, "pinned" if is_on else "unpinned")


def _up(request: Request, fields: Fields) -> str:
    """Move an item before the one that stands before it."""
    number, playbook = number_of(request), _playbook(request)
    order = [item.id for item in playbook.list()]
    at = order.index(number) if number in order else 0
    if at > 0:
        playbook.move(number, before=order[at - 1])
    return _next(request, fields, "moved")


def _down(request: Request, fields: Fields) -> str:
    """Move an item behind the one that stands after it."""
    number, playbook = number_of(request), _playbook(request)
    order = [item.id for item in playbook.list()]
    if number in order[:-1]:
        playbook.move(order[order.index(number) + 1], before=number)
    return _next(request, fields, "moved")


def _remove(request: Request, fields: Fields) -> str:
    _playbook(request).remove(number_of(request))
    return _next(request, fields, "removed")


def _playbook(request: Request) -> Playbook:
    """The playbook of an item, within the key's limits."""
    scope, who = tenant_of(request).lesson(number_of(request)).scope, principal(request)
    if not who.place.covers(scope):
        raise NotAllowed("this key may not change items of that project")
    agent: Agent = hw_of(request).agent(scope.agent, project=scope.project, tenant=who.tenant)
    return agent.playbook


def _next(request: Request, fields: Fields, done: str) -> str:
    return after_form(request, fields.one("next"), f"{done}:{number_of(request)}")
