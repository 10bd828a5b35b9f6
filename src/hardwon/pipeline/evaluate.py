"""Evaluate: what the hold-out shows about each lesson, and what follows from it."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple

from hardwon.errors import NotFound
from hardwon.proof import verdicts as judging
from hardwon.proof.effect import effect
from hardwon.values.evidence import Evidence, Kind, joined
from hardwon.values.history import RETIRE, RETURN, Change
from hardwon.values.lesson import EPOCH
from hardwon.values.provenance import marks, without
from hardwon.values.report import LessonVerdict, Window
from hardwon.values.scope import Scope
from hardwon.values.unit import is_retired, wording_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from hardwon.ports import Store
    from hardwon.proof.arms import Treatment
    from hardwon.proof.verdicts import Verdict
    from hardwon.values.lesson import Lesson

LOW_SHARE = 0.025  # of the runs, once it is proven that lessons help
_RECENT = timedelta(days=30)  # a lesson that was not shown for this long costs nothing


class Review(NamedTuple):
    """What a look at all lessons of a tenant has changed."""

    retired: tuple[int, ...] = ()
    returned: tuple[int, ...] = ()
    share: float | None = None  # that is in force from now on, if it fell


def verdicts(store: Store, window: Window) -> Iterator[Verdict]:
    """What is believed about the lessons of a window's scopes, those with most units first.

    All units that they ever had count.
    """
    every = store.units.treatments(_whole(window.scope.tenant, EPOCH))
    own = every if window.is_whole else store.units.treatments(window._replace(since=EPOCH))
    order = sorted(own, key=lambda treatment: (-treatment.arms.units, treatment.lesson))
    return judging.verdicts(order, judging.prior_of(every))


def verdict_on(store: Store, lesson: Lesson) -> LessonVerdict | None:
    """What is believed about a lesson in its words of now; None without a unit."""
    every = store.units.treatments(_whole(lesson.scope.tenant, EPOCH))
    asked = lesson.id, wording_of(lesson)
    own = [treatment for treatment in every if (treatment.lesson, treatment.wording) == asked]
    if not own:
        return None
    verdict = next(judging.verdicts(own, judging.prior_of(every)))
    return lesson_verdict(verdict, lesson)


def lesson_verdict(verdict: Verdict, lesson: Lesson) -> LessonVerdict:
    """A verdict as people read it."""
    helps, arms = round(verdict.belief.helps, 4), verdict.treatment.arms
    names = lesson.id, lesson.situation, verdict.words
    return LessonVerdict(*names, helps, *arms[:4], is_retired(lesson))


def review(store: Store, tenant: str, *, share: float, now: datetime) -> Review:
    """Retire the lessons that hardly help, let others come back, and lower the share if proven."""
    judged = [
        (verdict, lesson)
        for verdict in verdicts(store, _whole(tenant, EPOCH))
        if (lesson := current(store, verdict.treatment)) is not None
    ]
    recent = store.units.treatments(_whole(tenant, now - _RECENT))
    costly = {treatment.lesson for treatment in recent if treatment.arms.shown}
    chosen = judging.to_retire(
        verdict
        for verdict, lesson in judged
        if (lesson.id in costly or is_retired(lesson)) and not marks(lesson, Kind.APPROVED)
    )
    changed = [pair for pair in judged if (pair[1].id in chosen.lessons) != is_retired(pair[1])]
    with store.together():
        for verdict, lesson in changed:
            _change(store, lesson, verdict, now)
    gone = tuple(lesson.id for _, lesson in changed if lesson.id in chosen.lessons)
    back = tuple(lesson.id for _, lesson in changed if lesson.id not in chosen.lessons)
    return Review(gone, back, _lowered(store, tenant, share))


def current(store: Store, treatment: Treatment) -> Lesson | None:
    """The lesson that was tried, unless it is gone or says something else by now."""
    try:
        lesson = store.lessons.get(treatment.scope, treatment.lesson)
    except NotFound:
        return None
    return lesson if lesson.is_active and wording_of(lesson) == treatment.wording else None


def _change(store: Store, lesson: Lesson, verdict: Verdict, now: datetime) -> None:
    """Retire a lesson, or let it come back; its history and its story tell."""
    reason = f"the chance that it helps is {verdict.belief.helps:.0%} after {verdict.units} runs"
    if is_retired(lesson):
        act, piece = RETURN, Evidence(Kind.NOTE, f"came back: {reason}", now.timestamp())
    else:
        wording = verdict.treatment.wording
        act, piece = RETIRE, Evidence(Kind.RETIRED, f"{wording}: {reason}", now.timestamp())
    store.history.note(Change(lesson, act, now))
    cleared = without(lesson, Kind.RETIRED)
    store.lessons.update(cleared._replace(evidence=joined(cleared.evidence, [piece])))


def _lowered(store: Store, tenant: str, share: float) -> float | None:
    """The share once the lessons are proven to help; None to leave it as it is."""
    known = store.units.share(tenant)
    low = min(share, LOW_SHARE)
    if known is not None and known <= low:
        return None
    pooled = effect(store.units.arms(_whole(tenant, EPOCH)))
    if pooled is None or not pooled.is_proven:
        return None
    store.units.set_share(tenant, low)
    return low


def _whole(tenant: str, since: datetime) -> Window:
    return Window(Scope(tenant), since, is_whole=True)
