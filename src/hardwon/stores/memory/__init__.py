"""Everything in this process: for tests, for trying things out, and as the model of a store."""

from __future__ import annotations

from collections import Counter
from contextlib import nullcontext
from typing import TYPE_CHECKING, TypeVar

from hardwon._cold.lazy import lazy
from hardwon.errors import NotFound
from hardwon.ranking.odds import EVERY, LIMITS, PRUNE_EVERY, Call, Counts, counted, together, united
from hardwon.ranking.query import Match, Query, Tally, index, keys, rarity
from hardwon.ranking.reflections import CANDIDATES, best_held, by_relevance, words_of
from hardwon.stores.memory.statistics import MemoryStatistics
from hardwon.stores.memory.units import MemoryUnits
from hardwon.text.embedding_text import Wording, wording_of
from hardwon.values.lesson import LIVE, SHELVED, Lesson, statuses
from hardwon.values.lesson_check import checked
from hardwon.values.reflection import RUNS_KEPT, Likeness, is_known, leaving

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import datetime

    from hardwon.stores import vectors
    from hardwon.values.delivery import Delivery
    from hardwon.values.dream import Change as DreamChange
    from hardwon.values.dream import Dream
    from hardwon.values.history import Change
    from hardwon.values.reflection import Likeness, Reflection
    from hardwon.values.scope import Scope

    T = TypeVar("T", Reflection, Delivery)
else:
    vectors = lazy("hardwon.stores.vectors")


class MemoryLessons:
    """Lessons in a dictionary."""

    def __init__(self) -> None:
        self.all: dict[int, Lesson] = {}
        self._last = 0

    def add(self, lesson: Lesson) -> Lesson:
        checked(lesson)
        for made in self.all.values():
            if lesson.job and (made.scope, made.job) == (lesson.scope, lesson.job):
                return made
        self._last += 1
        self.all[self._last] = lesson._replace(id=self._last)
        return self.all[self._last]

    def get(self, scope: Scope, number: int) -> Lesson:
        lesson = self.all.get(number)
        if lesson is None or lesson.scope not in scope.visible():
            raise NotFound("lesson", number)
        return lesson

    def update(self, lesson: Lesson) -> None:
        if self.get(lesson.scope, checked(lesson).id).scope != lesson.scope:
            raise NotFound("lesson", lesson.id)
        self.all[lesson.id] = lesson

    def delete(self, scope: Scope, number: int) -> None:
        del self.all[self.get(scope, number).id]

    def recent(self, scope: Scope, *, status: str, limit: int) -> list[Lesson]:
        seen = [one for one in self._seen(scope) if one.status in statuses(status)]
        seen.sort(key=lambda one: (one.last_seen_at, one.created_at, one.id), reverse=True)
        return seen[:limit]

    def search(self, scope: Scope, text: str, *, limit: int) -> list[Lesson]:
        found = [
            lesson
            for lesson in self._seen(scope)
            if lesson.is_active and text.lower() in _full_text(lesson).lower()
        ]
        found.sort(key=lambda one: (one.hits, one.last_seen_at, one.id), reverse=True)
        return found[:limit]

    def match(self, scope: Scope, query: Query, *, now: datetime, limit: int) -> list[Match]:
        able = {one.id: one for one in self._seen(scope) if one.status in LIVE}
        indexes = {number: index(lesson) for number, lesson in able.items()}
        near = tuple(pair for pair in query.near if pair[0] in able)
        tally = Tally(near, total=len(able))
        for key in keys(query):
            postings = [(n, found[key]) for n, found in indexes.items() if key in found]
            if postings:
                tally.add(key, postings, rarity(len(postings), len(able)))
        usual = [one.id for one in able.values() if one.met > 1]
        usual.sort(key=lambda n: (able[n].met, able[n].updated_at, n), reverse=True)
        return [
            tally.match(able[number])
            for number in dict.fromkeys((*tally.best(limit), *usual[: query.usual]))
            if (until := able[number].expires_at) is None or until > now
        ]

    def guards(self, scope: Scope) -> list[Lesson]:
        return [one for one in self._seen(scope) if one.guard and one.status not in SHELVED]

    def _seen(self, scope: Scope) -> list[Lesson]:
        return [lesson for lesson in self.all.values() if lesson.scope in scope.visible()]


