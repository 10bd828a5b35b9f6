"""Dreams in a dictionary."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING

from hardwon.errors import NotFound

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hardwon.stores.memory import MemoryStore
    from hardwon.values.dream import Change as DreamChange
    from hardwon.values.dream import Dream
    from hardwon.values.lesson import Lesson
    from hardwon.values.scope import Scope


class MemoryDreams:
    """Dreams in a dictionary."""

    def __init__(self, store: MemoryStore) -> None:
        self.all: dict[str, Dream] = {}
        self._changes: dict[str, list[DreamChange]] = {}
        self._store = store

    def save(self, dream: Dream) -> None:
        self.all[dream.id] = dream._replace(scope=dream.scope.everywhere())

    def get(self, scope: Scope, dream: str) -> Dream:
        found = [one for one in self.recent(scope, limit=len(self.all)) if one.id.startswith(dream)]
        if len(found) != 1 or not dream:
            raise NotFound("dream", dream)
        return found[0]

    def recent(self, scope: Scope, *, limit: int) -> list[Dream]:
        own = [one for one in self.all.values() if one.scope == scope.everywhere()]
        own.reverse()
        return sorted(own, key=lambda one: one.started_at, reverse=True)[:limit]

    def note(self, dream: str, changes: Sequence[DreamChange]) -> None:
        self._changes.setdefault(dream, []).extend(changes)

    def changes(self, dream: str) -> list[DreamChange]:
        return list(self._changes.get(dream, ()))

    def scopes(self, scope: Scope) -> list[Scope]:
        store, own = self._store, scope.everywhere()
        seen = [lesson.scope for lesson in store.lessons.all.values()]
        seen += [one.scope for one in (*store.runs.all, *store.reflections.all)]
        seen += [owner for owner, _ in store.failures.all]
        return list(dict.fromkeys(one for one in seen if one.everywhere() == own))

    def lessons(self, scope: Scope) -> Iterator[Lesson]:
        own = scope.everywhere()
        for lesson in list(self._store.lessons.all.values()):
            if lesson.scope.everywhere() == own and lesson.is_active:
                yield lesson

    def together(self) -> nullcontext[None]:
        return nullcontext()
