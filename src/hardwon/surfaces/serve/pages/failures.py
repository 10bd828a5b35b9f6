"""Failures: each kind with its days and its lesson, if it has one."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from hardwon.core.values.delivery import Outcome
from hardwon.core.values.lesson import Status
from hardwon.knowledge.reading.mined_lesson import UNSOLVED
from hardwon.surfaces.presentation.wording import by_day
from hardwon.surfaces.serve.pages.addresses import (
    after_form,
    mark_of,
    mark_text,
    tenant_of,
)
from hardwon.surfaces.serve.pages.overview import period
from hardwon.surfaces.serve.pages.views import View, action, page
from hardwon.surfaces.serve.requests import Problem, lessons_of

if TYPE_CHECKING:
    from datetime import date

    from starlette.requests import Request
    from starlette.routing import Route

    from hardwon import Lesson
    from hardwon.api.tenants import Tenant
    from hardwon.core.values.report import FailureKind
    from hardwon.surfaces.serve.pages.views import Fields

MUTED = "muted"  # tag of a lesson whose failure is hidden from the list
OPEN, KNOWN, RETURNED, ALL = "open", "known", "returned", "all"
LISTS = {
    ALL: "all",
    OPEN: "no fix known",
    KNOWN: "with a lesson",
    RETURNED: "came back although shown",
    MUTED: "muted",
}
_ROWS = 50
_LOOKED_AT = 1_000  # recent deliveries whose outcomes are counted
_CAME_BACK = frozenset((Outcome.SAME, Outcome.REPEATED))


def routes() -> list[Route]:
    """The list of kinds, and its actions."""
    return [
        *page("/failures", failures),
        action("/failures/write", _write),
        action("/failures/mute", _mute),
        action("/failures/merge", _merge),
    ]


def failures(request: Request) -> View:
    """One page of the kinds of failures."""
    list_name = request.query_params.get("list") or ALL
    if list_name not in LISTS:
        raise Problem(400, f"no such list: {list_name!r}; one of {', '.join(LISTS)}")
    since, tenant = period(request), tenant_of(request)
    text = request.query_params.get("text", "")
    kinds = tenant.failures(since=since, text=text, after=mark_of(request), limit=_ROWS)
    last, again = datetime.now(UTC).date(), came_back(tenant)
    rows = [row(kind, tenant.about(kind), (last - since, last), again) for kind in kinds.rows]
    values = {
        "rows": [listed for listed in rows if is_listed(listed, list_name)],
        "next": mark_text(kinds.next),
        "lists": LISTS,
        "chosen": list_name,
    }
    return View("failures.html", "Failures", values)


def came_back(tenant: Tenant) -> Counter[int]:
    """How often the failure of each lesson came back although the lesson had been shown."""
    shown = tenant.deliveries(limit=_LOOKED_AT).rows
    return Counter(
        number
        for delivery in shown
        if delivery.outcome in _CAME_BACK
        for number in delivery.lessons
    )


def row(
    failure: FailureKind, lesson: Lesson | None, time: tuple[date, date], again: Counter[int]
) -> dict[str, Any]:
    """A kind of failure in the list."""
    assert failure.scope is not None
    return {
        "kind": failure.kind,
        "text": failure.text,
        "met": failure.met,
        "runs": lesson.met if lesson else None,
        "first": failure.first.isoformat(),
        "last": failure.last.isoformat(),
        "days": by_day(failure.days, *time),
        "agent": failure.scope.agent,
        "project": failure.scope.project or "",
        "lesson": lesson.id if lesson else None,
        "status": lesson.status if lesson else Status.SEEN,
        "correction": lesson.correction if lesson and lesson.is_active else "",
        "came_back": again[lesson.id] if lesson else 0,
        "is_muted": lesson is not None and MUTED in lesson.tags,
    }


def is_listed(row: dict[str, Any], asked: str) -> bool:
    """Whether a row is in a list; muted rows are only in their own."""
    if row["is_muted"] or asked == MUTED:
        return bool(row["is_muted"]) and asked == MUTED
    if asked == RETURNED:
        return bool(row["came_back"])
    has_fix = row["status"] in (Status.CANDIDATE, Status.PROVEN)
    return asked == ALL or has_fix == (asked == KNOWN)


def _write(request: Request, fields: Fields) -> str:
    """Save the fix: the lesson about the failure gets this text, and is approved."""
    correction = fields.one("correction").replace("\r\n", "\n").strip()
    if not fields.one("lesson"):
        opened = _open_lesson(request, fields, correction)
        return after_form(request, fields.one("next"), f"made:{opened.id}")
    lesson = _lesson(request, fields.one("lesson"))
    lessons = lessons_of(request, lesson.scope)
    lessons.edit(lesson.id, correction=correction)
    lessons.approve(lesson.id)
    return after_form(request, fields.one("next"), f"written:{lesson.id}")


def _mute(request: Request, fields: Fields) -> str:
    """Hide a failure from the list or show it again, by a tag of its lesson."""
    is_on = fields.one("on") == "yes"
    lesson_id = fields.one("lesson")
    lesson = _lesson(request, lesson_id) if lesson_id else _open_lesson(request, fields, UNSOLVED)
    others = tuple(tag for tag in lesson.tags if tag != MUTED)
    status = lesson.status if lesson_id else Status.SEEN
    tags = (*others, MUTED) if is_on else others
    lessons_of(request, lesson.scope).edit(lesson.id, tags=tags, status=status)
    return after_form(request, fields.one("next"), f"{'muted' if is_on else 'unmuted'}:{lesson.id}")


def _open_lesson(request: Request, fields: Fields, correction: str) -> Lesson:
    """A lesson about a failure that has none."""
    wanted = fields.one("agent"), fields.one("project") or None
    for scope in tenant_of(request).scopes():
        if (scope.agent, scope.project) == wanted:
            situation = f"When you see “{fields.one('text')}”"
            kinds = (fields.one("kind"),)
            return lessons_of(request, scope).add(situation, correction, kinds=kinds)
    raise Problem(400, "no such agent and project")


def _merge(request: Request, fields: Fields) -> str:
    lessons = [_lesson(request, number) for number in dict.fromkeys(fields.many("lesson"))]
    if len(lessons) < 2:
        raise Problem(400, "choose two or more failures that have a lesson to make them one kind")
    if len({lesson.scope for lesson in lessons}) > 1:
        raise Problem(400, "failures of different agents or projects cannot become one kind")
    merged = lessons_of(request, lessons[0].scope).merge(*(lesson.id for lesson in lessons))
    return after_form(request, fields.one("next"), f"merged:{merged.id}")


def _lesson(request: Request, number: str) -> Lesson:
    if not (number.isascii() and number.isdecimal() and len(number) < 19):
        raise Problem(400, "no lesson was named")
    return tenant_of(request).lesson(int(number))
