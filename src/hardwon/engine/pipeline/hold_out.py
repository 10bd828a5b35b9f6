"""The hold-out: which lessons a run does not see, and what that says about each lesson.

A coin decides what is withheld, so that effects can be measured; a lesson that hardly helps is
retired, and restored if it proves itself again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from hardwon.core.errors import NotFound
from hardwon.core.values.delivery import DOOR, Unit, family_of, is_retired, unit_name, wording_of
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
from hardwon.core.values.run import WITHHELD, Shown
from hardwon.core.values.scope import Scope
from hardwon.knowledge.proof import verdicts as judging
from hardwon.knowledge.proof.effect import effect, toss
from hardwon.knowledge.ranking.scores import Judged
from hardwon.storage.ports import Run, Store
from hardwon.storage.sql.logs import SqlUnits

if TYPE_CHECKING:
    from hardwon.knowledge.proof.effect import Treatment
    from hardwon.knowledge.proof.verdicts import Verdict


class Coin(NamedTuple):
    """How lessons are withheld from one run, and where shown and withheld ones are logged."""

    units: SqlUnits
    share: float  # the configured share; a smaller one in the store takes precedence
    scope: Scope
    run: Run
    now: datetime

    def shares(self, lessons: Iterable[Lesson]) -> list[float]:
        """The share of runs that each lesson is withheld from.

        A retired lesson is still shown to a few runs, so that it can prove itself again.
        """
        stored = self.units.share(self.scope.tenant)
        usual = self.share if stored is None else min(self.share, stored)
        return [1 - self.share if is_retired(lesson) else usual for lesson in lessons]

    def side(self, salt: str, family: str) -> float:
        """The toss for a family in 0 … 1; the same at all doors of the run."""
        return toss(salt, tenant=self.scope.tenant, run=self.run.name, family=family)


def choose_shown(candidates: Sequence[Judged], door: str, coin: Coin) -> list[Judged]:
    """The candidates that the run may see; shown and withheld ones are logged."""
    lessons = [candidate.match.lesson for candidate in candidates]
    visible = {lesson.id for lesson in readable(lessons, coin)}
    if coin.share:
        _note(candidates, door, coin, visible)
    return [candidate for candidate in candidates if candidate.match.lesson.id in visible]


def readable(lessons: Sequence[Lesson], coin: Coin) -> list[Lesson]:
    """The lessons without those that this run must not see."""
    salt, visible = coin.units.salt(), []
    for lesson, share in zip(lessons, coin.shares(lessons), strict=True):
        family = family_of(lesson)
        if not family or coin.side(salt, family) >= share:
            visible.append(lesson)
    return visible


def read_outside(lessons: Sequence[Lesson], coin: Coin) -> list[Lesson]:
    """The lessons that may be read outside the doors.

    Which run reads them is unknown, so open units of these lessons are excluded.
    """
    families = sorted({family for lesson in lessons if (family := family_of(lesson))})
    if families and coin.share:
        coin.units.exclude(coin.scope, families, coin.now)
    return readable(lessons, coin)


def _note(candidates: Sequence[Judged], door: str, coin: Coin, visible: set[int]) -> None:
    """Log one unit per family: for its first visible lesson, or else its first lesson."""
    lessons = [candidate.match.lesson for candidate in candidates]
    shares, noted = coin.shares(lessons), set[str]()
    order = sorted(range(len(candidates)), key=lambda at: (lessons[at].id not in visible, at))
    for at in order:
        lesson, family = lessons[at], family_of(lessons[at])
        if not family or family in noted:
            continue
        noted.add(family)
        is_out = lesson.id not in visible
        place = at + 1, round(candidates[at].score, 4)
        facts = family, door, is_out, shares[at], coin.now, lesson.id, wording_of(lesson)
        coin.units.log(Unit(coin.scope, coin.run.name, *facts, *place))
        where = WITHHELD if is_out else DOOR
        coin.run.note_shown((), "", Shown(unit_name(family), where, lesson.kinds))


LOW_SHARE = 0.025  # the hold-out share once it is proven that lessons help
_RECENT = timedelta(days=30)  # a lesson not shown for this long is not worth retiring


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


def review(store: Store, tenant: str, *, share: float, now: datetime) -> None:
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
    low, stored = min(share, LOW_SHARE), store.units.share(tenant)
    if stored is None or stored > low:
        pooled = effect(store.units.arms(_whole(tenant, EPOCH)))
        if pooled is not None and pooled.is_proven:
            store.units.set_share(tenant, low)


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


def _whole(tenant: str, since: datetime) -> Window:
    return Window(Scope(tenant), since, is_whole=True)
