"""Consolidate: the same failure met again strengthens its lesson instead of adding another."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hardwon.domain.lesson import MINED, Status
from hardwon.domain.recall import Query
from hardwon.domain.signature import fold

if TYPE_CHECKING:
    from datetime import datetime

    from hardwon.domain.lesson import Lesson
    from hardwon.ports import LessonStore

_LOOKED_AT = 20
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
    return lessons.add(lesson._replace(met=max(1, lesson.met)))


def _worded(mined: Lesson, lesson: Lesson, lessons: LessonStore, now: datetime) -> Lesson:
    """The lesson that words a mined one; what was mined is kept beside it, out of use."""
    if lesson.confidence < mined.confidence:
        lesson = lesson._replace(correction=mined.correction, confidence=mined.confidence)
    grown = mined.met_again(lesson, now)
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
