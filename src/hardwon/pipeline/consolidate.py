"""Consolidate: the same failure met again strengthens its lesson instead of adding another."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hardwon.failures.signature import fold
from hardwon.ranking.query import Query, query, terms
from hardwon.values.evidence import Kind
from hardwon.values.lesson import MINED, Status
from hardwon.values.provenance import marked

if TYPE_CHECKING:
    from datetime import datetime

    from hardwon.ports import LessonStore
    from hardwon.values.lesson import Lesson

_LOOKED_AT, _NEAREST = 20, 5
_TELLING, _REACH = 24, 200  # a near-duplicate shares nearly all words: few of them tell
_SAME = 0.85
_UNSURE = 0.5  # a lesson less sure than this names no fix of its own


def consolidate(lesson: Lesson, *, lessons: LessonStore, now: datetime) -> Lesson:
    """Store the lesson, or add its evidence to the one that already says it."""
    lesson = lesson._replace(created_at=now, updated_at=now, last_seen_at=now)
    for known in _same_failure(lesson, lessons, now):
        if lesson.evidence and set(lesson.evidence) <= set(known.evidence):
            return known
        if known.origin == MINED:
            return _worded(known, lesson, lessons, now)
        if agrees(known, lesson):
            grown = known.met_again(lesson, now)
            lessons.update(grown)
            return grown
    return _kept(lesson._replace(met=max(1, lesson.met)), lessons, now)


def _kept(lesson: Lesson, lessons: LessonStore, now: datetime) -> Lesson:
    """Added, unless it is said already; one that says something else about the same is marked."""
    for known in _alike(lesson, lessons, now):
        if likeness(known.correction, lesson.correction) >= _SAME:
            if lesson.evidence and set(lesson.evidence) <= set(known.evidence):
                return known
            grown = known.met_again(lesson, now)
            lessons.update(grown)
            return grown
        lesson = marked(lesson, Kind.DIFFERS, known.id)
    return lessons.add(lesson)


def likeness(one: str, other: str) -> float:
    """The share of words that two texts have in common, of all their words."""
    return _in_common(set(terms(one)), set(terms(other)))


def _in_common(mine: set[str], yours: set[str]) -> float:
    return len(mine & yours) / max(1, len(mine | yours))


def _alike(lesson: Lesson, lessons: LessonStore, now: datetime) -> list[Lesson]:
    """Lessons of the same scope about nearly the same situation."""
    if lesson.signatures:  # then the failure tells which lesson is the same
        return []
    asked = query("turn", f"{lesson.situation} {lesson.correction}", reach=_REACH)
    longest = sorted(asked.terms, key=len, reverse=True)[:_TELLING]
    asked = asked._replace(terms=tuple(longest))
    found = (match.lesson for match in lessons.match(lesson.scope, asked, now=now, limit=_NEAREST))
    mine = set(terms(lesson.situation))
    return [
        known
        for known in found
        if known.scope == lesson.scope
        and not known.signatures
        and _in_common(mine, set(terms(known.situation))) >= _SAME
    ]


def _worded(mined: Lesson, lesson: Lesson, lessons: LessonStore, now: datetime) -> Lesson:
    """The lesson that words a mined one; what was mined is kept beside it, out of use."""
    if lesson.confidence < mined.confidence:
        lesson = lesson._replace(correction=mined.correction, confidence=mined.confidence)
    grown = mined.met_again(lesson._replace(calls=() if mined.calls else lesson.calls), now)
    kept = lessons.add(
        lesson._replace(
            met=grown.met, calls=grown.calls, signatures=grown.signatures, evidence=grown.evidence
        )
    )
    lessons.update(mined._replace(status=Status.SUPERSEDED, updated_at=now))
    return kept


def agrees(known: Lesson, other: Lesson) -> bool:
    """Whether the other says what the known one says, or nothing of its own."""
    if other.confidence < _UNSURE:
        return True
    return fold(known.correction).lower() == fold(other.correction).lower()


def _same_failure(lesson: Lesson, lessons: LessonStore, now: datetime) -> list[Lesson]:
    asked = [Query("error", "", signature=digest) for digest in lesson.signatures]
    return [
        match.lesson
        for query in asked
        for match in lessons.match(lesson.scope, query, now=now, limit=_LOOKED_AT)
        if match.lesson.scope == lesson.scope
    ]
