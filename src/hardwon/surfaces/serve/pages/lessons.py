"""Lessons: the list, one with its story and its actions, those that wait; items of a playbook."""

from __future__ import annotations

import re
from typing import Any

from hardwon import Agent, Scope
from hardwon.api.codec import encode
from hardwon.api.lessons import Lessons
from hardwon.core.errors import NotAllowed
from hardwon.core.text.clean import clip, one_line
from hardwon.core.values.delivery import Door
from hardwon.core.values.lesson import (
    LIVE,
    SHELVED,
    USER_SUPPLIED,
    Change,
    Kind,
    Lesson,
    Status,
    evidence_of,
)
from hardwon.core.values.report import Order
from hardwon.knowledge.reading.guards import Guard, exact_calls, forbidden_call, guard_of
from hardwon.surfaces import wording
from hardwon.surfaces.serve.pages.views import (
    NOWHERE,
    Routes,
    View,
    Visit,
    mark_text,
    pick,
    place_of,
)
from hardwon.surfaces.serve.requests import Problem

_STATES = (Status.ALL, *reversed(LIVE), *SHELVED)
_REVIEWED = (Status.QUARANTINED, Status.CANDIDATE)
_ROWS = 50
_QUEUED = 25  # lessons listed next to the one that is open
_LOOKED_AT = 1_000  # past deliveries that a guard is tried on
_QUOTED = re.compile("When you see “(.+)”")  # a list shows only the quoted failure
_SITUATION, _CORRECTION, _WAS = 160, 240, 240  # characters in a row
_CHANGES = 20  # listed
_WAITING = (Status.CANDIDATE, Status.QUARANTINED)


routes = Routes()


@routes.page("/lessons")
def lessons(visit: Visit) -> View:
    """One page of the list."""
    status = visit.choose("status", _STATES, Status.ALL, "state")
    page = visit.tenant.lessons(
        status=status,
        text=visit.query("text"),
        tag=visit.query("tag"),
        order=visit.query("order", Order.USED),
        after=visit.mark,
        limit=_ROWS,
    )
    counts = visit.tenant.counts()
    counts[Status.ALL] = sum(counts.values())
    values = {
        "rows": [_row(lesson) for lesson in page.rows],
        "next": mark_text(page.next),
        "counts": {name: counts.get(name, 0) for name in _STATES},
        "orders": {"": "lately used", Order.MET: "most often met"},
    }
    return View("lessons.html", "Lessons", values)


def _row(lesson: Lesson) -> dict[str, Any]:
    """A lesson in a list."""
    is_note = lesson.headline() == "note"
    quoted = _QUOTED.fullmatch(one_line(lesson.situation))
    situation = quoted[1] if quoted else one_line(lesson.situation)
    return pick(
        lesson,
        "id status met hits guard tags",
        situation="" if is_note else clip(situation, _SITUATION),
        correction=clip(one_line(lesson.correction), _CORRECTION),
        seen=lesson.last_seen_at,
        **place_of(lesson.scope),
    )


@routes.page("/lessons/{number}")
def lesson(visit: Visit) -> View:
    """The page of one lesson."""
    lessons, lesson = visit.readable_lesson()
    judged = lessons.verdict(lesson.id)
    values = {
        "lesson": _describe(lesson),
        "verdict": wording.describe_verdict(judged) if judged else None,
        "life": wording.life(lesson),
        "cases": wording.cases(lesson),
        "fixes": wording.fixes(lesson),
        "shown": lessons.exposures(lesson.id),
        "provenance": wording.provenance(lesson),
        "history": wording.describe_changes(lesson, lessons.history(lesson.id)),
    }
    return View("lesson.html", f"Lesson {lesson.id}", values)


@routes.page("/lessons/{number}/edit")
def edit(visit: Visit) -> View:
    """The form to edit a lesson."""
    _, lesson = visit.readable_lesson()
    return View("lesson_edit.html", f"Edit lesson {lesson.id}", {"lesson": _describe(lesson)})


@routes.page("/lessons/{number}/guard")
def guard(visit: Visit) -> View:
    """Which past calls a guard would have denied; by default for the lesson's own calls."""
    _, lesson = visit.readable_lesson()
    call, tool = visit.query("call").strip(), visit.query("tool").strip() or "bash"
    guarded_calls = [(tool, call)] if call else exact_calls(lesson.calls)
    denied_calls = tuple(forbidden_call(*pair)[2:] for pair in guarded_calls)
    candidate_guard = Guard(denied_calls, guard_of(lesson).allowed)
    # The known past calls: those that led to the lesson, and those with a warning.
    calls = [command for _, command in exact_calls(lesson.calls)]
    shown = visit.tenant.deliveries(limit=_LOOKED_AT).rows
    calls += [delivery.query for delivery in shown if delivery.door == Door.ACTION]
    calls += [step.args for _, _, run in visit.tenant.runs() for step in run.steps]
    past = list(dict.fromkeys(calls))
    values = {
        "lesson": _describe(lesson),
        "call": call,
        "tool": tool,
        "calls": [command for _, command in guarded_calls],
        "denied": [one for one in past if guarded_calls and candidate_guard.forbids(tool, one)],
        "looked_at": len(past),
    }
    return View("lesson_guard.html", f"Guard of lesson {lesson.id}", values)


