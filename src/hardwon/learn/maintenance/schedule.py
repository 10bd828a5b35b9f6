"""When to dream: after hours without activity, not too often, and never for long."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from hardwon.core.errors import Unavailable
from hardwon.core.values.lesson import EPOCH, Status
from hardwon.learn.maintenance.consolidation import dream

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime, timedelta

    from hardwon.core.values.dream import Dream
    from hardwon.core.values.scope import Scope
    from hardwon.engine.runtime import Runtime

_LOOK = 5.0  # seconds between two checks whether the agent is back


def due(engine: Runtime, scope: Scope) -> str:
    """Why the agent should not dream now, in words; "" when it may."""
    settings, now = engine.settings.dream, engine.clock()
    latest = engine.store.dreams.recent(scope, limit=1)
    if latest and now - latest[0].started_at < settings.every:
        return f"the last dream was {_ago(now - latest[0].started_at)}"
    idle = now - last_activity(engine, scope)
    return f"the agent was active {_ago(idle)}" if idle < settings.idle else ""


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


def watch(
    engine: Runtime, scope: Scope, *, wait: Callable[[float], bool], tell: Callable[[Dream], None]
) -> None:
    """Dream whenever it is due, until `wait` reports an interruption."""
    while not wait(_pause(engine, scope)):
        if not due(engine, scope):
            tell(dream(engine, scope, stop=_back(engine, scope, wait)))


def _pause(engine: Runtime, scope: Scope) -> float:
    """Seconds until the next check."""
    return 60.0 if due(engine, scope) else 0.0


def _back(engine: Runtime, scope: Scope, wait: Callable[[float], bool]) -> Callable[[], bool]:
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
