"""Lessons that an agent reads outside the doors: lists, searches, a digest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hardwon.core.values.lesson import Status
from hardwon.engine.pipeline import inject, withhold

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hardwon.core.values.lesson import Lesson
    from hardwon.core.values.scope import Scope
    from hardwon.engine.runtime import Runtime
    from hardwon.storage.ports import Run

_DIGESTED = 50  # the most recently consulted lessons, from which a digest is made


def readable(
    engine: Runtime, scope: Scope, lessons: Sequence[Lesson], run: Run
) -> Sequence[Lesson]:
    """The lessons without those that the hold-out withholds from the run."""
    if engine.settings.proof.share or any(lesson.was_retired for lesson in lessons):
        return withhold.read_outside(lessons, engine.doors.delivering.coin(scope, run))
    return lessons


def digest(engine: Runtime, scope: Scope, run: Run, *, tokens: int) -> str:
    """A block of the lessons that were met most often."""
    recent = engine.store.lessons.recent(scope, status=Status.ACTIVE, limit=_DIGESTED)
    return inject.digest(readable(engine, scope, recent, run), budget=tokens)
