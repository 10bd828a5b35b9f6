"""Dreams: consolidate an agent's lessons while it is idle. Dreams are never injected."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

from hardwon.core.errors import Unavailable
from hardwon.core.values.dream import Dream, DreamChange
from hardwon.core.values.lesson import EPOCH, Status
from hardwon.core.values.scope import Scope
from hardwon.engine.runtime import Runtime
from hardwon.learn.maintenance.apply import settle, undo
from hardwon.learn.maintenance.consolidation import Consolidation

__all__ = ["Dreams"]
_LOOK = 5.0  # seconds between two checks whether the agent is back


class Dreams:
    """Consolidation of an agent's lessons, in all its projects, while it is idle."""

    def __init__(self, engine: Runtime, scope: Scope) -> None:
        self._engine = engine
        self._scope = scope

    def run(
        self,
        *,
        dry_run: bool = False,
        stop: Callable[[], bool] = lambda: False,
        tell: Callable[[int, int], None] = lambda done, of: None,
    ) -> Dream:
        """Dream now; `stop` ends it early. The row has the report.

        With `dry_run` nothing is changed or stored; the report says what would be.

        `tell(done, of)` is called with the number of steps done, and of all steps.
        """
        work = Consolidation(self._engine, self._scope, dry_run=dry_run, stop=stop, tell=tell)
        return work.run()

    def due(self) -> str:
        """The reason to postpone a dream; empty if one is due."""
        settings, now = self._engine.settings.dream, self._engine.clock()
        latest = self._engine.store.dreams.recent(self._scope, limit=1)
        if latest and now - latest[0].started_at < settings.every:
            return f"the last dream was {_ago(now - latest[0].started_at)}"
        idle = now - last_activity(self._engine, self._scope)
        return f"the agent was active {_ago(idle)}" if idle < settings.idle else ""

    def watch(self, *, wait: Callable[[float], bool], tell: Callable[[Dream], None]) -> None:
        """Dream whenever it is due, until `wait(seconds)` returns true."""
        while not wait(60.0 if self.due() else 0.0):
            if not self.due():
                tell(self.run(stop=_is_back(self._engine, self._scope, wait)))

    def list(self, *, limit: int = 25) -> Sequence[Dream]:
        """Newest first."""
        rows = self._engine.store.dreams.recent(self._scope, limit=limit)
        return [settle(self._engine, row) for row in rows]

    def get(self, dream_id: str) -> Dream:
        """One dream by its id or the beginning of it, or NotFound."""
        return settle(self._engine, self._engine.store.dreams.get(self._scope, dream_id))

    def changes(self, dream_id: str) -> Sequence[DreamChange]:
        """What a dream did to each lesson."""
        return self._engine.store.dreams.changes(self.get(dream_id).id)

    def undo(self, dream_id: str) -> tuple[Dream, int, int]:
        """Take back what a dream did: its row, lessons restored, lessons left as they are."""
        return undo(self._engine, self._scope, dream_id)


def last_activity(engine: Runtime, scope: Scope) -> datetime:
    """When the agent was last active: a delivery, a run, a lesson met or a goal ended."""
    store, now = engine.store, engine.clock()
    moments = [EPOCH]
    for each in {scope.everywhere(), *store.dreams.scopes(scope)}:
        moments += [delivery.at for delivery in store.deliveries.recent(each, limit=1)]
        moments += [run.created_at for run in store.runs.recent(each, now=now, limit=1)]
        moments += [
            lesson.last_seen_at
            for lesson in store.lessons.recent(each, status=Status.ACTIVE, limit=1)
        ]
        try:
            moments += [
                reflection.created_at
                for reflection in store.reflections.recent(each, now=now, limit=1)
            ]
        except Unavailable:
            continue
    return max(moments)


def _is_back(engine: Runtime, scope: Scope, wait: Callable[[float], bool]) -> Callable[[], bool]:
    """A check that is true once the agent is active again or `wait` asks to stop."""
    began, checked = last_activity(engine, scope), [time.monotonic()]

    def stop() -> bool:
        if wait(0):
            return True
        if time.monotonic() - checked[0] < _LOOK:
            return False
        checked[0] = time.monotonic()
        return last_activity(engine, scope) > began

    return stop


def _ago(span: timedelta) -> str:
    minutes = int(span.total_seconds() // 60)
    return f"{minutes // 60} h {minutes % 60} min ago" if minutes >= 60 else f"{minutes} min ago"
