"""Changes of lessons in a list."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hardwon.core.values.lesson import CHANGES_KEPT, Change

if TYPE_CHECKING:
    from hardwon.core.values.scope import Scope


class MemoryHistory:
    """Changes in a list."""

    def __init__(self, kept: int = CHANGES_KEPT) -> None:
        self.all: list[Change] = []
        self._last = 0
        self._kept = kept

    def note(self, change: Change) -> None:
        self._last += 1
        self.all.append(change._replace(id=self._last))
        of_scope = [c.id for c in self.all if c.before.scope == change.before.scope]
        surplus = set(of_scope[: -self._kept])
        self.all = [c for c in self.all if c.id not in surplus]

    def of(self, scope: Scope, lesson: int | None) -> list[Change]:
        visible = [c for c in reversed(self.all) if c.before.scope in scope.visible()]
        return [c for c in visible if lesson is None or c.before.id == lesson]

    def forget(self, scope: Scope, change: Change) -> None:
        gone = {c.id for c in self.of(scope, change.before.id)} & {change.id}
        self.all = [c for c in self.all if c.id not in gone]
