"""Recall: the few lessons that fit what is asked at a door, best first, or none."""

from __future__ import annotations

from datetime import datetime

from hardwon.ranking.query import Query
from hardwon.ranking.scores import SPEAKS, UNKNOWN, WEIGHTS, Judged, Outlook, Weights, judge
from hardwon.values.delivery import Door
from hardwon.values.scope import Scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from hardwon.ports import LessonStore

_CANDIDATES, _AT_TURN = 30, 8  # a turn asks often, and has the usual ones besides


def weigh(
    query: Query,
    *,
    scope: Scope,
    lessons: LessonStore,
    now: datetime,
    limit: int,
    outlook: Outlook = UNKNOWN,
    weights: Weights = WEIGHTS,
) -> list[Judged]:
    """Every candidate with its score, best first, and why it is not shown, if it is not.

    At most `limit` are.
    """
    most = _AT_TURN if query.door == Door.TURN else _CANDIDATES
    found = lessons.match(scope, query, now=now, limit=most)
    judged = [judge(query, match, outlook=outlook, now=now, by=weights) for match in found]
    judged.sort(key=lambda one: (bool(one.verdict), -one.score, -one.match.lesson.id))
    if query.door == Door.ERROR:
        judged = _of_one_kind(judged, weights.beside)
    return _within(judged, limit)


def shown(found: Iterable[Judged]) -> list[Judged]:
    """Those that are shown; nothing fits, nothing is said."""
    return [one for one in found if not one.verdict]


def _of_one_kind(found: list[Judged], least: float) -> list[Judged]:
    """Lessons of the very failure and one that clearly speaks of it, or else the best of those."""
    own = [one for one in found if one.match.is_same_kind]
    own = own or [one for one in found if one.match.is_same_failure]
    if any(one.match.lesson.is_active for one in own):
        floor = min(least, max(map(_speaks, own)))
        beside = [one for one in shown(found) if one not in own and _speaks(one) > floor][:1]
        kept = [*own, *beside]
        return [one if one in kept else _hidden(one, "its own lesson is there") for one in found]
    others = [one for one in found if one not in own]
    if not shown(others):
        return found
    hidden = [one._replace(verdict="no fix is known, and another may help") for one in own]
    return [*others[:1], *(_hidden(one, "fits less well") for one in others[1:]), *hidden]


def _speaks(one: Judged) -> float:
    return 10 * dict(one.parts).get(SPEAKS, 0.0)


def _hidden(one: Judged, why: str) -> Judged:
    """The same, not shown for this reason unless it has another."""
    return one if one.verdict else one._replace(verdict=why)


def _within(found: Iterable[Judged], limit: int) -> list[Judged]:
    """The same, where those beyond the limit and repeats of better ones are marked."""
    shown: dict[str, int] = {}
    marked: list[Judged] = []
    for one in found:
        if one.verdict or len(shown) >= limit:
            marked.append(one if one.verdict else one._replace(verdict=f"only {limit} are shown"))
            continue
        said = " ".join(one.match.lesson.correction.lower().split())
        twin = shown.setdefault(said, one.match.lesson.id)
        if twin != one.match.lesson.id:
            one = one._replace(verdict=f"says the same as #{twin}")
        marked.append(one)
    return marked
