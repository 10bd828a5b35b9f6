"""Recording: learn from a step of a run, in one commit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from hardwon.core.settings import Settings
from hardwon.core.values.lesson import UNCHANGED, Lesson
from hardwon.core.values.run import RunSoFar, Step
from hardwon.core.values.scope import Scope
from hardwon.engine.delivering import FOUND_NOTHING, Found
from hardwon.engine.pipeline import mine, screen
from hardwon.knowledge.evidence.inner import failing_call
from hardwon.knowledge.reading import mistakes
from hardwon.storage.ports import Store

if TYPE_CHECKING:
    from hardwon.engine.pipeline.mine import Memory


class Recording:
    """Learns from steps: failures, and the fixes that steps show."""

    def __init__(self, store: Store, settings: Settings, clock: Callable[[], datetime]) -> None:
        self._store = store
        self._settings = settings
        self._clock = clock

    def after(
        self,
        scope: Scope,
        step: Step,
        past: RunSoFar,
        shown: Sequence[Lesson] = (),
        found: Found = FOUND_NOTHING,
    ) -> list[str]:
        """Learn from a step that was just made."""
        return self.learn(scope, step, past, shown, found)

    def learn(
        self,
        scope: Scope,
        step: Step,
        past: RunSoFar,
        shown: Sequence[Lesson] = (),
        found: Found = FOUND_NOTHING,
    ) -> list[str]:
        """Learn from a step: its failure and the fixes it shows. Returns marks for the run.

        `shown` are the lessons shown at it, `found` all that were found about it.
        """
        if not self._is_on:
            return []
        memory, failure = self._memory(scope), step.failure
        if failure is None:
            return [] if step.failed else _learn_success(step, past, memory)
        self._store.failures.count(scope, failure.kind, failure.text, memory.now)
        with self._store.together():
            if found.state is not None and found.state == self._store.last_state():
                same = (match.lesson for match in found.matches if match.is_same_kind)
                memory.note_current(failure.kind, same)
            is_mistake = mistakes.is_mistake(step, past.steps)
            marks = mine.note_failure(step, past, memory) if is_mistake else []
            marks += mine.note_fixes(step, past, memory)
            return marks + [
                mine.note_offer(lesson, failure, memory)
                for lesson in shown
                if failure.kind not in lesson.kinds and lesson.scope == scope
            ]

    def end(self, scope: Scope, past: RunSoFar) -> None:
        """Learn from a whole run what its single steps did not show."""
        if self._is_on:
            with self._store.together():
                mine.note_replaced(past, self._memory(scope))

    def describe_learnt(self, scope: Scope, marks: Sequence[str]) -> str:
        """What a step taught, in one line for the user; "" if nothing new."""
        return mine.describe_learnt(marks, self._memory(scope))

    def is_known(self, scope: Scope, step: Step) -> bool:
        """Whether this very failure happens without any change too, or was got past in code."""
        failure = step.failure
        lesson = self._memory(scope).about(failure) if failure and failure.exact else None
        if lesson is None:
            return False
        failing = failing_call(step)
        is_code = failing is not None and failing.has_script
        return any(is_code or fix.sort == UNCHANGED for fix in lesson.fixes)

    @property
    def _is_on(self) -> bool:
        values = self._settings.reflexion
        return values.enabled and values.on_error and values.persist

    def _memory(self, scope: Scope) -> Memory:
        return mine.Memory(scope, self._store.lessons, screen.screen_lesson, self._clock(), {})


def _learn_success(step: Step, past: RunSoFar, memory: Memory) -> list[str]:
    """Learn from a step that worked; returns marks for the run."""
    mine.forget_failed_call(step, past, memory)
    if not (past.told or any(earlier.failure for earlier in past.steps)):
        return []
    return mine.note_success(step, past, memory) + mine.adopt_helpful(step, past, memory)