class MemoryVectors:
    """Vectors in a dictionary, compared one by one."""

    def __init__(self, lessons: MemoryLessons) -> None:
        self.all: dict[int, tuple[str, Wording, bytes]] = {}
        self._lessons = lessons

    def lacking(self, embedder: str, *, after: int = 0, limit: int) -> list[Wording]:
        words = [wording_of(one) for one in self._able() if one.id > after]
        return [one for one in words if not self._vector(embedder, one)][:limit]

    def save(self, embedder: str, found: Iterable[tuple[Wording, Sequence[float]]]) -> None:
        packed = {words: vectors.packed(vector) for words, vector in found}
        self.all |= {words.lesson: (embedder, words, vector) for words, vector in packed.items()}

    def nearest(
        self, scope: Scope, embedder: str, vector: Sequence[float], *, limit: int
    ) -> list[tuple[int, float, float]]:
        words = [wording_of(one) for one in self._able() if one.scope in scope.visible()]
        own = {one.lesson: self._vector(embedder, one) for one in words}
        own = {number: stored for number, stored in own.items() if len(stored) == len(vector)}
        stored = list(own.values())
        near = vectors.likenesses(vector, stored, vectors.centre(stored)) if stored else []
        pairs = [(number, *both) for number, both in zip(own, near, strict=True)]
        return sorted(pairs, key=lambda one: (-one[2], one[0]))[:limit]

    def counts(self, embedder: str) -> tuple[int, int]:
        able = self._able()
        return sum(bool(self._vector(embedder, wording_of(one))) for one in able), len(able)

    def _able(self) -> list[Lesson]:
        return [one for one in self._lessons.all.values() if one.is_active]

    def _vector(self, embedder: str, words: Wording) -> bytes:
        """The vector of a lesson; none if it is of another embedder or of other words."""
        found = self.all.get(words.lesson)
        return found[2] if found and found[:2] == (embedder, words) else b""


class MemoryReflections:
    """Reflections in a list; with `cap`, only so many of the newest in a scope."""

    is_shared = False

    def __init__(self, cap: int = 0) -> None:
        self.all: list[Reflection] = []
        self._cap = cap

    def save(self, reflection: Reflection, *, keep: int = 0) -> bool:
        mates = [r for r in self.all if _same_subject(r, reflection)]
        if is_known(mates, reflection):
            return False
        gone = {id(mates[at]) for at in leaving(mates, reflection, keep=keep)}
        self.all = [r for r in self.all if id(r) not in gone] + [reflection]
        own = sorted((r for r in self.all if r.scope == reflection.scope), key=_age)
        surplus = {id(r) for r in own[: -self._cap]} if self._cap else set()
        self.all = [r for r in self.all if id(r) not in surplus]
        return True

    def about(self, scope: Scope, subject: str) -> list[Reflection]:
        return [r for r in self._seen(scope) if r.subject == subject]

    def recent(self, scope: Scope, *, now: datetime, limit: int) -> list[Reflection]:
        living = [r for r in self._seen(scope) if r.is_alive(now)]
        living.reverse()
        return sorted(living, key=lambda r: r.created_at, reverse=True)[:limit]

    def alike(
        self, scope: Scope, words: Sequence[str], *, now: datetime, limit: int
    ) -> list[Likeness]:
        living = self.recent(scope, now=now, limit=len(self.all))
        held = [set(words_of(r)) for r in living]
        postings = {word: [at for at, own in enumerate(held) if word in own] for word in words}
        found = best_held(postings, limit=CANDIDATES)
        return by_relevance(Likeness(living[at], share) for at, share in found.items())[:limit]

    def _seen(self, scope: Scope) -> list[Reflection]:
        return [r for r in self.all if r.scope in scope.visible()]


