"""Mine: learn failures and their fixes from the steps of runs. No model is asked.

The first failure of a kind creates a lesson. Each further run that meets it is counted, and every
fix that a run shows goes on the lesson's record. The record decides whether the lesson is seen,
candidate or proven.
"""

from __future__ import annotations

from hardwon._cold.lazy import lazy
from hardwon.values.failure import Failure
from hardwon.values.fix import UNCHANGED, with_failure, with_success, without_success

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from hardwon.failures import fix_unchanged, fixes, lesson_text, mined_lesson
    from hardwon.pipeline.scope_memory import Memory
    from hardwon.text import gate, injection
    from hardwon.values.episode import Episode
    from hardwon.values.fix import Fix
    from hardwon.values.lesson import Lesson
    from hardwon.values.run import RunSoFar
    from hardwon.values.step import Step
else:  # most steps show nothing, and a hook imports only what it uses
    fix_unchanged, fixes = lazy("hardwon.failures.fix_unchanged"), lazy("hardwon.failures.fixes")
    lesson_text = lazy("hardwon.failures.lesson_text")
    mined_lesson = lazy("hardwon.failures.mined_lesson")
    gate, injection = lazy("hardwon.text.gate"), lazy("hardwon.text.injection")

_CALLS = {"call", "preparation"}  # sorts of fixes that one call can surely be seen to apply


def failed(step: Step, past: RunSoFar, memory: Memory, *, counted: Fix | None = None) -> list[str]:
    """Count a failure and the fixes that did not prevent it; returns marks to count once per run.

    `counted`: a fix that only counts over many runs show.
    """
    failure = step.failure
    if failure is None or not failure.is_telling:
        return []  # too general to be recognised
    existing = memory.about(failure)
    if existing is None:
        memory.lessons.add(
            memory.screen(mined_lesson.opened(step, failure, memory.scope, memory.now))
        )
        return []
    lesson = existing
    if not past.has_met(failure.kind):
        cures = existing.fixes if counted is None else with_success(existing.fixes, counted)
        known = existing._replace(fixes=cures)
        lesson = mined_lesson.met_again(known, step, failure, past, memory.now)
    lesson = mined_lesson.with_tried(lesson, step, failure, past, memory.now)
    failed_fixes = _in_vain(lesson, step, failure, past)
    for fix in failed_fixes.values():
        lesson = lesson._replace(fixes=with_failure(lesson.fixes, fix.key))
    if lesson is not existing:
        memory.keep(lesson_text.settled(lesson))
    return list(failed_fixes)


def worked(step: Step, past: RunSoFar, memory: Memory) -> list[str]:
    """Record the fixes that this step shows or applies; returns marks to count once per run."""
    counted = shown(step, past, memory)
    counted += _applied(step, past, memory, counted)
    return counted + _unneeded(step, past, memory) + _withdrawn(step, past, memory)


def shown(step: Step, past: RunSoFar, memory: Memory) -> list[str]:
    """Record the fixes that this step shows; a failing step may show the fix of another failure."""
    steps = (*past.steps, step)
    counted: list[str] = []
    for place, fix in fixes.fixes_shown(steps) if past.steps else ():
        failure = steps[place].failure
        lesson = memory.about(failure) if failure and failure.is_telling else None
        if injection.suspicion(fix.mistake) or gate.objection(f"{fix.text}\n{fix.call}"):
            continue  # or one run's text could quarantine a lesson of many runs
        if lesson and failure and (mark := _mark(failure.kind, fix)) not in past.counted:
            lesson = mined_lesson.with_case(lesson, steps, place, memory.now)
            memory.keep(lesson_text.succeeded(lesson, fix))
            counted.append(mark)
    return counted


def _applied(step: Step, past: RunSoFar, memory: Memory, counted: Sequence[str]) -> list[str]:
    """Record fixes that the run was shown and that this step applied; returns their marks."""
    marks: list[str] = []
    for lesson in memory.shown(past.told) if past.told else ():
        kind = lesson.kinds[0] if lesson.kinds else ""
        for fix in lesson.fixes:
            mark = _mark(kind, fix)
            is_weak = fix.sort not in _CALLS and not _is_new_after(fix, kind, past)
            if is_weak or mark in past.counted or mark in counted or not fixes.proves(fix, step):
                continue
            lesson = lesson_text.succeeded(lesson, fix)
            memory.keep(lesson)
            marks.append(mark)
    return marks


def learnt(marks: Iterable[str], memory: Memory) -> str:
    """One line about a fix among the marks that was learnt just now; "" if there is none."""
    for mark in marks:
        name, kind, key = (*mark.split(" ", 2), "", "")[:3]
        is_worked_fix = name == "worked" and kind
        lesson = memory.about(Failure("", kind, "", "")) if is_worked_fix else None
        for fix in lesson.fixes if lesson else ():
            if lesson and fix.key == key and fix.worked == 1:
                return lesson_text.learnt_line(fix, lesson.met)
    return ""


def _is_new_after(fix: Fix, kind: str, past: RunSoFar) -> bool:
    """Whether the run has failed this way before it applied the fix."""
    last = past.last_failing(kind)
    return last is not None and not fixes.was_applied(fix, past.steps[: last + 1])


def _unneeded(step: Step, past: RunSoFar, memory: Memory) -> list[str]:
    """Record as failed the tool fixes that the run did not need; returns their marks.

    The failing tool worked with other arguments, and the tool of the fix was not used.
    """
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


def _withdrawn(step: Step, past: RunSoFar, memory: Memory) -> list[str]:
    """Take back “fails without your change too” of tests that this run has made pass."""
    marks: list[str] = []
    for failing in past.steps if fix_unchanged.is_green(step) else ():
        failure = failing.failure
        lesson = (
            memory.about(failure) if failure and fix_unchanged.is_repeated(failing, step) else None
        )
        if failure is None or lesson is None:
            continue
        for fix in lesson.fixes:
            mark = f"withdrawn {(counted := _mark(failure.kind, fix))}"
            is_open = counted in past.counted and mark not in {*past.counted, *marks}
            if fix.sort == UNCHANGED and is_open:
                lesson = lesson._replace(fixes=without_success(lesson.fixes, fix.key))
                memory.keep(lesson_text.settled(lesson))
                marks.append(mark)
    return marks


def _in_vain(lesson: Lesson, step: Step, failure: Failure, past: RunSoFar) -> dict[str, Fix]:
    """The fixes that this run had applied when the failure came nevertheless, by mark."""
    return {
        mark: fix
        for fix in lesson.fixes
        if past.counted.isdisjoint((mark := _vain(failure.kind, fix), _mark(failure.kind, fix)))
        and fixes.was_applied(fix, (*past.steps, step))
    }


def _mark(kind: str, fix: Fix) -> str:
    return f"worked {kind} {fix.key}"


def _vain(kind: str, fix: Fix) -> str:
    return f"vain {kind} {fix.key}"


def add_case(episode: Episode, memory: Memory) -> None:
    """Add the run as a case, for a model, to the lessons of its failures that have no fix."""
    kinds: set[str] = set()
    for at, step in enumerate(episode.steps):
        failure = step.failure if step.failed else None
        if failure is None or failure.kind in kinds:
            continue
        kinds.add(failure.kind)
        lesson = memory.about(failure)
        if lesson is not None and not lesson.fixes:
            memory.keep(mined_lesson.with_case(lesson, episode.steps, at, memory.now))
