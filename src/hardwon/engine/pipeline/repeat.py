"""Repeat: recognise a pending call that failed here last, and for which something else worked."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import TYPE_CHECKING

from hardwon.core.values.lesson import EDITED, PREPARED, Fix, Lesson, Status
from hardwon.core.values.run import EndedRun, RunSoFar, Step, Trigger
from hardwon.core.values.scope import Scope
from hardwon.knowledge.evidence.calls import calls_of, only_call
from hardwon.knowledge.evidence.common import READERS
from hardwon.knowledge.evidence.inner import same_key
from hardwon.knowledge.evidence.wording import TRAIL, Seen, show_call
from hardwon.knowledge.ranking.query import Query
from hardwon.knowledge.ranking.scores import Judged
from hardwon.knowledge.reading.mined_lesson import fixes_to_show
from hardwon.storage.ports import LessonStore

if TYPE_CHECKING:
    from hardwon.knowledge.evidence.calls import Call

_NEAREST = 4
_SURE = 2  # runs that show something which one run may show by chance


def judge_call(
    pending: Step,
    past: RunSoFar,
    scope: Scope,
    lessons: LessonStore,
    *,
    now: datetime,
    earlier: Callable[[], Iterable[EndedRun]],
) -> list[Judged]:
    """The lesson about a pending call that failed here last; a list of one or none.

    `earlier` gives the kept runs of the project; it is asked only if there is such a lesson.
    """
    call = only_call(pending)
    if call is None:
        return []
    key = same_key(call, past.task)
    query = Query("action", "", calls=(key,))
    for match in lessons.match(scope, query, now=now, limit=_NEAREST):
        if any(shared == key for shared, _ in match.calls):
            verdict = _verdict(match.lesson, call, past)
            if not verdict and _may_work(call, match.lesson, earlier()):
                verdict = "it has worked here, too"
            return [Judged(match, 1.0, (("same call", 1.0),), verdict)]
    return []


def _verdict(lesson: Lesson, pending: Call, past: RunSoFar) -> str:
    """Why the lesson is not shown before the call; "" if it is."""
    shown = fixes_to_show(lesson.fixes)
    if not shown:
        return "nothing else is known to work"
    if lesson.id in past.warnings or any(past.has_met(kind) for kind in lesson.kinds):
        return "told in this run already"
    # one session may show it by chance, but a person who read it has chosen it
    sure = 1 if lesson.trigger == Trigger.SESSION and lesson.status == Status.PROVEN else _SURE
    says_otherwise = all(_says_otherwise(fix, pending, past, sure=sure) for fix in shown)
    return "" if says_otherwise else "it may work now"


def _may_work(pending: Call, lesson: Lesson, earlier: Iterable[EndedRun]) -> bool:
    """Whether the same call worked in a kept run, and has failed in fewer than two since.

    Then what it meets depends on more than the call. A success after the calls that the fix names
    does not count.
    """
    first = {program for fix in lesson.fixes for program in fix.key.split(PREPARED)[1:]}
    has_worked, failures = False, 0
    for run in earlier:
        key, is_prepared = same_key(pending, run.task), False
        ended = list[bool]()  # whether each of these calls failed
        for step in run.steps:
            made = calls_of(step)
            if any(same_key(call, run.task) == key for call in made):
                ended += [] if is_prepared and not step.failed else [step.failed]
            is_prepared = is_prepared or any(call.program in first for call in made)
        has_worked = has_worked or False in ended
        failures = 0 if False in ended else failures + (True in ended)
    return has_worked and failures < _SURE


def _says_otherwise(fix: Fix, pending: Call, past: RunSoFar, *, sure: int) -> bool:
    """Whether a fix says that something else must be called, or first, and the run has not.

    What must be called first counts when it helped in `sure` runs.
    """
    if fix.sort != TRAIL or fix.failed or not _is_about(fix, pending):
        return False  # a file was changed, or the goal, or it did not always help
    _, *first = fix.key.split(PREPARED)
    if first:
        if fix.worked < sure or EDITED in fix.key or READERS.issuperset(filter(None, first)):
            return False  # the files may be right now, or nothing was called
        made = {call.program for step in past.steps for call in calls_of(step)}
        return made.isdisjoint(first)
    if pending.is_tool:
        return True
    return _words(show_call(pending, Seen(past.task))) != _words(fix.call)


def _is_about(fix: Fix, pending: Call) -> bool:
    """Whether a fix was found for a call of the same kind: others may end in the same words."""
    if pending.is_tool or not fix.mistake:
        return not fix.mistake or fix.mistake.partition("(")[0] == pending.program
    calls = calls_of(Step("bash", fix.mistake))
    return bool(calls) and calls[-1].kind.split()[:2] == pending.kind.split()[:2]


def _words(call: str) -> list[str]:
    return [word.removeprefix("./") for word in call.split()]