class MemoryDeliveries:
    """Deliveries in a list."""

    def __init__(self, lessons: MemoryLessons) -> None:
        self.all: list[Delivery] = []
        self._lessons = lessons

    def log(self, delivery: Delivery) -> None:
        self.all.append(delivery)
        for number in delivery.lessons:
            lesson = self._lessons.all.get(number)
            if lesson and lesson.scope in delivery.scope.visible():
                seen = max(lesson.last_seen_at, delivery.at)
                changed = lesson._replace(hits=lesson.hits + 1, last_seen_at=seen)
                self._lessons.all[number] = changed

    def report(self, scope: Scope, delivery: str, outcome: str) -> None:
        self.all = [
            d._replace(outcome=outcome) if (d.id, d.scope) == (delivery, scope) else d
            for d in self.all
        ]

    def settle(self, scope: Scope, delivery: str, outcome: str) -> None:
        if any((d.id, d.outcome) == (delivery, "") for d in self.all):
            self.report(scope, delivery, outcome)

    def recent(self, scope: Scope, *, limit: int) -> list[Delivery]:
        seen = [d for d in self.all if d.scope in scope.visible()]
        return sorted(seen, key=lambda d: (d.at, d.id), reverse=True)[:limit]


class MemoryFailures:
    """Failure counts in a dictionary."""

    def __init__(self) -> None:
        self.all: dict[tuple[Scope, str], tuple[str, int]] = {}
        self.times: dict[tuple[Scope, str], list[datetime]] = {}  # of every meeting

    def met(self, scope: Scope, signature: str, text: str, now: datetime) -> int:
        known, count = self.all.get((scope, signature), (text, 0))
        self.all[scope, signature] = (known, count + 1)
        self.times.setdefault((scope, signature), []).append(now)
        return count + 1

    def commonest(self, scope: Scope, *, limit: int) -> list[tuple[str, int]]:
        counts: dict[str, tuple[str, int]] = {}
        for (owner, signature), (text, count) in self.all.items():
            if owner in scope.visible():
                counts[signature] = (text, counts.get(signature, (text, 0))[1] + count)
        return sorted(counts.values(), key=lambda pair: (-pair[1], pair[0]))[:limit]


class MemoryCalls:
    """Counts of features in dictionaries."""

    def __init__(self) -> None:
        self.all: dict[Scope, dict[int, Counts]] = {}

    def made(self, scope: Scope, call: Call) -> None:
        known = self.all.setdefault(scope, {})
        counted(known, call)
        if known[EVERY].touched % PRUNE_EVERY == 0:
            order = sorted(known, key=lambda feature: (-known[feature].touched, feature))
            self.all[scope] = {feature: known[feature] for feature in order[: LIMITS.features]}

    def counts(self, scope: Scope, features: Sequence[int]) -> dict[int, Counts]:
        seen = [self.all[owner] for owner in scope.visible() if owner in self.all]
        found = {
            feature: [known[feature] for known in seen if feature in known]
            for feature in (EVERY, *features)
        }
        return {feature: together(known) for feature, known in found.items() if known}


class MemoryHistory:
    """Changes in a list."""

    def __init__(self) -> None:
        self.all: list[Change] = []
        self._last = 0

    def note(self, change: Change) -> None:
        self._last += 1
        self.all.append(change._replace(id=self._last))

    def of(self, scope: Scope, lesson: int | None) -> list[Change]:
        seen = [c for c in reversed(self.all) if c.before.scope in scope.visible()]
        return [c for c in seen if lesson is None or c.before.id == lesson]

    def forget(self, scope: Scope, change: Change) -> None:
        self.all = [c for c in self.all if c.id != change.id]


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


