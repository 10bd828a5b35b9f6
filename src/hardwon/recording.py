"""Recording: learn from a step of a run, in one commit."""

from __future__ import annotations

from hardwon._cold.lazy import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from hardwon.failures import mistakes
    from hardwon.pipeline import adopt, mine, predict, scope_memory, screen
    from hardwon.pipeline.scope_memory import Memory
    from hardwon.ports import Store
    from hardwon.settings import Settings
    from hardwon.values.failure import Failure
    from hardwon.values.lesson import Lesson
    from hardwon.values.run import RunSoFar
    from hardwon.values.scope import Scope
    from hardwon.values.step import Step
else:
    mistakes, screen = lazy("hardwon.failures.mistakes"), lazy("hardwon.pipeline.screen")
    predict, mine = lazy("hardwon.pipeline.predict"), lazy("hardwon.pipeline.mine")
    adopt, scope_memory = lazy("hardwon.pipeline.adopt"), lazy("hardwon.pipeline.scope_memory")


class Recording:
    """Learns from steps: counts calls, failures and the fixes that steps show."""

    def __init__(self, store: Store, settings: Settings, clock: Callable[[], datetime]) -> None:
        self._store = store
        self._settings = settings
        self._clock = clock

    def after(self, scope: Scope, step: Step, past: RunSoFar, shown: Sequence[Lesson]) -> list[str]:
        """`learn` in one commit, plus a note of the lessons that were `shown` for their text."""
        if not step.failed:
            return self.learn(scope, step, past)
        with self._store.together():
            return self.learn(scope, step, past) + self._offered(scope, step, shown)

    def learn(self, scope: Scope, step: Step, past: RunSoFar) -> list[str]:
        """Count the call, its failure and the fixes it shows; returns marks for the run."""
        values = self._settings.reflexion
        if not (values.enabled and values.on_error and values.persist):
            return []
        is_mistake = step.failed and mistakes.is_mistake(step, past.steps)
        memory, records = self._memory(scope), self._known(scope)
        self._store.calls.made(scope, predict.made(step, past, records, is_mistake=is_mistake))
        if not step.failed:
            return self._worked(step, past, memory) if _may_show(past) else []
        if step.failure is None:
            return []
        self._store.failures.met(scope, step.failure.kind, step.failure.text, memory.now)
        counted = self._counted(scope, step, past, memory) if is_mistake else []
        return counted + mine.shown(step, past, memory)

    def learnt(self, scope: Scope, counted: Sequence[str]) -> str:
        """What a step taught, in one line for the user; "" if nothing new."""
        return mine.learnt(counted, self._memory(scope))

    def is_old_red(self, scope: Scope, failure: Failure | None) -> bool:
        """Whether this exact failure is known to happen without any change of sources."""
        lesson = self._memory(scope).about(failure) if failure and failure.exact else None
        return lesson is not None and any(fix.sort == "unchanged" for fix in lesson.fixes)

    def _offered(self, scope: Scope, step: Step, shown: Sequence[Lesson]) -> list[str]:
        """Note the lessons that were shown because of their text; returns the marks."""
        memory = self._memory(scope)
        return [
            adopt.offered(lesson, step.failure, memory)
            for lesson in shown
            if step.failure and step.failure.kind not in lesson.kinds and lesson.scope == scope
        ]

    @staticmethod
    def _worked(step: Step, past: RunSoFar, memory: Memory) -> list[str]:
        """Record the fixes that a working step shows and the lessons that helped."""
        return mine.worked(step, past, memory) + adopt.overcome(step, past, memory)

    def _counted(self, scope: Scope, step: Step, past: RunSoFar, memory: Memory) -> list[str]:
        """Count a mistake, with the fix that only counts over many runs show."""
        counted = predict.counted(step, past.steps, self._known(scope))
        return mine.failed(step, past, memory, counted=counted)

    def _known(self, scope: Scope) -> predict.Records:
        return predict.Records(scope, self._store.calls, self._store.lessons, self._clock())

    def _memory(self, scope: Scope) -> Memory:
        return scope_memory.Memory(scope, self._store.lessons, screen.screen_lesson, self._clock())


def _may_show(past: RunSoFar) -> bool:
    """Whether a working step can teach anything: a step failed before, or a lesson was shown."""
    return bool(past.told) or any(step.failed for step in past.steps)
