"""Repeat: recognise a pending call that failed here last, and for which something else worked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hardwon.core.values.lesson import PREPARED, Fix, Lesson
from hardwon.knowledge.evidence.calls import calls_of, only_call
from hardwon.knowledge.evidence.keys import same_key
from hardwon.knowledge.evidence.wording import TRAIL, typed
from hardwon.knowledge.ranking.query import Query
from hardwon.knowledge.ranking.scores import Judged
from hardwon.knowledge.reading.mined_lesson import fixes_to_show

if TYPE_CHECKING:
    from datetime import datetime

    from hardwon.core.values.run import RunSoFar, Step
    from hardwon.core.values.scope import Scope
    from hardwon.knowledge.evidence.calls import Call
    from hardwon.storage.ports import LessonStore

_NEAREST = 4


def judged(
    pending: Step, past: RunSoFar, scope: Scope, lessons: LessonStore, now: datetime
) -> list[Judged]:
    """The lesson about a pending call that failed here last; a list of one or none."""
    call = only_call(pending)
    if call is None:
        return []
    key = same_key(call, past.task)
    query = Query("action", "", calls=(key,))
    for match in lessons.match(scope, query, now=now, limit=_NEAREST):
        if any(shared == key for shared, _ in match.calls):
            verdict = _verdict(match.lesson, call, past)
            return [Judged(match, 1.0, (("same call", 1.0),), verdict)]
    return []


def _verdict(lesson: Lesson, pending: Call, past: RunSoFar) -> str:
    """Why the lesson is not shown before the call; "" if it is."""
    shown = fixes_to_show(lesson.fixes)
    if not shown:
        return "nothing else is known to work"
    if lesson.id in past.warnings or any(past.has_met(kind) for kind in lesson.kinds):
        return "told in this run already"
    return "" if all(_says_otherwise(fix, pending, past) for fix in shown) else "it may work now"


def _says_otherwise(fix: Fix, pending: Call, past: RunSoFar) -> bool:
    """Whether a fix says that something else must be called, or first, and the run has not."""
    if fix.sort != TRAIL:
        return False  # a file was changed: the same call may work now
    _, *first = fix.key.split(PREPARED)
    if first:
        made = {call.program for step in past.steps for call in calls_of(step)}
        return made.isdisjoint(first)
    return pending.is_tool or typed(pending, past.task) != fix.call
