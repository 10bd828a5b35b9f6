"""Statistics for reports, computed from a memory store."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from hardwon.core.values.lesson import Status
from hardwon.core.values.report import (
    Deliveries,
    Exposure,
    FailureKind,
    LessonState,
    OpenFailure,
    Window,
    day_number,
    day_of,
)
from hardwon.knowledge.proof.arms import Arms, Stratum

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from datetime import date, datetime

    from hardwon.core.values.delivery import Delivery
    from hardwon.core.values.scope import Scope
    from hardwon.storage.stores.memory import MemoryStore


class MemoryStatistics:
    """Sums and counts, computed for each query."""

    def __init__(self, store: MemoryStore) -> None:
        self._store = store

    def met(self, window: Window) -> list[tuple[date, int]]:
        return _by_day(at for times in self._recent(window).values() for at in times)

    def failures(self, window: Window, *, limit: int) -> list[FailureKind]:
        every = self._times(window)
        recent = self._recent(window)
        kinds = [
            self._kind(kind, every[kind])._replace(met=len(times), days=tuple(_by_day(times)))
            for kind, times in recent.items()
        ]
        return sorted(kinds, key=_commonest)[:limit]

    def stopped(self, window: Window, *, before: datetime, limit: int) -> list[FailureKind]:
        kinds = [self._kind(kind, times) for kind, times in self._times(window).items()]
        ended = [kind for kind in kinds if kind.met > 1 and window.since <= kind.last < before]
        return sorted(ended, key=_commonest)[:limit]

    def deliveries(self, window: Window) -> list[Deliveries]:
        first = day_number(window.since)
        counts: Counter[tuple[int, str, str]] = Counter()
        tokens: Counter[tuple[int, str, str]] = Counter()
        for delivery in self._store.deliveries.all:
            if window.covers(delivery.scope) and day_number(delivery.at) >= first:
                key = day_number(delivery.at), delivery.door, delivery.outcome
                counts[key] += 1
                tokens[key] += delivery.tokens
        return [
            Deliveries(door, outcome, day_of(day), counts[day, door, outcome], sum_)
            for (day, door, outcome), sum_ in sorted(tokens.items())
        ]

    def lessons(self, window: Window, *, new: datetime) -> list[LessonState]:
        visible = [
            lesson for lesson in self._store.lessons.all.values() if window.sees(lesson.scope)
        ]
        counts = Counter(lesson.status for lesson in visible)
        fresh = Counter(lesson.status for lesson in visible if lesson.created_at >= new)
        return [LessonState(status, counts[status], fresh[status]) for status in sorted(counts)]

    def unsolved(self, window: Window, *, limit: int) -> list[OpenFailure]:
        failures = [
            OpenFailure(lesson.id, lesson.situation, lesson.met, lesson.updated_at)
            for lesson in self._store.lessons.all.values()
            if window.covers(lesson.scope) and lesson.updated_at >= window.since
            if lesson.status == Status.SEEN and lesson.met > 1
        ]
        return sorted(failures, key=lambda failure: (-failure.met, failure.lesson))[:limit]

    def strata(self, window: Window) -> list[Stratum]:
        arms: dict[tuple[str, str, str, float], Arms] = {}
        for unit, outcome in self._store.units.all.values():
            if window.covers(unit.scope) and unit.at >= window.since:
                lesson = self._store.lessons.all.get(unit.lesson)
                author = "" if lesson is None else lesson.author
                key = unit.scope.project or "", unit.door, author, unit.share
                before = arms.get(key, Arms())
                arms[key] = before.with_unit(outcome, withheld=unit.withheld)
        return [Stratum(*key, arms[key]) for key in sorted(arms)]

    def exposures(self, scope: Scope, lesson: int) -> list[Exposure]:
        agent = scope.everywhere()
        groups: dict[tuple[str, str], list[Delivery]] = {}
        for delivery in self._store.deliveries.all:
            if delivery.scope.everywhere() == agent and lesson in delivery.lessons:
                groups.setdefault((delivery.door, delivery.outcome), []).append(delivery)
        exposures = [
            Exposure(*key, len(group), max(delivery.at for delivery in group))
            for key, group in groups.items()
        ]
        return sorted(exposures, key=lambda e: (-e.last.timestamp(), e.door, e.outcome))

    def _kind(self, kind: str, times: list[datetime]) -> FailureKind:
        text = next(text for (_, key), (text, _) in self._store.failures.all.items() if key == kind)
        return FailureKind(kind, text, len(times), min(times), max(times))

    def _recent(self, window: Window) -> dict[str, list[datetime]]:
        first = day_number(window.since)
        return self._times(window, lambda at: day_number(at) >= first)

    def _times(
        self, window: Window, is_selected: Callable[[datetime], bool] = lambda at: True
    ) -> dict[str, list[datetime]]:
        """When each kind was met, in the scopes of the window."""
        times_by_kind: dict[str, list[datetime]] = {}
        for (scope, kind), times in self._store.failures.times.items():
            selected = [at for at in times if is_selected(at)] if window.covers(scope) else []
            if selected:
                times_by_kind.setdefault(kind, []).extend(selected)
        return times_by_kind


def _by_day(times: Iterable[datetime]) -> list[tuple[date, int]]:
    return [(day_of(day), count) for day, count in sorted(Counter(map(day_number, times)).items())]


def _commonest(kind: FailureKind) -> tuple[int, str]:
    return -kind.met, kind.kind
