"""Lessons: all of a tenant, by state, agent, project and text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from hardwon.core.text.clean import clip, one_line
from hardwon.core.values.lesson import LIVE, SHELVED, Status
from hardwon.surfaces.serve.pages import lesson
from hardwon.surfaces.serve.pages.addresses import mark_of, tenant_of, written
from hardwon.surfaces.serve.pages.views import View, page
from hardwon.surfaces.serve.requests import Problem

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.routing import Route

    from hardwon.core.values.lesson import Lesson

STATES = (Status.ALL, *reversed(LIVE), *SHELVED)
_ROWS = 50
_QUOTED = re.compile("When you see “(.+)”")  # a list shows only the quoted failure
_SITUATION, _CORRECTION = 160, 240  # characters in a row


def routes() -> list[Route]:
    """The list, and each lesson in it."""
    return [*page("/lessons", lessons), *lesson.routes()]


def lessons(request: Request) -> View:
    """One page of the list."""
    status = request.query_params.get("status") or Status.ALL
    if status not in STATES:
        raise Problem(400, f"no such state: {status!r}; one of {', '.join(STATES)}")
    text = request.query_params.get("text", "")
    tenant = tenant_of(request)
    page = tenant.lessons(status=status, text=text, after=mark_of(request), limit=_ROWS)
    counts = tenant.counts()
    counts[Status.ALL] = sum(counts.values())
    values = {
        "rows": [row(lesson) for lesson in page.rows],
        "next": written(page.next),
        "counts": {name: counts.get(name, 0) for name in STATES},
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
        "seen": lesson.last_seen_at.isoformat(),
    }
