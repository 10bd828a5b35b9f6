"""Lessons: the list, one lesson with its story and its actions, and those that wait for review."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from hardwon.core.text.clean import clip, one_line
from hardwon.core.values.delivery import Door
from hardwon.core.values.lesson import LIVE, SHELVED, USER_SUPPLIED, Kind, Status, evidence_of
from hardwon.core.values.report import Order
from hardwon.knowledge.reading.guards import Guard, exact_calls, forbidden_call, guard_of
from hardwon.surfaces.serve.pages import story
from hardwon.surfaces.serve.pages.addresses import (
    after_form,
    mark_of,
    mark_text,
    number_of,
    tenant_of,
)
from hardwon.surfaces.serve.pages.views import View, action, page
from hardwon.surfaces.serve.requests import Problem, lessons_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from starlette.requests import Request
    from starlette.routing import Route

    from hardwon.core.values.lesson import Lesson
    from hardwon.surfaces.serve.pages.views import Fields


STATES = (Status.ALL, *reversed(LIVE), *SHELVED)
_ROWS = 50
_QUOTED = re.compile("When you see “(.+)”")  # a list shows only the quoted failure
_SITUATION, _CORRECTION = 160, 240  # characters in a row


def routes() -> list[Route]:
    """The list, and each lesson in it."""
    return [
        *page("/lessons", lessons),
        *page("/review", review),
        *page("/lessons/{number}", lesson, name="lessons"),
        *page("/lessons/{number}/edit", edit, name="lessons"),
        *page("/lessons/{number}/guard", guard, name="lessons"),
        action("/lessons/chosen/{act}", _act_on_chosen),
        action("/lessons/{number}/approve", _approve),
        action("/lessons/{number}/retire", _retire),
        action("/lessons/{number}/undo", _undo),
        action("/lessons/{number}/edit", _edit),
        action("/lessons/{number}/guard", _guard),
    ]


def lessons(request: Request) -> View:
    """One page of the list."""
    status = request.query_params.get("status") or Status.ALL
    if status not in STATES:
        raise Problem(400, f"no such state: {status!r}; one of {', '.join(STATES)}")
    wanted = {name: request.query_params.get(name, "") for name in ("text", "tag")}
    order = request.query_params.get("order") or Order.USED
    tenant = tenant_of(request)
    after = mark_of(request)
    page = tenant.lessons(status=status, **wanted, order=order, after=after, limit=_ROWS)
    counts = tenant.counts()
    counts[Status.ALL] = sum(counts.values())
    values = {
        "rows": [row(lesson) for lesson in page.rows],
        "next": mark_text(page.next),
        "counts": {name: counts.get(name, 0) for name in STATES},
        "orders": {"": "lately used", Order.MET: "most often met"},
    }
    return View("lessons.html", "Lessons", values)


def row(lesson: Lesson) -> dict[str, Any]:
    """A lesson in a list."""
    is_note = lesson.headline() == "note"
    quoted = _QUOTED.fullmatch(one_line(lesson.situation))
    situation = quoted[1] if quoted else one_line(lesson.situation)
    return {
        "id": lesson.id,
        "status": lesson.status,
        "situation": "" if is_note else clip(situation, _SITUATION),
        "correction": clip(one_line(lesson.correction), _CORRECTION),
        "agent": lesson.scope.agent,
        "project": lesson.scope.project or "",
        "met": lesson.met,
        "hits": lesson.hits,
        "guard": lesson.guard,
        "tags": list(lesson.tags),
        "seen": lesson.last_seen_at.isoformat(),
    }


_LOOKED_AT = 1_000  # past deliveries that a guard is tried on


def lesson(request: Request) -> View:
    """The page of one lesson."""
    lesson = _lesson_of(request)
    lessons = lessons_of(request, lesson.scope)
    judged = lessons.verdict(lesson.id)
    values = {
        "lesson": describe(lesson),
        "verdict": story.verdict(judged) if judged else None,
        "life": story.life(lesson),
        "cases": story.cases(lesson),
        "fixes": story.fixes(lesson),
        "shown": story.exposures(lessons.exposures(lesson.id)),
        "provenance": story.provenance(lesson),
        "history": story.history(lesson, lessons.history(lesson.id)),
    }
    return View("lesson.html", f"Lesson {lesson.id}", values)


def edit(request: Request) -> View:
    """The form to edit a lesson."""
    lesson = _lesson_of(request)
    return View("lesson_edit.html", f"Edit lesson {lesson.id}", {"lesson": describe(lesson)})


def guard(request: Request) -> View:
    """Which past calls a guard would have denied; by default for the lesson's own calls."""
    lesson = _lesson_of(request)
    call = request.query_params.get("call", "").strip()
    tool = request.query_params.get("tool", "").strip() or "bash"
    guarded_calls = [(tool, call)] if call else exact_calls(lesson.calls)
    candidate_guard = Guard(
        tuple(forbidden_call(*pair)[2:] for pair in guarded_calls), guard_of(lesson).allowed
    )
    past = list(_past_calls(request, lesson))
    denied = (
        [command for command in past if candidate_guard.forbids(tool, command)]
        if guarded_calls
        else []
    )
    values = {
        "lesson": describe(lesson),
        "call": call,
        "tool": tool,
        "calls": [command for _, command in guarded_calls],
        "denied": denied,
        "looked_at": len(past),
    }
    return View("lesson_guard.html", f"Guard of lesson {lesson.id}", values)