class MemoryStore:
    """A store that ends with the process."""

    def __init__(self) -> None:
        self.lessons = MemoryLessons()
        self.reflections = MemoryReflections()
        self.runs = MemoryReflections(RUNS_KEPT)
        self.deliveries = MemoryDeliveries(self.lessons)
        self.failures = MemoryFailures()
        self.statistics = MemoryStatistics(self)
        self.units = MemoryUnits()
        self.calls = MemoryCalls()
        self.history = MemoryHistory()
        self.dreams = MemoryDreams(self)
        self.vectors = MemoryVectors(self.lessons)

    def together(self) -> nullcontext[None]:
        return nullcontext()

    def shelves(self, tenant: str) -> dict[Scope, int]:
        active = (one.scope for one in self.lessons.all.values() if one.is_active)
        counts = Counter(scope for scope in active if scope.tenant == tenant)
        order = sorted(counts, key=lambda own: (-counts[own], own.agent, own.project or ""))
        return {scope: counts[scope] for scope in order}

    def scopes(self, tenant: str, project: str) -> list[Scope]:
        seen = [one.scope for one in self.lessons.all.values()]
        seen += [one.scope for one in (*self.runs.all, *self.reflections.all)]
        seen += [one.scope for one in self.deliveries.all]
        seen += [*self.calls.all, *(owner for owner, _ in self.failures.all)]
        own = (one for one in seen if (one.tenant, one.project) == (tenant, project))
        return list(dict.fromkeys(own))

    def move(self, scope: Scope, target: Scope) -> None:
        for part in (self.reflections, self.runs):
            part.all = [_moved(r, scope, target) for r in part.all]
        self.deliveries.all = [_moved(d, scope, target) for d in self.deliveries.all]
        for owner, signature in [key for key in self.failures.all if key[0] == scope]:
            text, count = self.failures.all.pop((owner, signature))
            known = self.failures.all.get((target, signature), (text, 0))
            self.failures.all[target, signature] = (known[0], known[1] + count)
        known_here = self.calls.all.setdefault(target, {})
        known_here |= united(self.calls.all.pop(scope, {}), known_here)

    def forget(self, tenant: str) -> None:
        kept = {n: one for n, one in self.lessons.all.items() if one.scope.tenant != tenant}
        self.lessons.all.clear()
        self.lessons.all.update(kept)
        self.vectors.all = {n: one for n, one in self.vectors.all.items() if n in kept}
        for kept_here in (self.reflections, self.runs):
            kept_here.all = [r for r in kept_here.all if r.scope.tenant != tenant]
        self.deliveries.all = [d for d in self.deliveries.all if d.scope.tenant != tenant]
        self.dreams.all = {n: d for n, d in self.dreams.all.items() if d.scope.tenant != tenant}
        self.failures.all = {k: v for k, v in self.failures.all.items() if k[0].tenant != tenant}
        kept_times = {k: v for k, v in self.failures.times.items() if k[0].tenant != tenant}
        self.failures.times = kept_times
        self.units.all = {k: v for k, v in self.units.all.items() if k[0].tenant != tenant}
        self.calls.all = {k: v for k, v in self.calls.all.items() if k.tenant != tenant}
        self.history.all = [c for c in self.history.all if c.before.scope.tenant != tenant]

    def check(self) -> list[str]:
        return []

    def close(self) -> None:
        """Nothing to release."""


def _moved(value: T, scope: Scope, target: Scope) -> T:
    is_there = value.scope == scope
    return value._replace(scope=target) if is_there else value


def _age(reflection: Reflection) -> datetime:
    return reflection.created_at


def _same_subject(one: Reflection, other: Reflection) -> bool:
    return (one.scope, one.subject) == (other.scope, other.subject)


def _full_text(lesson: Lesson) -> str:
    return " ".join((lesson.situation, lesson.mistake, lesson.correction, *lesson.tags))
