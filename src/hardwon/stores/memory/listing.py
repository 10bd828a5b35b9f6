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
    from hardwon.values.listing import Mark, Place, Wanted
    from hardwon.values.scope import Scope


class MemoryListing:
    """Lists that are sorted again for each page."""

    def __init__(self, store: MemoryStore) -> None:
        self._store = store

    def scopes(self, tenant: str) -> list[Scope]:
        seen = [one.scope for one in self._store.lessons.all.values()]
        seen += [one.scope for one in self._store.deliveries.all]
        seen += [scope for scope, _ in self._store.failures.all]
        return sorted({one for one in seen if one.tenant == tenant}, key=_name)

    def lesson(self, place: Place, number: int) -> Lesson:
        lesson = self._store.lessons.all.get(number)
        if lesson is None or not place.covers(lesson.scope):
            raise NotFound("lesson", number)
        return lesson

    def lessons(self, wanted: Wanted) -> list[Lesson]:
        asked = statuses(wanted.status)
        found = [
            one
            for one in self._store.lessons.all.values()
            if wanted.place.covers(one.scope) and one.status in asked
            if wanted.text.lower() in _full_text(one).lower()
        ]
        found.sort(key=lambda one: (-one.last_seen_at.timestamp(), one.id))
        after = wanted.after
        if after is not None:
            last = -after[0], int(after[1])
            found = [one for one in found if (-one.last_seen_at.timestamp(), one.id) > last]
        return found[: wanted.limit]

    def counts(self, place: Place) -> dict[str, int]:
        own = (one for one in self._store.lessons.all.values() if place.covers(one.scope))
        return dict(Counter(one.status for one in own))

    def failures(self, wanted: Wanted, since: datetime) -> list[FailureKind]:
        met: dict[str, list[tuple[datetime, Scope]]] = {}
        for (scope, kind), times in self._store.failures.times.items():
            if wanted.place.covers(scope):
                met.setdefault(kind, []).extend((at, scope) for at in times)
        first = day_number(since)
        kinds = [self._kind(kind, times, first) for kind, times in met.items()]
        found = [one for one in kinds if one.met and wanted.text.lower() in one.text.lower()]
        found.sort(key=lambda one: (-one.met, one.kind))
        return [one for one in found if _follows((one.met, one.kind), wanted)][: wanted.limit]

    def deliveries(self, wanted: Wanted) -> list[Delivery]:
        found = [d for d in self._store.deliveries.all if wanted.place.covers(d.scope)]
        found.sort(key=lambda d: (-d.at.timestamp(), d.id))
        return [d for d in found if _follows((d.at.timestamp(), d.id), wanted)][: wanted.limit]

    def _kind(self, kind: str, met: list[tuple[datetime, Scope]], first: int) -> FailureKind:
        last, scope = max(met, key=lambda one: one[0])
        text = self._store.failures.all[scope, kind][0]
        days = Counter(day for at, _ in met if (day := day_number(at)) >= first)
        by_day = tuple((day_of(day), count) for day, count in sorted(days.items()))
        start = min(at for at, _ in met)
        return FailureKind(kind, text, sum(days.values()), start, last, by_day, scope)


def _follows(mark: Mark, wanted: Wanted) -> bool:
    return wanted.after is None or (-mark[0], mark[1]) > (-wanted.after[0], wanted.after[1])


def _name(scope: Scope) -> tuple[str, str]:
    return scope.agent, scope.project or ""


def _full_text(lesson: Lesson) -> str:
    return " ".join((lesson.situation, lesson.mistake, lesson.correction, *lesson.tags))
