"""One lesson: its words, its story, where it was shown, its history, and what can be done."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hardwon.failures.guards import Guard, exact_calls, forbidding, guard_of
from hardwon.surfaces.serve.pages import story
from hardwon.surfaces.serve.pages.addresses import after_form, hw_of, number_of, tenant_of
from hardwon.surfaces.serve.pages.views import View, action, page
from hardwon.values.delivery import Door
from hardwon.values.evidence import Kind
from hardwon.values.lesson import USER_SUPPLIED, Status
from hardwon.values.provenance import marks

if TYPE_CHECKING:
    from collections.abc import Iterable

    from starlette.requests import Request
    from starlette.routing import Route

    from hardwon import Agent, Lesson
    from hardwon.surfaces.serve.pages.views import Fields

_LOOKED_AT = 1_000  # past calls that a guard is tried on


def routes() -> list[Route]:
    """One lesson, its forms, and what they do."""
    return [
        *page("/lessons/{number}", lesson, name="lessons"),
        *page("/lessons/{number}/edit", edit, name="lessons"),
        *page("/lessons/{number}/guard", guard, name="lessons"),
        action("/lessons/{number}/approve", _approve),
        action("/lessons/{number}/retire", _retire),
        action("/lessons/{number}/undo", _undo),
        action("/lessons/{number}/edit", _edit),
        action("/lessons/{number}/guard", _guard),
    ]


def lesson(request: Request) -> View:
    """The whole of one lesson."""
    found = _found(request)
    lessons = agent_of(request, found).lessons
    judged = lessons.verdict(found.id)
    values = {
        "lesson": told(found),
        "verdict": story.verdict(judged) if judged else None,
        "life": story.life(found),
        "cases": story.cases(found),
        "fixes": story.fixes(found),
        "shown": story.exposures(lessons.exposures(found.id)),
        "provenance": story.provenance(found),
        "history": story.history(found, lessons.history(found.id)),
    }
    return View("lesson.html", f"Lesson {found.id}", values)


def edit(request: Request) -> View:
    """The form with the words of a lesson."""
    found = _found(request)
    return View("lesson_edit.html", f"Edit lesson {found.id}", {"lesson": told(found)})


def guard(request: Request) -> View:
    """Which past calls a guard would have denied; without a call those of the lesson itself."""
    found = _found(request)
    call = request.query_params.get("call", "").strip()
    tool = request.query_params.get("tool", "").strip() or "bash"
    asked = [(tool, call)] if call else exact_calls(found.calls)
    tried = Guard(tuple(forbidding(*one)[2:] for one in asked), guard_of(found).allowed)
    past = list(_past_calls(request, found))
    denied = [one for one in past if tried.forbids(tool, one)] if asked else []
    values = {
        "lesson": told(found),
        "call": call,
        "tool": tool,
        "calls": [one for _, one in asked],
        "denied": denied,
        "looked_at": len(past),
    }
    return View("lesson_guard.html", f"Guard of lesson {found.id}", values)


def told(lesson: Lesson) -> dict[str, Any]:
    """A lesson as plain values."""
    return {
        "id": lesson.id,
        "status": lesson.status,
        "situation": lesson.situation,
        "mistake": "" if lesson.mistake == USER_SUPPLIED else lesson.mistake,
        "correction": lesson.correction,
        "tags": list(lesson.tags),
        "agent": lesson.scope.agent,
        "project": lesson.scope.project or "",
        "origin": lesson.origin,
        "author": lesson.author,
        "trigger": lesson.trigger,
        "job": lesson.job,
        "met": lesson.met,
        "hits": lesson.hits,
        "confidence": lesson.confidence,
        "guard": lesson.guard,
        "denies": list(guard_of(lesson).calls) if lesson.guard else [],
        "reasons": list(marks(lesson, Kind.QUARANTINED)),
        "is_held": lesson.status == Status.QUARANTINED,
        "created": lesson.created_at.isoformat(),
        "updated": lesson.updated_at.isoformat(),
        "seen": lesson.last_seen_at.isoformat(),
        "expires": lesson.expires_at.isoformat() if lesson.expires_at else "",
    }


def agent_of(request: Request, lesson: Lesson) -> Agent:
    """The agent that owns a lesson."""
    tenant, agent, project = lesson.scope
    return hw_of(request).agent(agent, project=project, tenant=tenant)


def _found(request: Request) -> Lesson:
    return tenant_of(request).lesson(number_of(request))


def _past_calls(request: Request, lesson: Lesson) -> Iterable[str]:
    """The calls that are remembered: those that led to the lesson, those that were warned of."""
    seen = [call for _, call in exact_calls(lesson.calls)]
    for one in tenant_of(request).deliveries(limit=_LOOKED_AT).rows:
        if one.door == Door.ACTION:
            seen.append(one.query)
    for _, _, run in tenant_of(request).runs():
        seen += [step.args for step in run.steps]
    return dict.fromkeys(seen)


def _approve(request: Request, fields: Fields) -> str:
    found = _found(request)
    agent_of(request, found).lessons.approve(found.id)
    return _next(request, fields, found, "approved")


def _retire(request: Request, fields: Fields) -> str:
    found = _found(request)
    agent_of(request, found).lessons.edit(found.id, status=Status.RETIRED)
    return _next(request, fields, found, "retired")


def _undo(request: Request, fields: Fields) -> str:
    found = _found(request)
    agent_of(request, found).lessons.undo(found.id)
    return _next(request, fields, found, "undone")


def _edit(request: Request, fields: Fields) -> str:
    found = _found(request)
    words: Any = {
        name: fields.one(name).replace("\r\n", "\n").strip()
        for name in ("situation", "mistake", "correction")
    }
    tags = tuple(one.strip() for one in fields.one("tags").split(",") if one.strip())
    lessons = agent_of(request, found).lessons
    if not words["mistake"] and found.mistake == USER_SUPPLIED:
        del words["mistake"]
    lessons.edit(found.id, **words, tags=tags)
    if fields.one("approve"):
        lessons.approve(found.id)
    return _next(request, fields, found, "edited")


def _guard(request: Request, fields: Fields) -> str:
    found = _found(request)
    lessons = agent_of(request, found).lessons
    is_on = fields.one("on") == "yes"
    call, tool = fields.one("call").strip(), fields.one("tool").strip() or "bash"
    lessons.guard(found.id, call=call, tool=tool, on=is_on)
    return _next(request, fields, found, "guarded" if is_on else "unguarded")


def _next(request: Request, fields: Fields, lesson: Lesson, told: str) -> str:
    """The page that the form names, else the lesson's own."""
    own = request.url.path.rpartition("/")[0]
    return after_form(request, fields.one("next") or own, f"{told}:{lesson.id}")
