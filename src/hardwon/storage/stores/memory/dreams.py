"""Dreams in a dictionary."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING

from hardwon.core.errors import NotFound

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hardwon.core.values.dream import Dream, DreamChange
    from hardwon.core.values.lesson import Lesson
    from hardwon.core.values.scope import Scope
    from hardwon.storage.stores.memory import MemoryStore


class MemoryDreams:
    """Dreams in a dictionary."""

    def __init__(self, store: MemoryStore) -> None:
        self.all: dict[str, Dream] = {}
        self._changes: dict[str, list[DreamChange]] = {}
        self._store = store

    def save(self, dream: Dream) -> None:
        self.all[dream.id] = dream._replace(scope=dream.scope.everywhere())

    def get(self, scope: Scope, dream: str) -> Dream:
        every = self.recent(scope, limit=len(self.all))
        matches = [candidate for candidate in every if candidate.id.startswith(dream)]
        if len(matches) != 1 or not dream:
            raise NotFound("dream", dream)
        return matches[0]

    def recent(self, scope: Scope, *, limit: int) -> list[Dream]:
        dreams = [dream for dream in self.all.values() if dream.scope == scope.everywhere()]
        dreams.reverse()
        return sorted(dreams, key=lambda dream: dream.started_at, reverse=True)[:limit]

    def note(self, dream: str, changes: Sequence[DreamChange]) -> None:
        self._changes.setdefault(dream, []).extend(changes)

    def changes(self, dream: str) -> list[DreamChange]:
        return list(self._changes.get(dream, ()))

    def scopes(self, scope: Scope) -> list[Scope]:
        store, agent = self._store, scope.everywhere()
        all_scopes = [lesson.scope for lesson in store.lessons.all.values()]
        all_scopes += [reflection.scope for reflection in (*store.runs.all, *store.reflections.all)]
        all_scopes += [owner for owner, _ in store.failures.all]
        return list(dict.fromkeys(owner for owner in all_scopes if owner.everywhere() == agent))

    def lessons(self, scope: Scope) -> Iterator[Lesson]:
        agent = scope.everywhere()
        for lesson in list(self._store.lessons.all.values()):
            if lesson.scope.everywhere() == agent and lesson.is_active:
                yield lesson

    def together(self) -> nullcontext[None]:
        return nullcontext()