def describe(lesson: Lesson) -> dict[str, Any]:
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
        "reasons": list(evidence_of(lesson, Kind.QUARANTINED)),
        "is_held": lesson.status == Status.QUARANTINED,
        "created": lesson.created_at.isoformat(),
        "updated": lesson.updated_at.isoformat(),
        "seen": lesson.last_seen_at.isoformat(),
        "expires": lesson.expires_at.isoformat() if lesson.expires_at else "",
    }


def _lesson_of(request: Request) -> Lesson:
    return tenant_of(request).lesson(number_of(request))


def _past_calls(request: Request, lesson: Lesson) -> Iterable[str]:
    """The known past calls: those that led to the lesson, and those with a warning."""
    calls = [call for _, call in exact_calls(lesson.calls)]
    for delivery in tenant_of(request).deliveries(limit=_LOOKED_AT).rows:
        if delivery.door == Door.ACTION:
            calls.append(delivery.query)
    for _, _, run in tenant_of(request).runs():
        calls += [step.args for step in run.steps]
    return dict.fromkeys(calls)


def _approve(request: Request, fields: Fields) -> str:
    lesson = _lesson_of(request)
    lessons_of(request, lesson.scope).approve(lesson.id)
    return _next(request, fields, lesson, "approved")


def _act_on_chosen(request: Request, fields: Fields) -> str:
    """Approve or retire the chosen lessons."""
    act, chosen = request.path_params["act"], dict.fromkeys(fields.many("lesson"))
    if act not in ("approve", "retire"):
        raise Problem(404, f"lessons cannot be {act!r}")
    if not chosen or not all(text.isascii() and text.isdecimal() for text in chosen):
        raise Problem(400, "choose a lesson first")
    for number in chosen:
        lesson = tenant_of(request).lesson(int(number))
        lessons = lessons_of(request, lesson.scope)
        if act == "approve":
            lessons.approve(lesson.id)
        else:
            lessons.edit(lesson.id, status=Status.RETIRED)
    return after_form(request, fields.one("next"), f"{act}s:{len(chosen)}")


def _retire(request: Request, fields: Fields) -> str:
    lesson = _lesson_of(request)
    lessons_of(request, lesson.scope).edit(lesson.id, status=Status.RETIRED)
    return _next(request, fields, lesson, "retired")


def _undo(request: Request, fields: Fields) -> str:
    lesson = _lesson_of(request)
    lessons_of(request, lesson.scope).undo(lesson.id)
    return _next(request, fields, lesson, "undone")


def _edit(request: Request, fields: Fields) -> str:
    lesson = _lesson_of(request)
    texts: Any = {
        name: fields.one(name).replace("\r\n", "\n").strip()
        for name in ("situation", "mistake", "correction")
    }
    tags = tuple(tag.strip() for tag in fields.one("tags").split(",") if tag.strip())
    lessons = lessons_of(request, lesson.scope)
    if not texts["mistake"] and lesson.mistake == USER_SUPPLIED:
        del texts["mistake"]
    lessons.edit(lesson.id, **texts, tags=tags)
    if fields.one("approve"):
        lessons.approve(lesson.id)
    return _next(request, fields, lesson, "edited")


def _guard(request: Request, fields: Fields) -> str:
    guarded = _lesson_of(request)
    lessons = lessons_of(request, guarded.scope)
    is_on = fields.one("on") == "yes"
    call, tool = fields.one("call").strip(), fields.one("tool").strip() or "bash"
    lessons.guard(guarded.id, call=call, tool=tool, on=is_on)
    return _next(request, fields, guarded, "guarded" if is_on else "unguarded")


def _next(request: Request, fields: Fields, lesson: Lesson, done: str) -> str:
    """The page that the form names, else the lesson's own."""
    page_path = request.url.path.rpartition("/")[0]
    return after_form(request, fields.one("next") or page_path, f"{done}:{lesson.id}")


_QUEUED = 25  # lessons listed next to the one that is open
REVIEWED = (Status.QUARANTINED, Status.CANDIDATE)


def review(request: Request) -> View:
    """The lesson at a position in the list of waiting lessons."""
    tenant = tenant_of(request)
    counts = tenant.counts()
    first = REVIEWED[0] if counts.get(REVIEWED[0]) else REVIEWED[1]
    status = request.query_params.get("status") or first
    if status not in REVIEWED:
        raise Problem(400, f"no such list: {status!r}; one of {', '.join(REVIEWED)}")
    page = tenant.lessons(status=status, after=mark_of(request), limit=_QUEUED)
    at = min(_position(request), max(len(page.rows) - 1, 0))
    chosen = page.rows[at] if page.rows else None
    values = {
        "status": status,
        "counts": {name: counts.get(name, 0) for name in REVIEWED},
        "rows": [row(lesson) for lesson in page.rows],
        "at": at,
        "next": mark_text(page.next),
        "lesson": describe(chosen) if chosen else None,
        "cases": story.cases(chosen) if chosen else [],
        "fixes": story.fixes(chosen) if chosen else [],
        "provenance": story.provenance(chosen) if chosen else [],
    }
    return View("review.html", "What waits for me?", values)


def _position(request: Request) -> int:
    text = request.query_params.get("at", "0")
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 6 else 0
