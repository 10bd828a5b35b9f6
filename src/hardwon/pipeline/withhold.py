"""Withhold: a coin decides which lessons a run is not shown, so that their effect is seen."""

from __future__ import annotations

from hardwon.proof.coin import toss
from hardwon.values.run import WITHHELD, Shown
from hardwon.values.unit import DOOR, Unit, family_of, is_retired, noted_as, wording_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime
    from typing import NamedTuple

    from hardwon.ports import HoldOut, Run
    from hardwon.ranking.scores import Judged
    from hardwon.values.lesson import Lesson
    from hardwon.values.scope import Scope
else:
    from hardwon._cold.namedtuple import NamedTuple


class Coin(NamedTuple):
    """How lessons are withheld from one run, and where both arms are noted."""

    units: HoldOut
    share: float  # that is set; a smaller one that the store knows holds
    scope: Scope
    run: Run
    now: datetime

    def shares(self, lessons: Iterable[Lesson]) -> list[float]:
        """From what share of the runs each lesson is withheld.

        A lesson that hardly helps is shown to few runs only, so that it can recover.
        """
        known = self.units.share(self.scope.tenant)
        usual = self.share if known is None else min(self.share, known)
        return [1 - self.share if is_retired(lesson) else usual for lesson in lessons]

    def side(self, salt: str, family: str) -> float:
        """The toss for a family, the same at all doors of the run."""
        return toss(salt, tenant=self.scope.tenant, run=self.run.name, family=family)


def shown(candidates: Sequence[Judged], door: str, coin: Coin) -> list[Judged]:
    """What the run may see of a block; both arms are noted."""
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

    It is unknown which run reads them. So no open unit of these lessons is counted.
    """
    families = sorted({family for lesson in lessons if (family := family_of(lesson))})
    if families and coin.share:
        coin.units.exclude(coin.scope, families, coin.now)
    return readable(lessons, coin)


def _note(candidates: Sequence[Judged], door: str, coin: Coin, visible: set[int]) -> None:
    """Log a unit for each family: its first lesson that is shown, or else its first."""
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
        coin.run.told((), "", Shown(noted_as(family), where, lesson.kinds))
