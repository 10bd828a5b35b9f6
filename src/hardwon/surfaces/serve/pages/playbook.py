"""The playbook of a project: its items in order, with their evidence, and what was changed."""

from __future__ import annotations

from typing import Any

from hardwon import Agent, Scope
from hardwon.core.errors import NotAllowed
from hardwon.core.text.clean import clip, one_line
from hardwon.core.values.lesson import Change, Status
from hardwon.surfaces.presentation import wording
from hardwon.surfaces.serve.pages.views import NOWHERE, Routes, View, Visit, pick

_CHANGES = 20  # listed
_WAS = 240  # characters of an earlier version
_WAITING = (Status.CANDIDATE, Status.QUARANTINED)


routes = Routes()


@routes.page("/playbook")
def playbook(visit: Visit) -> View:
    """The playbook of the chosen project, or the projects to choose from."""
    agent = _agent(visit)
    places = [] if agent else [_place(scope) for scope in visit.tenant.scopes()]
    values: dict[str, Any] = {"places": places, "place": _place(agent.scope) if agent else None}
    if agent:
        block = agent.playbook.block()
        told = {item.id for item in block.lessons}
        waiting = [item for status in _WAITING for item in agent.playbook.list(status=status)]
        values |= {
            "items": [wording.describe_item(item, told) for item in agent.playbook.list()],
            "waiting": [wording.describe_item(item, told) for item in waiting],
            "tokens": block.tokens,
            "history": [_change(change) for change in agent.playbook.history()[:_CHANGES]],
        }
    return View("playbook.html", "What do we know?", values)


def _agent(visit: Visit) -> Agent | None:
    """The agent in the chosen project; None if one must be chosen first."""
    name, project = visit.place
    scopes = [scope for scope in visit.tenant.scopes() if scope.project]
    if project is None and len(scopes) != 1:
        return None
    own, only = ("", project) if project is not None else (scopes[0].agent, scopes[0].project)
    return visit.agent_in(name or own or visit.hw.settings.scope.agent, only or None)


def _place(scope: Scope) -> dict[str, str]:
    return {"agent": scope.agent, "project": scope.project or NOWHERE}


def _change(change: Change) -> dict[str, Any]:
    was = one_line(f"{change.before.situation}: {change.before.correction}")
    return pick(change, "act at", id=change.before.id, was=clip(was, _WAS))


@routes.action(*(f"/playbook/{{number}}/{act}" for act in ("pin", "up", "down", "remove")))
def act_on_item(visit: Visit) -> str:
    """Do to an item what the last part of the path says."""
    act, number = visit.act, visit.number
    scope = visit.tenant.lesson(number).scope
    if not visit.principal.place.covers(scope):
        raise NotAllowed("this key may not change items of that project")
    playbook = visit.agent_in(scope.agent, scope.project).playbook
    order = [item.id for item in playbook.list()]
    at = order.index(number) if number in order else 0
    done = "moved"
    if act == "pin":
        is_on = visit.field("on") == "yes"
        playbook.pin(number, on=is_on)
        done = "pinned" if is_on else "unpinned"
    elif act == "remove":
        playbook.remove(number)
        done = "removed"
    elif act == "up" and at > 0:
        playbook.move(number, before=order[at - 1])
    elif act == "down" and number in order[:-1]:
        playbook.move(order[at + 1], before=number)
    return visit.redirect(f"{done}:{number}")
