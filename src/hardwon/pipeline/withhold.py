"""Withhold: a coin decides which lessons a run is not shown, so that their effect is seen."""

from __future__ import annotations

from hardwon.proof.coin import is_withheld
from hardwon.values.run import Shown
from hardwon.values.unit import DOOR, Unit, noted_as

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime
    from typing import NamedTuple

    from hardwon.ports import HoldOut, Run
    from hardwon.values.lesson import Lesson
    from hardwon.values.scope import Scope
else:
    from hardwon._cold.namedtuple import NamedTuple

_PERSON = "person"


class Coin(NamedTuple):
    """How lessons are withheld, and where both arms are noted."""

    units: HoldOut
    share: float
    now: datetime


def shown(
    lessons: Iterable[Lesson], door: str, coin: Coin, run: Run, *, scope: Scope
) -> list[Lesson]:
    """The lessons without those that this run must not see; both arms are noted."""
    salt, kept = coin.units.salt(), []
    for lesson in lessons:
        family, names = _family(lesson), {"tenant": scope.tenant, "run": run.name}
        is_out = bool(family) and is_withheld(salt, **names, family=family, share=coin.share)
        if family:
            coin.units.log(Unit(scope, run.name, family, door, is_out, coin.share, coin.now))
            run.told((), "", Shown(noted_as(family), DOOR, lesson.kinds))
        if not is_out:
            kept.append(lesson)
    return kept


def _family(lesson: Lesson) -> str:
    """What shares a coin: all lessons about one kind of failure; "" for one always shown."""
    if lesson.guard or lesson.author == _PERSON or not lesson.kinds:
        return ""
    return lesson.kinds[0]
