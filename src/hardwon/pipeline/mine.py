"""Mine: failures and what cured them, learnt from the steps of runs. No model is asked.

The first failure of a kind opens a lesson. Each further run that meets it is counted, and every
fix that a run shows goes on the lesson's record. The record decides whether the lesson is seen,
candidate or proven.
"""

from __future__ import annotations

from hardwon.failures import lesson_text
from hardwon.failures.fixes import fixes_shown, proves, was_applied
from hardwon.failures.mined_lesson import met_again, opened, with_case, with_tried
from hardwon.text.injection import suspicion
from hardwon.values.failure import Failure
from hardwon.values.fix import with_failure, with_success

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from hardwon.pipeline.scope_memory import Memory
    from hardwon.values.episode import Episode
    from hardwon.values.fix import Fix
    from hardwon.values.lesson import Lesson
    from hardwon.values.run import RunSoFar
    from hardwon.values.step import Step

_CALLS = {"call", "preparation"}  # sorts of fixes that a call applies for sure


def failed(step: Step, past: RunSoFar, memory: Memory, *, counted: Fix | None = None) -> list[str]:
    """Count a failure and the fixes that did not prevent it; returns marks to count once a run.

    `counted`: a fix that no run shows by itself, but many runs together.
    """
    failure = step.failure
    if failure is None or not failure.is_telling:
        return []  # it cannot be told from others
    known = memory.about(failure)
    if known is None:
        memory.lessons.add(memory.screen(opened(step, failure, memory.scope, memory.now)))
        return []
    lesson = known
    if not past.has_met(failure.kind):
        fixes = known.fixes if counted is None else with_success(known.fixes, counted)
        lesson = met_again(known._replace(fixes=fixes), step, failure, past, memory.now)
    lesson = with_tried(lesson, step, failure, past, memory.now)
    vain = _in_vain(lesson, step, failure, past)
    for fix in vain.values():
        lesson = lesson._replace(fixes=with_failure(lesson.fixes, fix.key))
    if lesson is not known:
        memory.keep(lesson_text.settled(lesson))
    return list(vain)


def worked(step: Step, past: RunSoFar, memory: Memory) -> list[str]:
    """Record the fixes that this step shows or applies; returns marks to count once a run."""
    counted = shown(step, past, memory)
    return counted + _applied(step, past, memory, counted) + _unneeded(step, past, memory)


def shown(step: Step, past: RunSoFar, memory: Memory) -> list[str]:
    """Record the fixes that this step shows; a failing step may show the fix of another failure."""
    steps = (*past.steps, step)
    counted: list[str] = []
    for place, fix in fixes_shown(steps):
        failure = steps[place].failure
        lesson = memory.about(failure) if failure and failure.is_telling else None
        if suspicion(f"{fix.mistake}\n{fix.text}"):
            continue  # one run's text may not put what others have shown under quarantine
        if lesson and failure and (mark := _mark(failure.kind, fix)) not in past.counted:
            lesson = with_case(lesson, steps, place, memory.now)
            memory.keep(lesson_text.succeeded(lesson, fix))
            counted.append(mark)
    return counted


def _applied(step: Step, past: RunSoFar, memory: Memory, counted: Sequence[str]) -> list[str]:
    """Fixes that the run was shown, applied, and that worked."""
    marks: list[str] = []
    for lesson in memory.shown(past.told) if past.told else ():
        kind = lesson.kinds[0] if lesson.kinds else ""
        for fix in lesson.fixes:
            mark = _mark(kind, fix)
            is_weak = fix.sort not in _CALLS and not _is_new_after(fix, kind, past)
            if is_weak or mark in past.counted or mark in counted or not proves(fix, step):
                continue
            lesson = lesson_text.succeeded(lesson, fix)
            memory.keep(lesson)
            marks.append(mark)
    return marks


def learnt(marks: Iterable[str], memory: Memory) -> str:
    """One line about a fix that no run had shown before; "" without such a fix."""
    for mark in marks:
        name, kind, key = (*mark.split(" ", 2), "", "")[:3]
        is_fix = name == "worked" and kind
        lesson = memory.about(Failure("", kind, "", "")) if is_fix else None
        for fix in lesson.fixes if lesson else ():
            if lesson and fix.key == key and fix.worked == 1:
                return lesson_text.learnt_line(fix, lesson.met)
    return ""


def _is_new_after(fix: Fix, kind: str, past: RunSoFar) -> bool:
    """Whether the run has failed this way without the fix."""
    last = past.last_failing(kind)
    return last is not None and not was_applied(fix, past.steps[: last + 1])


def _unneeded(step: Step, past: RunSoFar, memory: Memory) -> list[str]:
    """Fixes by another tool that a run did without: the failing tool worked with other values."""
    marks: list[str] = []
    for at, failing in enumerate(past.steps if step.args.startswith("{") else ()):
        failure = failing.failure if failing.tool == step.tool else None
        lesson = memory.about(failure) if failure else None
        if failure is None or lesson is None:
            continue
        used = {later.tool for later in past.steps[at:]}
        for fix in lesson.fixes:
            mark = _vain(failure.kind, fix)
            if fix.sort == "tool" and fix.call not in used and mark not in {*past.counted, *marks}:
                lesson = lesson._replace(fixes=with_failure(lesson.fixes, fix.key))
                memory.keep(lesson_text.settled(lesson))
                marks.append(mark)
    return marks


def _in_vain(lesson: Lesson, step: Step, failure: Failure, past: RunSoFar) -> dict[str, Fix]:
    """The fixes that this run had applied when the failure came all the same."""
    return {
        mark: fix
        for fix in lesson.fixes
        if past.counted.isdisjoint((mark := _vain(failure.kind, fix), _mark(failure.kind, fix)))
        and was_applied(fix, (*past.steps, step))
    }


def _mark(kind: str, fix: Fix) -> str:
    return f"worked {kind} {fix.key}"


def _vain(kind: str, fix: Fix) -> str:
    return f"vain {kind} {fix.key}"


def add_case(episode: Episode, memory: Memory) -> None:
    """Put the failures of a run that no rule found a fix for before a model."""
    seen: set[str] = set()
    for at, step in enumerate(episode.steps):
        failure = step.failure if step.failed else None
        if failure is None or failure.kind in seen:
            continue
        seen.add(failure.kind)
        lesson = memory.about(failure)
        if lesson is not None and not lesson.fixes:
            memory.keep(with_case(lesson, episode.steps, at, memory.now))
