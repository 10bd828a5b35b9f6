"""Lists of what a memory store holds."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from hardwon.core.errors import NotFound
from hardwon.core.values.lesson import Lesson, statuses
from hardwon.core.values.report import FailureKind, ListQuery, Mark, Place, day_number, day_of

if TYPE_CHECKING:
    from datetime import datetime

    from hardwon.core.values.delivery import Delivery
    from hardwon.core.values.scope import Scope
    from hardwon.storage.stores.memory import MemoryStore


class MemoryListing:
    """Lists that are sorted again for each page."""

    def __init__(self, store: MemoryStore) -> None:
        self._store = store

    def scopes(self, tenant: str) -> list[Scope]:
        all_scopes = [lesson.scope for lesson in self._store.lessons.all.values()]
        all_scopes += [delivery.scope for delivery in self._store.deliveries.all]
        all_scopes += [scope for scope, _ in self._store.failures.all]
        return sorted({scope for scope in all_scopes if scope.tenant == tenant}, key=_name)

    def lesson(self, place: Place, number: int) -> Lesson:
        lesson = self._store.lessons.all.get(number)
        if lesson is None or not place.covers(lesson.scope):
            raise NotFound("lesson", number)
        return lesson

    def lessons(self, query: ListQuery) -> list[Lesson]:
        allowed = statuses(query.status)
        lessons = [
            lesson
            for lesson in self._store.lessons.all.values()
            if query.place.covers(lesson.scope) and lesson.status in allowed
            if query.text.lower() in _full_text(lesson).lower()
        ]
        lessons.sort(key=lambda lesson: (-lesson.last_seen_at.timestamp(), lesson.id))
        after = query.after
        if after is not None:
            last = -after[0], int(after[1])
            lessons = [
                lesson for lesson in lessons if (-lesson.last_seen_at.timestamp(), lesson.id) > last
            ]
        return lessons[: query.limit]

    def counts(self, place: Place) -> dict[str, int]:
        covered = (
            lesson for lesson in self._store.lessons.all.values() if place.covers(lesson.scope)
        )
        return dict(Counter(lesson.status for lesson in covered))

    def failures(self, query: ListQuery, since: datetime) -> list[FailureKind]:
        occurrences: dict[str, list[tuple[datetime, Scope]]] = {}
        for (scope, kind), times in self._store.failures.times.items():
            if query.place.covers(scope):
                occurrences.setdefault(kind, []).extend((at, scope) for at in times)
        first = day_number(since)
        kinds = [self._kind(kind, times, first) for kind, times in occurrences.items()]
        kinds = [kind for kind in kinds if kind.met and query.text.lower() in kind.text.lower()]
        kinds.sort(key=lambda kind: (-kind.met, kind.kind))
        return [kind for kind in kinds if _follows((kind.met, kind.kind), query)][: query.limit]

    def deliveries(self, query: ListQuery) -> list[Delivery]:
        deliveries = [
            delivery
            for delivery in self._store.deliveries.all
            if query.place.covers(delivery.scope)
        ]
        deliveries.sort(key=lambda delivery: (-delivery.at.timestamp(), delivery.id))
        return [
            delivery
            for delivery in deliveries
            if _follows((delivery.at.timestamp(), delivery.id), query)
        ][: query.limit]

    def _kind(
        self, kind: str, occurrences: list[tuple[datetime, Scope]], first: int
    ) -> FailureKind:
        last, scope = max(occurrences, key=lambda occurrence: occurrence[0])
        text = self._store.failures.all[scope, kind][0]
        days = Counter(day for at, _ in occurrences if (day := day_number(at)) >= first)
        by_day = tuple((day_of(day), count) for day, count in sorted(days.items()))
        start = min(at for at, _ in occurrences)
        return FailureKind(kind, text, sum(days.values()), start, last, by_day, scope)


def _follows(mark: Mark, query: ListQuery) -> bool:
    return query.after is None or (-mark[0], mark[1]) > (-query.after[0], query.after[1])


def _name(scope: Scope) -> tuple[str, str]:
    return scope.agent, scope.project or ""


def _full_text(lesson: Lesson) -> str:
    return " ".join((lesson.situation, lesson.mistake, lesson.correction, *lesson.tags))
