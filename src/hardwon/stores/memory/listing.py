"""Lists of what a memory store holds."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from hardwon.errors import NotFound
from hardwon.values.lesson import statuses
from hardwon.values.report import FailureKind, day_number, day_of

if TYPE_CHECKING:
    from datetime import datetime

    from hardwon.stores.memory import MemoryStore
    from hardwon.values.delivery import Delivery
    from hardwon.values.lesson import Lesson
    from hardwon.values.listing import ListQuery, Mark, Place
    from hardwon.values.scope import Scope


class MemoryListing:
    """Lists that are sorted again for each page."""

    def __init__(self, store: MemoryStore) -> None:
        self._store = store

    def scopes(self, tenant: str) -> list[Scope]:
        seen = [lesson.scope for lesson in self._store.lessons.all.values()]
        seen += [delivery.scope for delivery in self._store.deliveries.all]
        seen += [scope for scope, _ in self._store.failures.all]
        return sorted({scope for scope in seen if scope.tenant == tenant}, key=_name)

    def lesson(self, place: Place, number: int) -> Lesson:
        lesson = self._store.lessons.all.get(number)
        if lesson is None or not place.covers(lesson.scope):
            raise NotFound("lesson", number)
        return lesson

    def lessons(self, wanted: ListQuery) -> list[Lesson]:
        asked = statuses(wanted.status)
        lessons = [
            lesson
            for lesson in self._store.lessons.all.values()
            if wanted.place.covers(lesson.scope) and lesson.status in asked
            if wanted.text.lower() in _full_text(lesson).lower()
        ]
        lessons.sort(key=lambda lesson: (-lesson.last_seen_at.timestamp(), lesson.id))
        after = wanted.after
        if after is not None:
            last = -after[0], int(after[1])
            lessons = [
                lesson for lesson in lessons if (-lesson.last_seen_at.timestamp(), lesson.id) > last
            ]
        return lessons[: wanted.limit]

    def counts(self, place: Place) -> dict[str, int]:
        own = (lesson for lesson in self._store.lessons.all.values() if place.covers(lesson.scope))
        return dict(Counter(lesson.status for lesson in own))

    def failures(self, wanted: ListQuery, since: datetime) -> list[FailureKind]:
        met: dict[str, list[tuple[datetime, Scope]]] = {}
        for (scope, kind), times in self._store.failures.times.items():
            if wanted.place.covers(scope):
                met.setdefault(kind, []).extend((at, scope) for at in times)
        first = day_number(since)
        kinds = [self._kind(kind, times, first) for kind, times in met.items()]
        kinds = [kind for kind in kinds if kind.met and wanted.text.lower() in kind.text.lower()]
        kinds.sort(key=lambda kind: (-kind.met, kind.kind))
        return [kind for kind in kinds if _follows((kind.met, kind.kind), wanted)][: wanted.limit]

    def deliveries(self, wanted: ListQuery) -> list[Delivery]:
        deliveries = [
            delivery
            for delivery in self._store.deliveries.all
            if wanted.place.covers(delivery.scope)
        ]
        deliveries.sort(key=lambda delivery: (-delivery.at.timestamp(), delivery.id))
        return [
            delivery
            for delivery in deliveries
            if _follows((delivery.at.timestamp(), delivery.id), wanted)
        ][: wanted.limit]

    def _kind(self, kind: str, met: list[tuple[datetime, Scope]], first: int) -> FailureKind:
        last, scope = max(met, key=lambda meeting: meeting[0])
        text = self._store.failures.all[scope, kind][0]
        days = Counter(day for at, _ in met if (day := day_number(at)) >= first)
        by_day = tuple((day_of(day), count) for day, count in sorted(days.items()))
        start = min(at for at, _ in met)
        return FailureKind(kind, text, sum(days.values()), start, last, by_day, scope)


def _follows(mark: Mark, wanted: ListQuery) -> bool:
    return wanted.after is None or (-mark[0], mark[1]) > (-wanted.after[0], wanted.after[1])


def _name(scope: Scope) -> tuple[str, str]:
    return scope.agent, scope.project or ""


def _full_text(lesson: Lesson) -> str:
    return " ".join((lesson.situation, lesson.mistake, lesson.correction, *lesson.tags))
