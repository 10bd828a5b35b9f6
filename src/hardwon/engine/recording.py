"""Recording: learn from a step of a run, in one commit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hardwon.core.values.lesson import UNCHANGED, Lesson
from hardwon.engine.pipeline import mine, screen
from hardwon.knowledge.evidence.trails import failing_call
from hardwon.knowledge.reading import mistakes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from hardwon.core.settings import Settings
    from hardwon.core.values.run import RunSoFar, Step
    from hardwon.core.values.scope import Scope
    from hardwon.engine.pipeline.mine import Memory
    from hardwon.storage.ports import Store


class Recording:
    """Learns from steps: failures, and the fixes that steps show."""

    def __init__(self, store: Store, settings: Settings, clock: Callable[[], datetime]) -> None:
        self._store = store
        self._settings = settings
        self._clock = clock

    def after(self, scope: Scope, step: Step, past: RunSoFar, shown: Sequence[Lesson]) -> list[str]:
        """Learn from a step; `shown` are the lessons shown at it. Returns marks for the run."""
        if step.failure is None:
            return self.learn(scope, step, past)
        with self._store.together():
            return self.learn(scope, step, past) + self._offer(scope, step, shown)

    def learn(self, scope: Scope, step: Step, past: RunSoFar) -> list[str]:
        """Count the failure of a step and the fixes it shows; returns marks for the run."""
        values = self._settings.reflexion
        if not (values.enabled and values.on_error and values.persist):
            return []
        memory = self._memory(scope)
        if step.failure is None:
            if step.failed:
                return []
            mine.forget_failed_call(step, past, memory)
            if not (past.told or any(earlier.failure for earlier in past.steps)):
                return []
            return mine.note_success(step, past, memory) + mine.adopt_helpful(step, past, memory)
        self._store.failures.met(scope, step.failure.kind, step.failure.text, memory.now)
        is_mistake = mistakes.is_mistake(step, past.steps)
        marks = mine.note_failure(step, past, memory) if is_mistake else []
        return marks + mine.note_fixes(step, past, memory)

    def end(self, scope: Scope, past: RunSoFar) -> None:
        """Learn from a whole run what its single steps did not show."""
        values = self._settings.reflexion
        if values.enabled and values.on_error and values.persist:
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

    def _offer(self, scope: Scope, step: Step, shown: Sequence[Lesson]) -> list[str]:
        """Note the lessons that were shown because of their text; returns the marks."""
        memory = self._memory(scope)
        return [
            mine.note_offer(lesson, step.failure, memory)
            for lesson in shown
            if step.failure and step.failure.kind not in lesson.kinds and lesson.scope == scope
        ]

    def _memory(self, scope: Scope) -> Memory:
        return mine.Memory(scope, self._store.lessons, screen.screen_lesson, self._clock())
