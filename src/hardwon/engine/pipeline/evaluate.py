"""Evaluate: judge each lesson by the hold-out, and retire or restore it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from hardwon.core.errors import NotFound
from hardwon.core.values.delivery import is_retired, wording_of
from hardwon.core.values.lesson import (
    EPOCH,
    RETIRE,
    RETURN,
    Change,
    Evidence,
    Kind,
    Lesson,
    evidence_of,
    join_evidence,
    without_evidence,
)
from hardwon.core.values.report import LessonVerdict, Window
from hardwon.core.values.scope import Scope
from hardwon.knowledge.proof import verdicts as judging
from hardwon.knowledge.proof.effect import effect
from hardwon.storage.ports import Store

if TYPE_CHECKING:
    from hardwon.knowledge.proof.effect import Treatment
    from hardwon.knowledge.proof.verdicts import Verdict

LOW_SHARE = 0.025  # the hold-out share once it is proven that lessons help
_RECENT = timedelta(days=30)  # a lesson not shown for this long is not worth retiring


class Review(NamedTuple):
    """What a review of all lessons of a tenant has changed."""

    retired: tuple[int, ...] = ()
    returned: tuple[int, ...] = ()
    share: float | None = None  # the new hold-out share, if it was lowered


def verdicts(store: Store, window: Window) -> Iterator[Verdict]:
    """The verdicts on the lessons of a window's scopes, those with most units first.

    All units of a lesson count, also those before the window.
    """
    all_treatments = store.units.treatments(_whole(window.scope.tenant, EPOCH))
    in_window = (
        all_treatments if window.is_whole else store.units.treatments(window._replace(since=EPOCH))
    )
    order = sorted(in_window, key=lambda treatment: (-treatment.arms.units, treatment.lesson))
    return judging.verdicts(order, judging.prior_of(all_treatments))


def verdict_on(store: Store, lesson: Lesson) -> LessonVerdict | None:
    """The verdict on a lesson with its current text; None if it has no units."""
    all_treatments = store.units.treatments(_whole(lesson.scope.tenant, EPOCH))
    wanted = lesson.id, wording_of(lesson)
    matching = [
        treatment for treatment in all_treatments if (treatment.lesson, treatment.wording) == wanted
    ]
    if not matching:
        return None
    verdict = next(judging.verdicts(matching, judging.prior_of(all_treatments)))
    return lesson_verdict(verdict, lesson)


def lesson_verdict(verdict: Verdict, lesson: Lesson) -> LessonVerdict:
    """A verdict in the form that reports show."""
    helps, arms = round(verdict.belief.helps, 4), verdict.treatment.arms
    names = lesson.id, lesson.situation, verdict.words
    return LessonVerdict(*names, helps, *arms[:4], is_retired(lesson))


def review(store: Store, tenant: str, *, share: float, now: datetime) -> Review:
    """Retire lessons that hardly help, restore others, and lower the share once help is proven."""
    judged = [
        (verdict, lesson)
        for verdict in verdicts(store, _whole(tenant, EPOCH))
        if (lesson := current(store, verdict.treatment)) is not None
    ]
    recent = store.units.treatments(_whole(tenant, now - _RECENT))
    recently_shown = {treatment.lesson for treatment in recent if treatment.arms.shown}
    retirement = judging.to_retire(
        verdict
        for verdict, lesson in judged
        if (lesson.id in recently_shown or is_retired(lesson))
        and not evidence_of(lesson, Kind.APPROVED)
    )
    changed = [pair for pair in judged if (pair[1].id in retirement.lessons) != is_retired(pair[1])]
    with store.together():
        for verdict, lesson in changed:
            _change(store, lesson, verdict, now)
    retired = tuple(lesson.id for _, lesson in changed if lesson.id in retirement.lessons)
    returned = tuple(lesson.id for _, lesson in changed if lesson.id not in retirement.lessons)
    return Review(retired, returned, _lower_share(store, tenant, share))


def current(store: Store, treatment: Treatment) -> Lesson | None:
    """The lesson of a treatment; None if it was deleted, is inactive or was reworded since."""
    try:
        lesson = store.lessons.get(treatment.scope, treatment.lesson)
    except NotFound:
        return None
    return lesson if lesson.is_active and wording_of(lesson) == treatment.wording else None


def _change(store: Store, lesson: Lesson, verdict: Verdict, now: datetime) -> None:
    """Retire or restore a lesson, with a note in its history and its evidence."""
    reason = f"the chance that it helps is {verdict.belief.helps:.0%} after {verdict.units} runs"
    if is_retired(lesson):
        act, piece = RETURN, Evidence(Kind.NOTE, f"came back: {reason}", now.timestamp())
    else:
        wording = verdict.treatment.wording
        act, piece = RETIRE, Evidence(Kind.RETIRED, f"{wording}: {reason}", now.timestamp())
    store.history.note(Change(lesson, act, now))
    cleared = without_evidence(lesson, Kind.RETIRED)
    store.lessons.update(cleared._replace(evidence=join_evidence(cleared.evidence, [piece])))


def _lower_share(store: Store, tenant: str, share: float) -> float | None:
    """Lower the hold-out share if lessons are proven to help; the new share, None if unchanged."""
    current_share = store.units.share(tenant)
    low = min(share, LOW_SHARE)
    if current_share is not None and current_share <= low:
        return None
    pooled = effect(store.units.arms(_whole(tenant, EPOCH)))
    if pooled is None or not pooled.is_proven:
        return None
    store.units.set_share(tenant, low)
    return low


def _whole(tenant: str, since: datetime) -> Window:
    return Window(Scope(tenant), since, is_whole=True)
