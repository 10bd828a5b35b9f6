"""Reflections in a list."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hardwon.core.values.reflection import RUNS_KEPT, Likeness, is_known, surplus_reflections
from hardwon.knowledge.ranking.reflections import CANDIDATES, best_held, by_relevance, words_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from hardwon.core.values.reflection import Reflection
    from hardwon.core.values.scope import Scope


class MemoryReflections:
    """Reflections in a list; `cap` limits how many of a scope are kept, the newest."""

    is_shared = False

    def __init__(self, cap: int = 0) -> None:
        self.all: list[Reflection] = []
        self._cap = cap

    def save(self, reflection: Reflection, *, keep: int = 0) -> bool:
        stored = [r for r in self.all if _same_subject(r, reflection)]
        if is_known(stored, reflection):
            return False
        dropped = {id(stored[at]) for at in surplus_reflections(stored, reflection, keep=keep)}
        self.all = [r for r in self.all if id(r) not in dropped] + [reflection]
        self._prune(reflection.scope, reflection.created_at)
        return True

    def about(self, scope: Scope, subject: str) -> list[Reflection]:
        return [r for r in self._visible(scope) if r.subject == subject]

    def recent(self, scope: Scope, *, now: datetime, limit: int) -> list[Reflection]:
        oldest_first = sorted(self._visible(scope), key=_age)
        return [r for r in reversed(oldest_first) if r.is_alive(now)][:limit]

    def every(self, scope: Scope, *, now: datetime, limit: int) -> list[Reflection]:
        of_agent = [r for r in self.all if r.scope.everywhere() == scope.everywhere()]
        oldest_first = sorted(of_agent, key=_age)
        return [r for r in reversed(oldest_first) if r.is_alive(now)][:limit]

    def alike(
        self, scope: Scope, words: Sequence[str], *, now: datetime, limit: int
    ) -> list[Likeness]:
        living = self.recent(scope, now=now, limit=len(self.all))
        word_sets = [set(words_of(r)) for r in living]
        postings = {
            word: [at for at, held in enumerate(word_sets) if word in held] for word in words
        }
        shares = best_held(postings, limit=CANDIDATES)
        return by_relevance(Likeness(living[at], share) for at, share in shares.items())[:limit]

    def _prune(self, scope: Scope, now: datetime) -> None:
        """Remove expired reflections of a scope, and the oldest over the cap."""
        living = [r for r in self.all if r.scope == scope and r.is_alive(now)]
        kept = {id(r) for r in sorted(living, key=_age)[-self._cap :]}
        self.all = [r for r in self.all if r.scope != scope or id(r) in kept]

    def _visible(self, scope: Scope) -> list[Reflection]:
        return [r for r in self.all if r.scope in scope.visible()]


def _age(reflection: Reflection) -> datetime:
    return reflection.created_at


def on_runs() -> MemoryReflections:
    """The reflections on runs, at most `RUNS_KEPT` per scope."""
    return MemoryReflections(RUNS_KEPT)


def _same_subject(reflection: Reflection, other: Reflection) -> bool:
    return (reflection.scope, reflection.subject) == (other.scope, other.subject)
