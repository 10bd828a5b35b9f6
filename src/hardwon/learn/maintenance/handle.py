"""`Dreams`: the handle through which callers use an agent's dreams."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hardwon.learn.maintenance.apply import settled, undo
from hardwon.learn.maintenance.consolidation import dream
from hardwon.learn.maintenance.schedule import due, watch

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hardwon.core.values.dream import Dream, DreamChange
    from hardwon.core.values.scope import Scope
    from hardwon.engine.runtime import Runtime


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
        """Dream now; `stop` ends it early. With `dry_run` nothing is changed or stored.

        `tell(done, of)` is called with the number of steps done, and of all steps.
        """
        return dream(self._engine, self._scope, dry_run=dry_run, stop=stop, tell=tell)

    def due(self) -> str:
        """Why not to dream now, in words; empty when the agent has been idle long enough."""
        return due(self._engine, self._scope)

    def watch(self, *, wait: Callable[[float], bool], tell: Callable[[Dream], None]) -> None:
        """Dream whenever it is due, until `wait(seconds)` returns true."""
        watch(self._engine, self._scope, wait=wait, tell=tell)

    def list(self, *, limit: int = 25) -> Sequence[Dream]:
        """Newest first."""
        rows = self._engine.store.dreams.recent(self._scope, limit=limit)
        return [settled(self._engine, row) for row in rows]

    def get(self, dream_id: str) -> Dream:
        """One dream by its id or the beginning of it, or NotFound."""
        return settled(self._engine, self._engine.store.dreams.get(self._scope, dream_id))

    def changes(self, dream_id: str) -> Sequence[DreamChange]:
        """What a dream did to each lesson."""
        return self._engine.store.dreams.changes(self.get(dream_id).id)

    def undo(self, dream_id: str) -> tuple[Dream, int, int]:
        """Take back what a dream did: its row, lessons restored, lessons left as they are."""
        return undo(self._engine, self._scope, dream_id)
