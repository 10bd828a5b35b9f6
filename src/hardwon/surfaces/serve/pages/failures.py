"""What keeps failing: the kinds of failures, and a page for each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from hardwon import Lesson
from hardwon.core.values.delivery import Delivery, Door, Outcome
from hardwon.core.values.lesson import Status
from hardwon.core.values.report import Exposure, FailureKind
from hardwon.knowledge.proof.observed import cost_of
from hardwon.knowledge.reading.mined_lesson import UNSOLVED
from hardwon.surfaces import wording
from hardwon.surfaces.serve.pages.overview import period
from hardwon.surfaces.serve.pages.views import Routes, View, Visit, mark_text, pick, place_of
from hardwon.surfaces.serve.pages.work import describe_ended
from hardwon.surfaces.serve.requests import Problem

_MUTED = "muted"  # tag of a lesson whose failure is hidden from the list
_RESOLVED = "resolved:"  # tag of one whose cause a person has removed; the time follows
_ALL, _OPEN, _KNOWN, _RETURNED, _DONE, _HIDDEN = "all", *wording.FAILURE_STATES
_ROWS, _RUNS, _READ = 20, 10, 5
_LOOKED_AT = 1_000  # recent deliveries whose outcomes are counted
_CAME_BACK = frozenset((Outcome.SAME, Outcome.REPEATED))
_ABOUT_ONE = frozenset((Door.ACTION, Door.ERROR))  # what they show is about one failure
_DAYS = timedelta(days=30)


routes = Routes()


@routes.page("/failures")
def failures(visit: Visit) -> View:
    """One page of the kinds of failures."""
    list_name = visit.choose("list", (_ALL, *wording.FAILURE_STATES), _ALL, "list")
    since, tenant = period(visit), visit.tenant
    kinds = tenant.failures(since=since, text=visit.query("text"), after=visit.mark, limit=_ROWS)
    shown = tenant.deliveries(limit=_LOOKED_AT).rows
    again = Counter(number for one in shown if _is_return(one) for number in one.lessons)
    rows = [_row(kind, tenant.about(kind), since, again) for kind in kinds.rows]
    is_all = list_name == _ALL
    values = {
        "rows": [one for one in rows if one["state"] == list_name or (is_all and not one["muted"])],
        "next": mark_text(kinds.next),
        "lists": {_ALL: "all", **wording.FAILURE_STATES},
        "chosen": list_name,
    }
    return View("failures.html", "What keeps failing?", values)


def _is_return(shown: Delivery | Exposure) -> bool:
    """Whether a failure came back after it had been told about."""
    return shown.outcome in _CAME_BACK and shown.door in _ABOUT_ONE


def _row(
    failure: FailureKind, lesson: Lesson | None, since: timedelta, again: Counter[int]
) -> dict[str, Any]:
    """A kind of failure in the list."""
    assert failure.scope is not None
    today = datetime.now(UTC).date()
    returned = again[lesson.id] if lesson else 0
    return pick(
        failure,
        "kind text met first last",
        runs=lesson.met if lesson else None,
        days=wording.by_day(failure.days, today - since, today),
        lesson=lesson.id if lesson else None,
        correction=lesson.correction if lesson and lesson.is_active else "",
        came_back=returned,
        resolved=_resolved_at(lesson),
        muted=lesson is not None and _MUTED in lesson.tags,
        state=_state_of(failure, lesson, returned),
        **place_of(failure.scope),
    )


def _state_of(failure: FailureKind, lesson: Lesson | None, returned: int) -> str:
    """The one state of a failure; one that came back after all is shown as that."""
    if lesson is not None and _MUTED in lesson.tags:
        return _HIDDEN
    resolved = _resolved_at(lesson)
    if resolved and failure.last <= datetime.fromisoformat(resolved):
        return _DONE
    if returned or resolved:
        return _RETURNED
    has_fix = lesson is not None and lesson.status in (Status.CANDIDATE, Status.PROVEN)
    return _KNOWN if has_fix else _OPEN


def _resolved_at(lesson: Lesson | None) -> str:
    """When a person said that the cause is gone; "" if nobody did."""
    tags = lesson.tags if lesson else ()
    return next((tag.removeprefix(_RESOLVED) for tag in tags if tag.startswith(_RESOLVED)), "")


@routes.page("/failures/{kind}")
def failure(visit: Visit) -> View:
    """One kind of failure: who meets it, what got past it, and whether it comes back."""
    tenant = visit.tenant
    found = tenant.failure(visit.id)
    lesson, met = tenant.about(found), tenant.who_met(found)
    exposures = visit.lessons_of(lesson.scope).exposures(lesson.id) if lesson else []
    returned = sum(shown.times for shown in exposures if _is_return(shown))
    runs = tenant.ended_runs(met=found.text, limit=_RUNS).rows
    cost = cost_of(found.kind, [tenant.ended_run(run.id) for run in runs[:_READ]])
    values = {
        **_row(found, lesson, _DAYS, Counter({lesson.id: returned} if lesson else {})),
        "status": lesson.status if lesson else "",
        "run_count": sum(one.runs for one in met),
        "people": sorted({one.person for one in met if one.person}),
        "met_by": met,
        "latest": [describe_ended(run) for run in runs],
        "cost": cost,
        "fixes": wording.fixes(lesson) if lesson else [],
        "cases": wording.cases(lesson) if lesson else [],
        "shown": exposures,
    }
    return View("failure.html", "Failure", values)


@routes.action("/failures/write")
def write_fix(visit: Visit) -> str:
    """Save the fix: the lesson about the failure gets this text, and is approved."""
    correction = visit.field("correction").replace("\r\n", "\n").strip()
    found = visit.tenant.failure(visit.field("kind"))
    lesson = visit.tenant.about(found)
    if lesson is None:
        return visit.redirect(f"made:{_lesson_about(visit, found, correction).id}")
    lessons = visit.lessons_of(lesson.scope)
    lessons.edit(lesson.id, correction=correction)
    lessons.approve(lesson.id)
    return visit.redirect(f"written:{lesson.id}")


@routes.action("/failures/merge/chosen")
def merge_chosen(visit: Visit) -> str:
    """Make the chosen failures one kind."""
    about = [visit.tenant.about(found) for found in _chosen(visit)]
    lessons = {lesson.id: lesson for lesson in about if lesson}
    if len(lessons) < 2:
        raise Problem(400, "choose two or more failures that have a lesson to make them one kind")
    if len({lesson.scope for lesson in lessons.values()}) > 1:
        raise Problem(400, "failures of different agents or projects cannot become one kind")
    first = next(iter(lessons.values()))
    return visit.redirect(f"merged:{visit.lessons_of(first.scope).merge(*lessons).id}")


@routes.action("/failures/{act:str}/chosen")
def act_on_chosen(visit: Visit) -> str:
    """Mute or resolve the chosen failures, or take that back."""
    act, tenant, chosen = str(visit.request.path_params["act"]), visit.tenant, _chosen(visit)
    if act not in _TAGS:
        raise Problem(404, f"failures cannot be {act!r}")
    if not chosen:
        raise Problem(400, "choose a failure first")
    for found in chosen:
        known = tenant.about(found)
        status = known.status if known else Status.SEEN
        lesson = known or _lesson_about(visit, found, UNSOLVED)
        others = (tag for tag in lesson.tags if tag != _MUTED and not tag.startswith(_RESOLVED))
        tags = (*others, *_TAGS[act](datetime.now(UTC)))
        visit.lessons_of(lesson.scope).edit(lesson.id, tags=tags, status=status)
    is_one = len(chosen) == 1
    return visit.redirect(f"{act}:{lesson.id}" if is_one else f"{act}s:{len(chosen)}")


def _chosen(visit: Visit) -> list[FailureKind]:
    return [visit.tenant.failure(kind) for kind in dict.fromkeys(visit.fields("kind"))]


_TAGS: dict[str, Callable[[datetime], tuple[str, ...]]] = {
    "mute": lambda now: (_MUTED,),
    "resolve": lambda now: (f"{_RESOLVED}{now.isoformat(timespec='seconds')}",),
    "reopen": lambda now: (),
}


def _lesson_about(visit: Visit, found: FailureKind, correction: str) -> Lesson:
    """A new lesson about a failure that has none."""
    assert found.scope is not None
    situation, kinds = f"When you see “{found.text}”", (found.kind,)
    return visit.lessons_of(found.scope).add(situation, correction, kinds=kinds)
