"""What happened, in memory: deliveries, failures, ended runs, the hold-out, sums and lists."""

from __future__ import annotations

import os
from collections import Counter
from typing import TYPE_CHECKING, Any

from hardwon.core.errors import NotFound
from hardwon.core.values.delivery import EXCLUDED, Unit
from hardwon.core.values.lesson import Lesson, Status, statuses
from hardwon.core.values.report import (
    Deliveries,
    Exposure,
    FailureKind,
    LessonState,
    ListQuery,
    Mark,
    Met,
    OpenFailure,
    Order,
    Place,
    Window,
    day_number,
    day_of,
)
from hardwon.knowledge.proof.effect import Arms, Stratum, Treatment

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from datetime import date, datetime

    from hardwon.core.values.delivery import Delivery
    from hardwon.core.values.report import ListQuery, Place, Window
    from hardwon.core.values.run import EndedRun
    from hardwon.core.values.scope import Scope
    from hardwon.storage.stores.memory import MemoryStore
    from hardwon.storage.stores.memory.lessons import MemoryLessons


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
                last_seen = max(lesson.last_seen_at, delivery.at)
                changed = lesson._replace(hits=lesson.hits + 1, last_seen_at=last_seen)
                self._lessons.all[number] = changed

    def report(self, scope: Scope, delivery: str, outcome: str) -> None:
        self.all = [
            d._replace(outcome=outcome) if (d.id, d.scope) == (delivery, scope) else d
            for d in self.all
        ]

    def settle(self, scope: Scope, outcomes: Sequence[tuple[str, str]]) -> None:
        for delivery, outcome in outcomes:
            if any((d.id, d.outcome) == (delivery, "") for d in self.all):
                self.report(scope, delivery, outcome)

    def recent(self, scope: Scope, *, limit: int) -> list[Delivery]:
        visible = [d for d in self.all if d.scope in scope.visible()]
        return sorted(visible, key=lambda d: (d.at, d.id), reverse=True)[:limit]


class MemoryFailures:
    """Failure counts in a dictionary."""

    def __init__(self) -> None:
        self.all: dict[tuple[Scope, str], tuple[str, int]] = {}
        self.times: dict[tuple[Scope, str], list[datetime]] = {}  # of every occurrence

    def count(self, scope: Scope, signature: str, text: str, now: datetime) -> None:
        first_text, count = self.all.get((scope, signature), (text, 0))
        self.all[scope, signature] = (first_text, count + 1)
        self.times.setdefault((scope, signature), []).append(now)

    def move(self, scope: Scope, target: Scope) -> None:
        """Move the failures of a scope to another; counts are added."""
        for key in [key for key in self.all if key[0] == scope]:
            (text, count), new = self.all.pop(key), (target, key[1])
            first_text, before = self.all.get(new, (text, 0))
            self.all[new] = first_text, before + count
            self.times.setdefault(new, []).extend(self.times.pop(key))

    def forget_tenant(self, tenant: str) -> None:
        """Remove the failures of a tenant."""
        for key in [key for key in self.all if key[0].tenant == tenant]:
            del self.all[key], self.times[key]

    def commonest(self, scope: Scope, *, limit: int) -> list[tuple[str, int]]:
        counts: dict[str, tuple[str, int]] = {}
        for (owner, signature), (text, count) in self.all.items():
            if owner in scope.visible():
                counts[signature] = (text, counts.get(signature, (text, 0))[1] + count)
        return sorted(counts.values(), key=lambda pair: (-pair[1], pair[0]))[:limit]


_MOST = 1_000  # runs that a process remembers


class MemoryEndedRuns:
    """Each run by its id."""

    def __init__(self) -> None:
        self.all: dict[str, EndedRun] = {}
        self._past: dict[tuple[Scope, str], str] = {}

    def keep(self, run: EndedRun) -> None:
        self.all[run.id] = run
        for old in list(self.all)[:-_MOST]:
            del self.all[old]

    def get(self, place: Place, run: str) -> EndedRun:
        matching = [ended for ended in self.all.values() if ended.id.startswith(run)]
        covered = sorted(
            (ended for ended in matching if run and place.covers(ended.scope)), key=_order
        )
        if not covered:
            raise NotFound("run", run)
        return covered[0]

    def recent(self, query: ListQuery) -> list[EndedRun]:
        covered = [run for run in self.all.values() if query.place.covers(run.scope)]
        runs = [run for run in covered if query.text.lower() in run.task.lower()]
        runs = [run for run in runs if not query.met or query.met in run.kinds]
        runs = [run for run in runs if query.person in ("", run.person)]
        if query.after is not None:
            last = -query.after[0], query.after[1]
            runs = [run for run in runs if _order(run) > last]
        first = sorted(runs, key=_order)[: query.limit]
        return [run._replace(steps=(), shown=()) for run in first]

    def who_met(self, query: ListQuery) -> list[Met]:
        times: dict[tuple[Scope, str, str], list[datetime]] = {}
        for run in self.all.values():
            if query.place.covers(run.scope) and query.met in run.kinds:
                times.setdefault((run.scope, run.person, run.machine), []).append(run.ended)
        found = [Met(*who, len(ended), max(ended)) for who, ended in times.items()]
        return sorted(found, key=lambda one: (-one.runs, -one.last.timestamp()))[: query.limit]

    def latest(self, window: Window, *, limit: int) -> Iterator[EndedRun]:
        covered = [run for run in self.all.values() if window.covers(run.scope)]
        recent = sorted((run for run in covered if run.ended >= window.since), key=_order)
        return reversed(recent[:limit])

    def prune(self, tenant: str, *, before: datetime, most: int) -> int:
        runs = sorted((run for run in self.all.values() if run.scope.tenant == tenant), key=_order)
        old = [run for at, run in enumerate(runs) if run.ended < before or at >= most]
        for run in old:
            del self.all[run.id]
        return len(old)

    def past(self, scope: Scope, digests: Sequence[str]) -> dict[str, str]:
        return {name: self._past[scope, name] for name in digests if (scope, name) in self._past}

    def note_past(self, scope: Scope, digest: str, state: str) -> None:
        self._past[scope, digest] = state

    def move(self, scope: Scope, target: Scope) -> None:
        """Move the runs of a scope to another."""
        for name, run in self.all.items():
            if run.scope == scope:
                self.all[name] = run._replace(scope=target)

    def forget_tenant(self, tenant: str) -> None:
        """Remove the runs of a tenant."""
        self.all = {name: run for name, run in self.all.items() if run.scope.tenant != tenant}
        self._past = {key: state for key, state in self._past.items() if key[0].tenant != tenant}


