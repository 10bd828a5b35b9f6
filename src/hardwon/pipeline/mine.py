"""Mine: a failure opens a lesson, and the later call that works fills in its correction.

No model is asked. A model that reflects on the run later words the lesson better.
"""

from __future__ import annotations

from hardwon.failures import call_context
from hardwon.failures.call_keys import call_shape
from hardwon.failures.later_call import find_fix, has_fields, is_search_miss
from hardwon.failures.sentences import fails_with, quoted, way_around
from hardwon.failures.signature import error_line, failure_of
from hardwon.ranking.query import Query
from hardwon.text.clean import clip, one_line
from hardwon.text.quoting import quotable
from hardwon.values.episode import Trigger
from hardwon.values.evidence import Evidence, Kind
from hardwon.values.lesson import MINED, Lesson, clean_tags

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from hardwon.ports import LessonStore
    from hardwon.values.scope import Scope
    from hardwon.values.step import Step

AUTHOR = "rules"
OPEN, FILLED = 0.3, 0.8  # confidence before and after a way around was seen
_ERROR, _LINE = 300, 120
_LAST_LINES = 3
_LOOKED_BACK = 12  # steps between a failure and its repair


def failed(
    step: Step,
    *,
    scope: Scope,
    before: Sequence[Step],
    lessons: LessonStore,
    screen: Callable[[Lesson], Lesson],
    now: datetime,
) -> None:
    """Open a lesson for this failure, or add the meeting to the one there is."""
    if not error_line(step.output) or is_search_miss(step):
        return  # a failure without a word teaches nothing
    digest = failure_of(step)
    if any(one.failed and failure_of(one) == digest for one in before):
        return  # the run has counted it already
    known = _about(digest, scope, lessons, now)
    fresh = opened(step, before, scope, now)
    if known is None:
        lessons.add(screen(fresh))
    else:
        lessons.update(screen(known.met_again(fresh, now)))


def worked(
    step: Step,
    *,
    scope: Scope,
    before: Sequence[Step],
    lessons: LessonStore,
    screen: Callable[[Lesson], Lesson],
    now: datetime,
) -> None:
    """Fill in what worked where a lesson of this run is still open."""
    recent = [*before[-_LOOKED_BACK:], step]
    for place, failure in enumerate(recent[:-1]):
        fix = find_fix(recent, place) if failure.failed else None
        if fix is None or fix.at != len(recent) - 1:
            continue  # not repaired by this step, or by an earlier one
        known = _about(failure_of(failure), scope, lessons, now)
        if known is None or known.author != AUTHOR or known.confidence >= FILLED:
            continue
        filled = known._replace(correction=way_around(failure, fix), confidence=FILLED)
        lessons.update(screen(filled._replace(updated_at=now)))


def opened(step: Step, before: Sequence[Step], scope: Scope, now: datetime) -> Lesson:
    """The lesson of a failure whose repair is not known yet."""
    error, digest = error_line(step.output), failure_of(step)
    call, said = quoted(step), clip(one_line(error), _ERROR)
    keys = call_context.keys(call_context.blamed(step.tool, step.args, error, before))
    return Lesson(
        scope=scope,
        situation=f"When you would {'use' if has_fields(step) else 'run'} {call}",
        mistake=f"{call} failed: {quotable(error)}".rstrip(": "),
        correction=f"{fails_with(error)}; no way around it is known yet.",
        tags=clean_tags((step.tool, call_shape(step.tool, step.args).split(" ")[0])),
        trigger=Trigger.ERROR,
        signatures=(digest,),
        calls=keys,
        evidence=(Evidence(Kind.MET, _met(step, said), now.timestamp()),),
        origin=MINED,
        author=AUTHOR,
        job=f"{MINED}:{digest}",
        confidence=OPEN,
        created_at=now,
        updated_at=now,
        last_seen_at=now,
    )


def _about(digest: str, scope: Scope, lessons: LessonStore, now: datetime) -> Lesson | None:
    """The lesson of this very scope about a failure."""
    found = lessons.match(scope, Query("error", "", signature=digest), now=now, limit=5)
    return next((match.lesson for match in found if match.lesson.scope == scope), None)


def _met(step: Step, said: str) -> str:
    lines = [line.strip() for line in step.output[-2000:].splitlines() if line.strip()]
    last = " / ".join(clip(one_line(line), _LINE) for line in lines[-_LAST_LINES:])
    return f"{quoted(step)} → {said} … {last}"
