"""Recording: learn failures and what got past them from the steps of runs. No model is asked.

The first failure of a kind creates a lesson. Each further run that meets it is counted, and every
fix that a run shows goes on the lesson's record. The record decides whether the lesson is seen,
candidate or proven. All that a step teaches is one commit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import NamedTuple

from hardwon.core.errors import NotFound
from hardwon.core.settings import Settings
from hardwon.core.text import injection
from hardwon.core.text.harm import objection
from hardwon.core.values.lesson import (
    EDITED,
    INSTEAD,
    LIVE,
    MINED,
    NEXT,
    UNCHANGED,
    Evidence,
    Fix,
    Kind,
    Lesson,
    Status,
    evidence_of,
    join_evidence,
    unique,
    with_failure,
    without_success,
)
from hardwon.core.values.run import Failure, RunSoFar, Step, Trigger
from hardwon.core.values.scope import Scope
from hardwon.engine.doors import Found
from hardwon.engine.pipeline.screen import screen_lesson
from hardwon.knowledge.evidence import advice
from hardwon.knowledge.evidence.inner import failed_key, failing_call, worked_keys
from hardwon.knowledge.evidence.trails import find_replaced
from hardwon.knowledge.evidence.wording import SHOW_CALLS, TRAIL
from hardwon.knowledge.ranking.query import Query
from hardwon.knowledge.reading import fixes, mined_lesson, mistakes, reports
from hardwon.knowledge.reading.mined_lesson import program
from hardwon.storage.ports import LessonStore, Store

_NEAREST, _NEAREST_KINDS = 4, 8  # lessons that one call, and one failure, may be known by
_WORKED = "worked"  # the mark of a fix that a run has shown


class Recording:
    """Learns from steps: failures, and the fixes that steps show."""

    def __init__(self, store: Store, settings: Settings, clock: Callable[[], datetime]) -> None:
        self._store = store
        self._clock = clock
        values = settings.reflexion
        self._is_on = values.enabled and values.on_error and values.persist

    def learn(
        self,
        scope: Scope,
        step: Step,
        past: RunSoFar,
        shown: Sequence[Lesson] = (),
        found: Found = Found(),
        evidence: StepEvidence | None = None,
    ) -> list[str]:
        """Learn from a step: its failure and the fixes it shows. Returns marks for the run.

        `shown` are the lessons shown at it, `found` all that were found about it, `evidence` is
        what `evidence_in` says about it, if that is known already.
        """
        memory, failure = self.memory(scope), step.failure
        if not self._is_on or (step.failed and failure is None):
            return []
        evidence = evidence or evidence_in(step, past)
        if failure is None:
            return self._learn_success(step, past, memory, evidence)
        self._store.failures.count(scope, failure.kind, failure.text, memory.now)
        with self._store.together():
            if self._store.is_current(scope, found.state):
                same = (match.lesson for match in found.matches if match.is_same_kind)
                own = (lesson for lesson in same if lesson.scope == scope)
                memory.current[failure.kind] = max(own, key=standing, default=None)
            is_mistake = mistakes.is_mistake(step, past.steps)
            marks = note_failure(step, past, memory) if is_mistake else []
            if evidence.fixes:
                marks += _note_fixes(step, past, memory, evidence)
            return marks + [
                note_offer(lesson, failure, memory)
                for lesson in shown
                if failure.kind not in lesson.kinds and lesson.scope == scope
            ]

    def _learn_success(
        self, step: Step, past: RunSoFar, memory: Memory, evidence: StepEvidence
    ) -> list[str]:
        _forget_failed_call(evidence.worked, past, memory)
        if not _may_show_fixes(past):
            return []
        marks = _note_fixes(step, past, memory, evidence)
        marks += _note_followed(step, past, memory, marks)
        marks += _withdraw_unchanged(step, past, memory)
        return marks + adopt_helpful(step, past, memory)

    def end(self, scope: Scope, past: RunSoFar) -> None:
        """Learn from a whole run what its single steps did not show."""
        if self._is_on:
            memory = self.memory(scope)
            with self._store.together():
                for at, fix in _find_replacements(past):
                    failure = past.steps[at].failure
                    success = f"{_WORKED} {failure.kind} " if failure else ""
                    if not any(mark.startswith(success) for mark in past.counted):
                        _note_fix(past.steps[at], fix, past, memory)

    def describe_learnt(self, scope: Scope, marks: Sequence[str]) -> str:
        """What a step taught, in one line for the user; "" if nothing new."""
        memory = self.memory(scope)
        for mark in marks:
            name, kind, key = (*mark.split(" ", 2), "", "")[:3]
            lesson = memory.about(Failure("", kind, "", "")) if name == _WORKED and kind else None
            for fix in lesson.fixes if lesson else ():
                if fix.key == key and fix.worked == 1:
                    return mined_lesson.learnt_line(fix)
        return ""

    def is_known(self, scope: Scope, step: Step) -> bool:
        """Whether this very failure happens without any change too, or was got past in code."""
        failure = step.failure
        lesson = self.memory(scope).about(failure) if failure and failure.exact else None
        if lesson is None:
            return False
        failing = failing_call(step)
        is_code = failing is not None and failing.has_script
        return any(is_code or fix.sort == UNCHANGED for fix in lesson.fixes)

    def memory(self, scope: Scope) -> Memory:
        """The lessons of a scope."""
        return Memory(scope, self._store.lessons, self._clock(), {})


ShownFixes = list[tuple[int, Fix]]  # each with the place of the step whose failure it got past


class StepEvidence(NamedTuple):
    """What a step shows by itself and by the steps before it; no lesson is needed to see it."""

    worked: tuple[str, ...]  # the calls that worked
    fixes: ShownFixes


def evidence_in(step: Step, past: RunSoFar) -> StepEvidence:
    """What is to be recorded of a step; the costly part of learning, and independent of the store.

    A failing step may show the fix of another failure.
    """
    worked = () if step.failure else worked_keys(step, past.task)
    if not past.steps or not (step.failure or _may_show_fixes(past)):
        return StepEvidence(worked, [])
    return StepEvidence(worked, fixes.fixes_shown((*past.steps, step), past.task, _prompts(past)))


def _may_show_fixes(past: RunSoFar) -> bool:
    """Whether a step that works may show how to get past something."""
    return bool(past.told) or any(step.failure for step in past.steps)


def note_failure(step: Step, past: RunSoFar, memory: Memory) -> list[str]:
    """Count a failure and the fixes that did not prevent it; returns marks for the run."""
    failure = step.failure
    if failure is None or not failure.is_telling:
        return []  # too general to be recognised
    existing = memory.about(failure)
    if existing is None:
        lesson = mined_lesson.new_lesson(step, failure, memory.scope, past.task, memory.now)
        memory.add(lesson)
        return []
    lesson = existing
    if past.last_failing(failure.kind) is None:
        lesson = mined_lesson.with_meeting(existing, step, failure, past, memory.now)
    steps, marks = (*past.steps, step), list[str]()
    for fix in lesson.fixes:
        mark = f"vain {failure.kind} {fix.key}"
        is_new = past.counted.isdisjoint((mark, _success(failure.kind, fix)))
        if is_new and fixes.was_applied(fix, steps, past.task):
            lesson = lesson._replace(fixes=with_failure(lesson.fixes, fix.key))
            marks.append(mark)
    if lesson is not existing:
        memory.keep(mined_lesson.settle(lesson))
    return marks


def _forget_failed_call(worked: tuple[str, ...], past: RunSoFar, memory: Memory) -> None:
    """Let calls pass that work now: they are no longer known as failing.

    A call that failed in this run, too, works because of what was done in between.
    """
    if not worked:
        return
    query = Query("action", "", calls=worked)
    found = memory.lessons.match(memory.scope, query, now=memory.now, limit=_NEAREST)
    failed = {key for one in past.steps if found for key in failed_key(one, past.task)}
    keys = {key for key in query.calls if key not in failed}
    for match in found:
        lesson = match.lesson
        calls = tuple(call for call in lesson.calls if call not in keys)
        if lesson.scope == memory.scope and calls != lesson.calls:
            memory.keep(lesson._replace(calls=calls))


def _note_fixes(step: Step, past: RunSoFar, memory: Memory, evidence: StepEvidence) -> list[str]:
    steps, marks = (*past.steps, step), list[str]()
    for place, fix in evidence.fixes:
        marks += _note_fix(steps[place], fix, past, memory)
    return marks


def _find_replacements(past: RunSoFar) -> ShownFixes:
    """What took the place of calls that a run gave up; the run has ended."""
    prompts = _prompts(past)
    return [
        (found.at, fixes.trail_of(found, past.steps, past.task, prompts))
        for found in find_replaced(past.steps)
    ]


def _prompts(past: RunSoFar) -> list[str]:
    return [prompt for _, prompt in past.prompts]


def _note_fix(step: Step, fix: Fix, past: RunSoFar, memory: Memory) -> list[str]:
    """Record a fix of a failing step; returns the mark to count once per run.

    Code that stands in a call may fail on purpose. It teaches once the run got past the failure.
    """
    failure = step.failure
    if failure is None or not failure.is_telling:
        return []
    if injection.suspicion(fix.mistake) or objection(f"{fix.text}\n{fix.call}"):
        return []  # or one run's text could quarantine a lesson of many runs
    is_red = reports.has_run_tests(step.output) and reports.is_red(step.output)
    if is_red and (EDITED in fix.key or fix.sort == INSTEAD):
        fix = fix._replace(sort=NEXT)  # what makes tests pass is the task, until two runs show it
    lesson = memory.about(failure)
    if lesson is None and fix.sort == TRAIL and (call := failing_call(step)) and call.has_script:
        new = mined_lesson.new_lesson(step, failure, memory.scope, past.task, memory.now)
        memory.add(new)
        lesson = memory.about(failure)
    if lesson is None:
        return []
    fix = mined_lesson.with_best_text(fix, lesson, step)
    if (mark := _success(failure.kind, fix)) not in past.counted:
        memory.keep(mined_lesson.record_success(lesson, fix))
        return [mark]
    if fix.sort in SHOW_CALLS:  # this run got further before, and now it works
        memory.keep(mined_lesson.settle(with_text(lesson, fix)))
    return []


def with_text(lesson: Lesson, fix: Fix) -> Lesson:
    """The lesson with the newest text of a fix; the record stays."""
    fixes_now = tuple(
        fix._replace(worked=known.worked, failed=known.failed) if known.key == fix.key else known
        for known in lesson.fixes
    )
    return lesson._replace(fixes=fixes_now)


def _note_followed(step: Step, past: RunSoFar, memory: Memory, counted: Sequence[str]) -> list[str]:
    """Record fixes that the run was shown and that this step applied; returns their marks."""
    marks: list[str] = []
    for lesson in memory.fixed_lessons(past.told) if past.told else ():
        kind = lesson.kinds[0] if lesson.kinds else ""
        for fix in lesson.fixes:
            mark = _success(kind, fix)
            if mark in past.counted or mark in counted or not fixes.applies(fix, step):
                continue
            lesson = mined_lesson.record_success(lesson, fix)
            memory.keep(lesson)
            marks.append(mark)
    return marks


def _withdraw_unchanged(step: Step, past: RunSoFar, memory: Memory) -> list[str]:
    """Take back “fails without your change too” of tests that this run has made pass."""
    marks: list[str] = []
    is_told = any(f" {UNCHANGED} " in mark for mark in past.counted)
    for failing in past.steps if is_told and fixes.is_green(step) else ():
        failure = failing.failure
        lesson = memory.about(failure) if failure and fixes.is_repeated(failing, step) else None
        if failure is None or lesson is None:
            continue
        for fix in lesson.fixes:
            mark = f"withdrawn {(counted := _success(failure.kind, fix))}"
            is_open = counted in past.counted and mark not in {*past.counted, *marks}
            if fix.sort == UNCHANGED and is_open:
                lesson = lesson._replace(fixes=without_success(lesson.fixes, fix.key))
                memory.keep(mined_lesson.settle(lesson))
                marks.append(mark)
    return marks


def _success(kind: str, fix: Fix) -> str:
    return f"{_WORKED} {kind} {fix.key}"


class Memory(NamedTuple):
    """The lessons of one scope. A changed lesson is screened before it is stored."""

    scope: Scope
    lessons: LessonStore
    now: datetime
    current: dict[str, Lesson | None]  # by failure kind: what need not be read again

    def about(self, failure: Failure) -> Lesson | None:
        """The best lesson of exactly this scope about a failure kind; None if there is none."""
        if failure.kind in self.current:
            return self.current[failure.kind]
        query = Query("error", "", signature=failure.exact, kind=failure.kind)
        matches = self.lessons.match(self.scope, query, now=self.now, limit=_NEAREST_KINDS)
        own = [match for match in matches if match.lesson.scope == self.scope]
        own.sort(key=lambda match: (match.is_same_kind, *standing(match.lesson)), reverse=True)
        return own[0].lesson if own and own[0].is_same_kind else None

    def fixed_lessons(self, numbers: Iterable[int]) -> list[Lesson]:
        """The lessons of this scope with these ids that have fixes."""
        lessons = self.lessons.get_all(self.scope, sorted(numbers))
        return [lesson for lesson in lessons if lesson.scope == self.scope and lesson.fixes]

    def get(self, number: int) -> Lesson | None:
        """The lesson with this id; None if it does not exist."""
        try:
            return self.lessons.get(self.scope, number)
        except NotFound:
            return None

    def add(self, lesson: Lesson) -> None:
        """Store a new lesson, screened."""
        self.current.clear()
        self.lessons.add(screen_lesson(lesson))

    def keep(self, lesson: Lesson) -> None:
        """Store a changed lesson, screened and dated; a past run does not make it older."""
        self.current.clear()
        dated = lesson._replace(updated_at=max(lesson.updated_at, self.now))
        self.lessons.update(screen_lesson(dated))

    def note(self, lesson: Lesson, kind: str, value: str) -> None:
        """Store one more piece of evidence about a lesson."""
        piece = Evidence(kind, value, self.now.timestamp())
        self.keep(lesson._replace(evidence=join_evidence(lesson.evidence, [piece])))


def standing(lesson: Lesson) -> tuple[int, int, int]:
    """The sort key of lessons about one kind: status, runs that met it, age."""
    return LIVE.index(lesson.status), lesson.met, -lesson.id


def note_offer(lesson: Lesson, failure: Failure, memory: Memory) -> str:
    """Note that a lesson was shown at a failure because of its text; returns the mark of that."""
    times = _count(lesson, Kind.OFFERED, failure)
    memory.note(lesson, Kind.OFFERED, f"{failure.kind} {times + 1}")
    return f"offered {lesson.id} {failure.kind}"


def adopt_helpful(step: Step, past: RunSoFar, memory: Memory) -> list[str]:
    """Let offered lessons that helped take over their failure kinds; returns marks of that."""
    marks: list[str] = []
    for mark in past.counted:
        name, _, offer = mark.partition(" ")
        done = f"overcome {offer}"
        if name != "offered" or done in past.counted:
            continue
        number, kind = offer.split(" ")
        lesson, last = memory.get(int(number)), past.last_failing(kind)
        if not lesson or last is None or lesson.origin == MINED or lesson.trigger == Trigger.RUN:
            continue  # what is made of the steps of a run is about the kinds of those only
        if _has_helped(lesson, past.steps[: last + 1], step):
            _note_help(lesson, past.steps[last], memory)
            marks.append(done)
    return marks


def _has_helped(lesson: Lesson, before: Sequence[Step], step: Step) -> bool:
    """Whether a working step follows the lesson, or is like the failing call it is about.

    `before`: the steps up to and including the failing one.
    """
    failing = before[-1]
    if advice.follows_advice(lesson, step, before):
        return True
    goes_on = step.tool == failing.tool and (
        step.args.startswith("{") or program(step) == program(failing)
    )
    return goes_on and advice.is_about_error(lesson, failing)


def _note_help(lesson: Lesson, failing: Step, memory: Memory) -> None:
    """Give a lesson the failure kind that it helped with, and that kind's record so far.

    A lesson that is not about this error must help twice; the first time is only noted.
    """
    failure = failing.failure
    if failure is None:
        return
    before = _count(lesson, Kind.HELPED, failure)
    if not before and not advice.is_about_error(lesson, failing):
        memory.note(lesson, Kind.HELPED, f"{failure.kind} {before + 1}")
    elif lesson.scope == memory.scope:
        mined = memory.about(failure)
        if mined is not None and mined.status == Status.SEEN:
            lesson = lesson.met_again(mined, memory.now)
            memory.keep(mined._replace(status=Status.SUPERSEDED))
        memory.keep(lesson._replace(kinds=unique((*lesson.kinds, failure.kind))))


def _count(lesson: Lesson, kind: str, failure: Failure) -> int:
    """How often a lesson has this kind of evidence about a failure."""
    return sum(value.startswith(failure.kind) for value in evidence_of(lesson, kind))