def _order(run: EndedRun) -> tuple[float, str]:
    return -run.ended.timestamp(), run.id


class MemoryUnits:
    """Each unit with its outcome."""

    def __init__(self) -> None:
        self.all: dict[tuple[Scope, str, str], tuple[Unit, str]] = {}
        self.shares: dict[str, float] = {}
        self._salt = os.urandom(16).hex()

    def salt(self) -> str:
        return self._salt

    def share(self, tenant: str) -> float | None:
        return self.shares.get(tenant)

    def set_share(self, tenant: str, share: float) -> None:
        self.shares[tenant] = share

    def log(self, unit: Unit) -> None:
        self.all.setdefault((unit.scope, unit.run, unit.family), (unit, ""))

    def settle(self, scope: Scope, run: str, family: str, outcome: str) -> None:
        key = scope, run, family
        if key in self.all and not self.all[key][1]:
            self.all[key] = self.all[key][0], outcome

    def exclude(self, scope: Scope, families: Sequence[str], now: datetime) -> None:
        for unit, _ in list(self.all.values()):
            if unit.scope == scope and unit.family in families and unit.at <= now:
                self.settle(scope, unit.run, unit.family, EXCLUDED)

    def arms(self, window: Window) -> list[Arms]:
        strata = self._count(window, lambda unit: (unit.door, unit.share))
        return [strata[stratum] for stratum in sorted(strata)]

    def treatments(self, window: Window) -> list[Treatment]:
        counted = self._count(window, lambda unit: (unit.lesson, unit.wording, unit.share))
        strata: dict[tuple[int, str], list[Arms]] = {}
        for lesson, wording, share in sorted(counted):
            strata.setdefault((lesson, wording), []).append(counted[lesson, wording, share])
        scopes = {unit.lesson: unit.scope for unit, _ in self._units(window)}
        return [
            Treatment(scopes[lesson], lesson, wording, tuple(arms))
            for (lesson, wording), arms in strata.items()
            if lesson
        ]

    def move(self, scope: Scope, target: Scope) -> None:
        """Move the units of a scope to another."""
        for key in [key for key in self.all if key[0] == scope]:
            unit, outcome = self.all.pop(key)
            self.all.setdefault((target, *key[1:]), (unit._replace(scope=target), outcome))

    def forget_tenant(self, tenant: str) -> None:
        """Remove the units of a tenant, and its share."""
        self.all = {key: row for key, row in self.all.items() if key[0].tenant != tenant}
        self.shares.pop(tenant, None)

    def _count(
        self, window: Window, stratum: Callable[[Unit], tuple[Any, ...]]
    ) -> dict[tuple[Any, ...], Arms]:
        arms: dict[tuple[Any, ...], Arms] = {}
        for unit, outcome in self._units(window):
            before = arms.get(stratum(unit), Arms())
            arms[stratum(unit)] = before.with_unit(outcome, withheld=unit.withheld)
        return arms

    def _units(self, window: Window) -> Iterator[tuple[Unit, str]]:
        for unit, outcome in self.all.values():
            if window.covers(unit.scope) and unit.at >= window.since:
                yield unit, outcome


class MemoryStatistics:
    """Sums and counts, computed for each query."""

    def __init__(self, store: MemoryStore) -> None:
        self._store = store

    def failures_by_day(self, window: Window) -> list[tuple[date, int]]:
        return _by_day(at for times in self._recent(window).values() for at in times)

    def failures(self, window: Window, *, limit: int) -> list[FailureKind]:
        every = self._times(window)
        recent = self._recent(window)
        kinds = [
            self._kind(kind, every[kind])._replace(met=len(times), days=tuple(_by_day(times)))
            for kind, times in recent.items()
        ]
        return sorted(kinds, key=_commonest)[:limit]

    def stopped_failures(
        self, window: Window, *, before: datetime, limit: int
    ) -> list[FailureKind]:
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

    def open_failures(self, window: Window, *, limit: int) -> list[OpenFailure]:
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
            if query.tag in ("", *lesson.tags)
        ]
        is_by_met = query.order == Order.MET
        marked = sorted(
            (-(lesson.met if is_by_met else lesson.last_seen_at.timestamp()), lesson.id, at)
            for at, lesson in enumerate(lessons)
        )
        if query.after is not None:
            last = -query.after[0], int(query.after[1])
            marked = [mark for mark in marked if mark[:2] > last]
        return [lessons[at] for _, _, at in marked[: query.limit]]

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
        kinds = [kind for kind in kinds if query.kind in ("", kind.kind)]
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
