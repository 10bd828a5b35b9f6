"""Lessons, their vectors and history, reflections and dreams, in memory."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING

from hardwon.core.errors import NotFound
from hardwon.core.values.lesson import (
    CHANGES_KEPT,
    LIVE,
    MINED,
    SHELVED,
    Change,
    Lesson,
    Status,
    lesson_wording,
    statuses,
)
from hardwon.core.values.lesson_formats import check_lesson
from hardwon.core.values.reflection import RUNS_KEPT, Likeness, is_known, surplus_reflections
from hardwon.knowledge.ranking.query import Match, MatchTally, index, keys, rarity
from hardwon.knowledge.ranking.reflections import CANDIDATES, best_held, by_relevance, words_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import datetime

    from hardwon.core.values.dream import Dream, DreamChange
    from hardwon.core.values.lesson import Lesson, Wording
    from hardwon.core.values.reflection import Reflection
    from hardwon.core.values.scope import Scope
    from hardwon.knowledge.ranking.query import Query
    from hardwon.storage.stores.memory import MemoryStore


class MemoryLessons:
    """Lessons in a dictionary."""

    def __init__(self) -> None:
        self.all: dict[int, Lesson] = {}
        self._last = 0

    def add(self, lesson: Lesson) -> Lesson:
        check_lesson(lesson)
        for stored in self.all.values():
            if lesson.job and (stored.scope, stored.job) == (lesson.scope, lesson.job):
                return stored
        self._last += 1
        self.all[self._last] = lesson._replace(id=self._last)
        return self.all[self._last]

    def get(self, scope: Scope, number: int) -> Lesson:
        lesson = self.all.get(number)
        if lesson is None or lesson.scope not in scope.visible():
            raise NotFound("lesson", number)
        return lesson

    def update(self, lesson: Lesson) -> None:
        if self.get(lesson.scope, check_lesson(lesson).id).scope != lesson.scope:
            raise NotFound("lesson", lesson.id)
        self.all[lesson.id] = lesson

    def delete(self, scope: Scope, number: int) -> None:
        del self.all[self.get(scope, number).id]

    def recent(self, scope: Scope, *, status: str, limit: int) -> list[Lesson]:
        visible = [lesson for lesson in self._visible(scope) if lesson.status in statuses(status)]
        visible.sort(
            key=lambda lesson: (lesson.last_seen_at, lesson.created_at, lesson.id), reverse=True
        )
        return visible[:limit]

    def search(self, scope: Scope, text: str, *, limit: int) -> list[Lesson]:
        matches = [
            lesson
            for lesson in self._visible(scope)
            if lesson.is_active and text.lower() in _full_text(lesson).lower()
        ]
        matches.sort(key=lambda lesson: (lesson.hits, lesson.last_seen_at, lesson.id), reverse=True)
        return matches[:limit]

    def match(self, scope: Scope, query: Query, *, now: datetime, limit: int) -> list[Match]:
        live = {lesson.id: lesson for lesson in self._visible(scope) if lesson.status in LIVE}
        indexes = {number: index(lesson) for number, lesson in live.items()}
        near = tuple(pair for pair in query.near if pair[0] in live)
        total = sum(map(bool, indexes.values()))  # lessons without keys are not in the index
        tally = MatchTally(near, total=total)
        for key in keys(query):
            postings = [(n, entries[key]) for n, entries in indexes.items() if key in entries]
            if postings:
                tally.add(key, postings, rarity(len(postings), total))
        best = list(dict.fromkeys((*tally.best(limit), *_usual(live)[: query.usual])))
        mined = tally.mined_ids(query, best)
        unexpired = (n for n in best if (until := live[n].expires_at) is None or until > now)
        return [tally.match(live[n]) for n in unexpired if live[n].origin != MINED or n in mined]

    def guards(self, scope: Scope) -> list[Lesson]:
        return [
            lesson
            for lesson in self._visible(scope)
            if lesson.guard and lesson.status not in SHELVED
        ]

    def _visible(self, scope: Scope) -> list[Lesson]:
        return [lesson for lesson in self.all.values() if lesson.scope in scope.visible()]


def _usual(live: dict[int, Lesson]) -> list[int]:
    """The proven lessons that runs met again, the most frequent first."""
    proven = (lesson for lesson in live.values() if lesson.status == Status.PROVEN)
    met_again = [lesson.id for lesson in proven if lesson.met > 1]
    return sorted(met_again, key=lambda n: (live[n].met, live[n].updated_at, n), reverse=True)


def _full_text(lesson: Lesson) -> str:
    return " ".join((lesson.situation, lesson.mistake, lesson.correction, *lesson.tags))


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


class MemoryVectors:
    """Vectors in a dictionary, compared one by one."""

    def __init__(self, lessons: MemoryLessons) -> None:
        self.all: dict[int, tuple[str, Wording, bytes]] = {}
        self._lessons = lessons

    def lacking(self, embedder: str, *, after: int = 0, limit: int) -> list[Wording]:
        words = [lesson_wording(lesson) for lesson in self._active() if lesson.id > after]
        return [word for word in words if not self._vector(embedder, word)][:limit]

    def save(self, embedder: str, embedded: Iterable[tuple[Wording, Sequence[float]]]) -> None:
        from hardwon.storage import vector_codes

        packed = {words: vector_codes.pack_vector(vector) for words, vector in embedded}
        self.all |= {words.lesson: (embedder, words, vector) for words, vector in packed.items()}

    def nearest(
        self, scope: Scope, embedder: str, vector: Sequence[float], *, limit: int
    ) -> list[tuple[int, float, float]]:
        words = [
            lesson_wording(lesson) for lesson in self._active() if lesson.scope in scope.visible()
        ]
        vectors_by_lesson = {word.lesson: self._vector(embedder, word) for word in words}
        vectors_by_lesson = {
            number: packed
            for number, packed in vectors_by_lesson.items()
            if len(packed) == len(vector)
        }
        stored = list(vectors_by_lesson.values())
        from hardwon.storage import vector_codes

        background = vector_codes.Background(stored)
        return background.nearest(vector, list(vectors_by_lesson), stored)[:limit]

    def counts(self, embedder: str) -> tuple[int, int]:
        active = self._active()
        return sum(bool(self._vector(embedder, lesson_wording(lesson))) for lesson in active), len(
            active
        )

    def _active(self) -> list[Lesson]:
        return [lesson for lesson in self._lessons.all.values() if lesson.is_active]

    def _vector(self, embedder: str, words: Wording) -> bytes:
        """The vector of a lesson; empty if its embedder or wording differs."""
        stored = self.all.get(words.lesson)
        return stored[2] if stored and stored[:2] == (embedder, words) else b""


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
