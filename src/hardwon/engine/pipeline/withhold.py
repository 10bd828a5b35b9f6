"""Withhold: a coin decides which lessons a run does not see, so that effects can be measured."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from hardwon.core.values.delivery import DOOR, Unit, family_of, is_retired, unit_name, wording_of
from hardwon.core.values.run import WITHHELD, Shown
from hardwon.knowledge.proof.effect import toss

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from hardwon.core.values.lesson import Lesson
    from hardwon.core.values.scope import Scope
    from hardwon.knowledge.ranking.scores import Judged
    from hardwon.storage.ports import Run
    from hardwon.storage.sql.logs import SqlUnits


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
