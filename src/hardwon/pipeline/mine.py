"""Mine: failures and what cured them, learnt from the steps of runs. No model is asked.

A failure opens a lesson of its kind, once a run it is counted, and every fix that a run shows is
put on its record. The record decides whether the lesson is seen, candidate or proven.
"""

from __future__ import annotations

from hardwon.failures import call_keys, lesson_text
from hardwon.failures.cases import case_text
from hardwon.failures.fix_stated import stated_fix
from hardwon.failures.fixes import fixes_shown, proves, was_applied
from hardwon.failures.tried import tried_in_vain
from hardwon.text.clean import clip, one_line
from hardwon.text.injection import suspicion
from hardwon.values.episode import Trigger
from hardwon.values.evidence import Evidence, Kind, joined, values_of
from hardwon.values.failure import Failure
from hardwon.values.fix import with_failure, with_stated, with_success
from hardwon.values.lesson import (
    CALLS_KEPT,
    MINED,
    RULES,
    SIGNATURES_KEPT,
    Lesson,
    Status,
    clean_tags,
    unique,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from hardwon.pipeline.scope_memory import Memory
    from hardwon.values.episode import Episode
    from hardwon.values.fix import Fix
    from hardwon.values.run import RunSoFar
    from hardwon.values.step import Step

_LINE = 120
_CALLS = {"call", "preparation"}  # sorts of fixes that a call applies for sure


def failed(step: Step, past: RunSoFar, memory: Memory, *, counted: Fix | None = None) -> list[str]:
    """Count a failure and the fixes that did not prevent it; marks to count once a run.

    `counted`: a fix that no run shows by itself, but many runs together.
    """
    failure = step.failure
    if failure is None or not failure.is_telling:
        return []  # it cannot be told from others
    known = memory.about(failure)
    if known is None:
        memory.lessons.add(memory.screen(opened(step, failure, past, memory)))
        return []
    lesson = known if has_met(past, failure.kind) else _met_again(known, step, past, memory)
    if counted is not None and lesson is not known:
        lesson = lesson._replace(fixes=with_success(lesson.fixes, counted))
    if lesson is not known:
        lesson = lesson._replace(fixes=with_stated(lesson.fixes, stated_fix(step)))
    lesson = _with_tried(lesson, step, past, memory)
    vain = _in_vain(lesson, step, failure, past)
    for fix in vain.values():
        lesson = lesson._replace(fixes=with_failure(lesson.fixes, fix.key))
    if lesson is not known:
        memory.keep(lesson_text.settled(lesson))
    return list(vain)


def worked(step: Step, past: RunSoFar, memory: Memory) -> list[str]:
    """Put the fixes that this step shows or applies on record; what to count once a run."""
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
                return lesson_text.learnt(fix, lesson.met)
    return ""


def _is_new_after(fix: Fix, kind: str, past: RunSoFar) -> bool:
    """Whether the run has failed this way without the fix."""
    failing = [at for at, one in enumerate(past.steps) if one.failure and one.failure.kind == kind]
    return bool(failing) and not was_applied(fix, past.steps[: failing[-1] + 1])


def _unneeded(step: Step, past: RunSoFar, memory: Memory) -> list[str]:
    """Fixes by another tool that a run did without: the failing tool worked with other values."""
    marks: list[str] = []
    for at, failing in enumerate(past.steps if step.args.startswith("{") else ()):
        failure = failing.failure if failing.tool == step.tool else None
        lesson = memory.about(failure) if failure else None
        if failure is None or lesson is None:
            continue
        used = {one.tool for one in past.steps[at:]}
        for fix in lesson.fixes:
            mark = _vain(failure.kind, fix)
            if fix.sort == "tool" and fix.call not in used and mark not in {*past.counted, *marks}:
                lesson = lesson._replace(fixes=with_failure(lesson.fixes, fix.key))
                memory.keep(lesson_text.settled(lesson))
                marks.append(mark)
    return marks


def _with_tried(lesson: Lesson, step: Step, past: RunSoFar, memory: Memory) -> Lesson:
    """The lesson with what this run tried since it failed this way for the last time."""
    kind = step.failure.kind if step.failure else ""
    failing = [
        at for at, each in enumerate(past.steps) if each.failure and each.failure.kind == kind
    ]
    if not failing:
        return lesson
    known = set(values_of(lesson.evidence, Kind.TRIED))
    tried = [
        Evidence(Kind.TRIED, words, memory.now.timestamp())
        for words in tried_in_vain((*past.steps, step), failing[-1])
        if words not in known and not suspicion(words)
    ]
    return lesson._replace(evidence=joined(lesson.evidence, tried)) if tried else lesson


def has_met(past: RunSoFar, kind: str) -> bool:
    """Whether the run has failed this way before."""
    return any(one.failure is not None and one.failure.kind == kind for one in past.steps)


def has_met_exactly(past: RunSoFar, failure: Failure) -> bool:
    """Whether the run has met this very failure; one without a name of its own goes by its kind."""
    if not failure.exact:
        return has_met(past, failure.kind)
    return any(one.failure is not None and one.failure.exact == failure.exact for one in past.steps)


def opened(step: Step, failure: Failure, past: RunSoFar, memory: Memory) -> Lesson:
    """The lesson of a failure kind that was never met before."""
    now = memory.now
    return lesson_text.settled(
        Lesson(
            scope=memory.scope,
            situation=lesson_text.situation(failure.text, step),
            mistake=f"{lesson_text.program(step)} failed.",
            correction=lesson_text.UNSOLVED,
            fixes=with_stated((), stated_fix(step)),
            tags=clean_tags((step.tool, lesson_text.program(step).strip("`").split(" ")[0])),
            trigger=Trigger.ERROR,
            signatures=(failure.exact,) if failure.exact else (),
            kinds=(failure.kind,),
            calls=_calls(step, failure, past),
            evidence=(_quote(step, failure, memory),),
            origin=MINED,
            author=RULES,
            job=f"{MINED}:{failure.kind}",
            status=Status.SEEN,
            created_at=now,
            updated_at=now,
            last_seen_at=now,
        )
    )


def _met_again(lesson: Lesson, step: Step, past: RunSoFar, memory: Memory) -> Lesson:
    """The lesson after one more run that met its failure.

    A run from which the lesson is withheld fails more often; that must not raise its rank.
    """
    failure = step.failure
    if failure is None:
        return lesson
    return lesson._replace(
        met=lesson.met + (failure.kind not in past.withheld),
        signatures=_with(lesson.signatures, failure.exact)[-SIGNATURES_KEPT:],
        calls=(*lesson.calls, *_calls(step, failure, past))[-CALLS_KEPT:],
        evidence=joined(lesson.evidence, [_quote(step, failure, memory)]),
    )


def _with(digests: tuple[str, ...], digest: str) -> tuple[str, ...]:
    return unique((*digests, digest)) if digest else digests


def _calls(step: Step, failure: Failure, past: RunSoFar) -> tuple[str, ...]:
    return call_keys.blamed_keys(step.tool, step.args, failure.line)


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


def _quote(step: Step, failure: Failure, memory: Memory) -> Evidence:
    call = clip(one_line(step.args), _LINE)
    return Evidence(Kind.MET, f"{call} → {failure.line}", memory.now.timestamp())


def with_case(lesson: Lesson, steps: Sequence[Step], at: int, now: datetime) -> Lesson:
    """The lesson with one run's meeting, as a model reads it."""
    case = Evidence(Kind.CASE, case_text(steps, at), now.timestamp())
    return lesson._replace(evidence=joined(lesson.evidence, (case,)))


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
