"""Recall: the few lessons that fit what is asked at a door, best first, or none."""

from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from hardwon.domain.delivery import Door
from hardwon.domain.recall import Match, Query
from hardwon.domain.scope import Scope

if TYPE_CHECKING:
    from hardwon.ports import LessonStore

_CANDIDATES = 30


class Ranked(NamedTuple):
    """A match with the score that decided its place."""

    match: Match
    score: float


def recall(
    query: Query, *, scope: Scope, lessons: "LessonStore", now: datetime, limit: int
) -> list[Ranked]:
    """At most `limit` lessons; nothing fits, nothing is said."""
    found = lessons.match(scope, query, now=now, limit=_CANDIDATES)
    ranked = [Ranked(match, score(match)) for match in found if fits(query.door, match)]
    ranked.sort(key=lambda one: (-one.score, one.match.lesson.id))
    return ranked[:limit]


def fits(door: str, match: Match) -> bool:
    """Whether the match is close enough to be worth the agent's attention at this door."""
    if door == Door.ACTION:
        return match.is_same_call
    if door == Door.ERROR:
        return match.is_same_failure
    return match.shared >= 2 or match.is_same_failure


def score(match: Match) -> float:
    """Relevance first; confidence and importance decide between equals."""
    exact = 10.0 * match.is_same_failure + 5.0 * match.is_same_call
    prior = 1 + 0.2 * match.lesson.confidence + 0.1 * match.lesson.importance
    return (exact + match.words) * prior
