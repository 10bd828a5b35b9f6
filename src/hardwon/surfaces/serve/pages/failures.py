"""What keeps failing: the kinds of failures, and a page for each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from hardwon.core.values.delivery import Door, Outcome
from hardwon.core.values.lesson import Status
from hardwon.knowledge.reading.mined_lesson import UNSOLVED
from hardwon.surfaces.presentation import wording
from hardwon.surfaces.presentation.wording import by_day
from hardwon.surfaces.serve.pages import story
from hardwon.surfaces.serve.pages.addresses import after_form, mark_of, mark_text, tenant_of
from hardwon.surfaces.serve.pages.overview import period
from hardwon.surfaces.serve.pages.runs import describe_ended
from hardwon.surfaces.serve.pages.views import View, action, page
from hardwon.surfaces.serve.requests import Problem, lessons_of

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.routing import Route

    from hardwon import Lesson
    from hardwon.api.tenants import Tenant
    from hardwon.core.values.report import FailureKind
    from hardwon.surfaces.serve.pages.views import Fields

_MUTED = "muted"  # tag of a lesson whose failure is hidden from the list
_RESOLVED = "resolved:"  # tag of one whose cause a person has removed; the time follows
ALL, OPEN, KNOWN, RETURNED, RESOLVED, MUTED = "all", *wording.FAILURE_STATES
_ROWS, _RUNS = 20, 10
_LOOKED_AT = 1_000  # recent deliveries whose outcomes are counted
_CAME_BACK = frozenset((Outcome.SAME, Outcome.REPEATED))
_ABOUT_ONE = frozenset((Door.ACTION, Door.ERROR))  # what they show is about one failure
_DAYS = timedelta(days=30)


def routes() -> list[Route]:
    """The list of kinds, each kind, and the actions."""
    return [
        *page("/failures", failures),
        *page("/failures/{kind}", failure, name="failures"),
        action("/failures/write", _write),
        action("/failures/{act:str}/chosen", _act_on_chosen),
    ]


def failures(request: Request) -> View:
    """One page of the kinds of failures."""
    list_name = request.query_params.get("list") or ALL
    if list_name not in (ALL, *wording.FAILURE_STATES):
        names = ", ".join((ALL, *wording.FAILURE_STATES))
        raise Problem(400, f"no such list: {list_name!r}; one of {names}")
    since, tenant = period(request), tenant_of(request)
    text = request.query_params.get("text", "")
    kinds = tenant.failures(since=since, text=text, after=mark_of(request), limit=_ROWS)
    again = came_back(tenant)
    rows = [row(kind, tenant.about(kind), since, again) for kind in kinds.rows]
    is_all = list_name == ALL
    values = {
        "rows": [one for one in rows if one["state"] == list_name or (is_all and not one["muted"])],
        "next": mark_text(kinds.next),
        "lists": {ALL: "all", **wording.FAILURE_STATES},
        "chosen": list_name,
    }
    return View("failures.html", "What keeps failing?", values)


def came_back(tenant: Tenant) -> Counter[int]:
    """How often the failure of each lesson came back although the lesson had been shown."""
    shown = tenant.deliveries(limit=_LOOKED_AT).rows
    return Counter(
        number
        for delivery in shown
        if delivery.outcome in _CAME_BACK and delivery.door in _ABOUT_ONE
        for number in delivery.lessons
    )


def row(
    failure: FailureKind, lesson: Lesson | None, since: timedelta, again: Counter[int]
) -> dict[str, Any]:
    """A kind of failure in the list."""
    assert failure.scope is not None
    today = datetime.now(UTC).date()
    returned = again[lesson.id] if lesson else 0
    return {
        "kind": failure.kind,
        "text": failure.text,
        "met": failure.met,
        "runs": lesson.met if lesson else None,
        "first": failure.first.isoformat(),
        "last": failure.last.isoformat(),
        "days": by_day(failure.days, today - since, today),
        "agent": failure.scope.agent,
        "project": failure.scope.project or "",
        "lesson": lesson.id if lesson else None,
        "correction": lesson.correction if lesson and lesson.is_active else "",
        "came_back": returned,
        "resolved": _resolved_at(lesson),
        "muted": lesson is not None and _MUTED in lesson.tags,
        "state": state_of(failure, lesson, returned),
    }


def state_of(failure: FailureKind, lesson: Lesson | None, returned: int) -> str:
    """The one state of a failure; one that came back after all is shown as that."""
    if lesson is not None and _MUTED in lesson.tags:
        return MUTED
    resolved = _resolved_at(lesson)
    if resolved and failure.last <= datetime.fromisoformat(resolved):
        return RESOLVED
    if returned or resolved:
        return RETURNED
    has_fix = lesson is not None and lesson.status in (Status.CANDIDATE, Status.PROVEN)
    return KNOWN if has_fix else OPEN


def _resolved_at(lesson: Lesson | None) -> str:
    """When a person said that the cause is gone; "" if nobody did."""
    tags = lesson.tags if lesson else ()
    return next((tag.removeprefix(_RESOLVED) for tag in tags if tag.startswith(_RESOLVED)), "")


def failure(request: Request) -> View:
    """One kind of failure: who meets it, what got past it, and whether it comes back."""
    tenant = tenant_of(request)
    found = tenant.failure(str(request.path_params["kind"]))
    lesson = tenant.about(found)
    met = tenant.who_met(found)
    exposures = lessons_of(request, lesson.scope).exposures(lesson.id) if lesson else []
    returned = sum(
        shown.times
        for shown in exposures
        if shown.outcome in _CAME_BACK and shown.door in _ABOUT_ONE
    )
    again = Counter({lesson.id: returned} if lesson else {})
    values = {
        **row(found, lesson, _DAYS, again),
        "status": lesson.status if lesson else "",
        "run_count": sum(one.runs for one in met),
        "people": sorted({one.person for one in met if one.person}),
        "met_by": [
            {
                **one._asdict(),
                "agent": one.scope.agent,
                "project": one.scope.project or "",
                "last": one.last.isoformat(),
                "scope": None,
            }
            for one in met
        ],
        "latest": [
            describe_ended(run) for run in tenant.ended_runs(met=found.text, limit=_RUNS).rows
        ],
        "fixes": story.fixes(lesson) if lesson else [],
        "cases": story.cases(lesson) if lesson else [],
        "shown": story.exposures(exposures),
    }
    return View("failure.html", "Failure", values)


def _write(request: Request, fields: Fields) -> str:
    """Save the fix: the lesson about the failure gets this text, and is approved."""
    correction = fields.one("correction").replace("\r\n", "\n").strip()
    found = tenant_of(request).failure(fields.one("kind"))
    lesson = tenant_of(request).about(found)
    if lesson is None:
        made = _lesson_about(request, found, correction)
        return after_form(request, fields.one("next"), f"made:{made.id}")
    lessons = lessons_of(request, lesson.scope)
    lessons.edit(lesson.id, correction=correction)
    lessons.approve(lesson.id)
    return after_form(request, fields.one("next"), f"written:{lesson.id}")


def _act_on_chosen(request: Request, fields: Fields) -> str:
    """Mute, resolve or merge the chosen failures, or take that back."""
    act, tenant = str(request.path_params["act"]), tenant_of(request)
    chosen = [tenant.failure(kind) for kind in dict.fromkeys(fields.many("kind"))]
    if act not in _TAGS and act != "merge":
        raise Problem(404, f"failures cannot be {act!r}")
    if act == "merge":
        return _merge(request, fields, chosen)
    if not chosen:
        raise Problem(400, "choose a failure first")
    for found in chosen:
        known = tenant.about(found)
        status = known.status if known else Status.SEEN
        lesson = known or _lesson_about(request, found, UNSOLVED)
        others = (tag for tag in lesson.tags if tag != _MUTED and not tag.startswith(_RESOLVED))
        tags = (*others, *_TAGS[act](datetime.now(UTC)))
        lessons_of(request, lesson.scope).edit(lesson.id, tags=tags, status=status)
    only = lesson.id if len(chosen) == 1 else len(chosen)
    return after_form(request, fields.one("next"), f"{act}{'' if len(chosen) == 1 else 's'}:{only}")


_TAGS: dict[str, Callable[[datetime], tuple[str, ...]]] = {
    "mute": lambda now: (_MUTED,),
    "resolve": lambda now: (f"{_RESOLVED}{now.isoformat(timespec='seconds')}",),
    "reopen": lambda now: (),
}


def _lesson_about(request: Request, found: FailureKind, correction: str) -> Lesson:
    """A new lesson about a failure that has none."""
    assert found.scope is not None
    situation, kinds = f"When you see “{found.text}”", (found.kind,)
    return lessons_of(request, found.scope).add(situation, correction, kinds=kinds)


def _merge(request: Request, fields: Fields, chosen: list[FailureKind]) -> str:
    about = [tenant_of(request).about(found) for found in chosen]
    lessons = {lesson.id: lesson for lesson in about if lesson}
    if len(lessons) < 2:
        raise Problem(400, "choose two or more failures that have a lesson to make them one kind")
    if len({lesson.scope for lesson in lessons.values()}) > 1:
        raise Problem(400, "failures of different agents or projects cannot become one kind")
    first = next(iter(lessons.values()))
    merged = lessons_of(request, first.scope).merge(*lessons)
    return after_form(request, fields.one("next"), f"merged:{merged.id}")