def _describe(lesson: Lesson) -> Any:
    """A lesson as plain values."""
    return encode(lesson) | {
        "mistake": "" if lesson.mistake == USER_SUPPLIED else lesson.mistake,
        "denies": guard_of(lesson).calls if lesson.guard else (),
        "reasons": evidence_of(lesson, Kind.QUARANTINED),
        "is_held": lesson.status == Status.QUARANTINED,
    }


def _act(visit: Visit, act: str, lessons: Lessons, lesson: Lesson) -> str:
    """Do this to a lesson; the name of the notice about it."""
    if act == "approve":
        lessons.approve(lesson.id)
        return "approved"
    if act == "retire":
        lessons.edit(lesson.id, status=Status.RETIRED)
        return "retired"
    if act == "undo":
        lessons.undo(lesson.id)
        return "undone"
    if act == "edit":
        _edit(visit, lessons, lesson)
        return "edited"
    is_on = visit.field("on") == "yes"
    call, tool = visit.field("call").strip(), visit.field("tool").strip() or "bash"
    lessons.guard(lesson.id, call=call, tool=tool, on=is_on)
    return "guarded" if is_on else "unguarded"


def _edit(visit: Visit, lessons: Lessons, lesson: Lesson) -> None:
    texts: Any = {
        name: visit.field(name).replace("\r\n", "\n").strip()
        for name in ("situation", "mistake", "correction")
    }
    tags = tuple(tag.strip() for tag in visit.field("tags").split(",") if tag.strip())
    if not texts["mistake"] and lesson.mistake == USER_SUPPLIED:
        del texts["mistake"]
    lessons.edit(lesson.id, **texts, tags=tags)
    if visit.field("approve"):
        lessons.approve(lesson.id)


@routes.action("/lessons/chosen/{act}")
def act_on_chosen(visit: Visit) -> str:
    """Approve or retire the chosen lessons."""
    act, chosen = visit.request.path_params["act"], dict.fromkeys(visit.fields("lesson"))
    if act not in ("approve", "retire"):
        raise Problem(404, f"lessons cannot be {act!r}")
    if not chosen or not all(text.isascii() and text.isdecimal() for text in chosen):
        raise Problem(400, "choose a lesson first")
    for number in chosen:
        _act(visit, act, *visit.readable_lesson(int(number)))
    return visit.redirect(f"{act}s:{len(chosen)}")


_ACTS = ("approve", "retire", "undo", "edit", "guard")


@routes.action(*(f"/lessons/{{number}}/{act}" for act in _ACTS))
def act_on_lesson(visit: Visit) -> str:
    """Do to a lesson what the last part of the path says."""
    lessons, lesson = visit.readable_lesson()
    done = _act(visit, visit.act, lessons, lesson)
    return visit.redirect(f"{done}:{lesson.id}", page=visit.own_page)


@routes.page("/review")
def review(visit: Visit) -> View:
    """The lesson at a position in the list of waiting lessons."""
    counts = visit.tenant.counts()
    first = _REVIEWED[0] if counts.get(_REVIEWED[0]) else _REVIEWED[1]
    status = visit.choose("status", _REVIEWED, first, "list")
    page = visit.tenant.lessons(status=status, after=visit.mark, limit=_QUEUED)
    text = visit.query("at", "0")
    position = int(text) if text.isascii() and text.isdecimal() and len(text) < 6 else 0
    at = min(position, max(len(page.rows) - 1, 0))
    chosen = page.rows[at] if page.rows else None
    values = {
        "status": status,
        "counts": {name: counts.get(name, 0) for name in _REVIEWED},
        "rows": [_row(lesson) for lesson in page.rows],
        "at": at,
        "next": mark_text(page.next),
        "lesson": _describe(chosen) if chosen else None,
        "cases": wording.cases(chosen) if chosen else [],
        "fixes": wording.fixes(chosen) if chosen else [],
        "provenance": wording.provenance(chosen) if chosen else [],
    }
    return View("review.html", "What waits for me?", values)


@routes.page("/playbook")
def playbook(visit: Visit) -> View:
    """The playbook of the chosen project, or the projects to choose from."""
    agent = _chosen_agent(visit)
    places = [] if agent else [_named(scope) for scope in visit.tenant.scopes()]
    values: dict[str, Any] = {"places": places, "place": _named(agent.scope) if agent else None}
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


def _chosen_agent(visit: Visit) -> Agent | None:
    """The agent in the chosen project; None if one must be chosen first."""
    name, project = visit.place
    scopes = [scope for scope in visit.tenant.scopes() if scope.project]
    if project is None and len(scopes) != 1:
        return None
    own, only = ("", project) if project is not None else (scopes[0].agent, scopes[0].project)
    return visit.agent_in(name or own or visit.hw.settings.scope.agent, only or None)


def _named(scope: Scope) -> dict[str, str]:
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
