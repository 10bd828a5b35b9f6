"""A store in memory: for tests, for trying things out, and as the reference for stores."""

from __future__ import annotations

from collections import Counter
from contextlib import nullcontext
from typing import TYPE_CHECKING, TypeVar

from hardwon.storage.stores.memory.lessons import (
    MemoryDreams,
    MemoryHistory,
    MemoryLessons,
    MemoryReflections,
    MemoryVectors,
    on_runs,
)
from hardwon.storage.stores.memory.logs import (
    MemoryDeliveries,
    MemoryEndedRuns,
    MemoryFailures,
    MemoryListing,
    MemoryStatistics,
    MemoryUnits,
)

if TYPE_CHECKING:
    from hardwon.core.values.delivery import Delivery
    from hardwon.core.values.reflection import Reflection
    from hardwon.core.values.scope import Scope

    T = TypeVar("T", Reflection, Delivery)


class MemoryStore:
    """A store that ends with the process."""

    def __init__(self) -> None:
        self.lessons = MemoryLessons()
        self.reflections = MemoryReflections()
        self.runs = on_runs()
        self.deliveries = MemoryDeliveries(self.lessons)
        self.failures = MemoryFailures()
        self.statistics = MemoryStatistics(self)
        self.listing = MemoryListing(self)
        self.units = MemoryUnits()
        self.ended_runs = MemoryEndedRuns()
        self.history = MemoryHistory()
        self.dreams = MemoryDreams(self)
        self.vectors = MemoryVectors(self.lessons)

    def together(self) -> nullcontext[None]:
        return nullcontext()

    def last_state(self) -> None:
        return None

    def shelves(self, tenant: str) -> dict[Scope, int]:
        active = (lesson.scope for lesson in self.lessons.all.values() if lesson.is_active)
        counts = Counter(scope for scope in active if scope.tenant == tenant)
        order = sorted(counts, key=lambda scope: (-counts[scope], scope.agent, scope.project or ""))
        return {scope: counts[scope] for scope in order}

    def scopes(self, tenant: str, project: str) -> list[Scope]:
        all_scopes = [lesson.scope for lesson in self.lessons.all.values()]
        all_scopes += [reflection.scope for reflection in (*self.runs.all, *self.reflections.all)]
        all_scopes += [delivery.scope for delivery in self.deliveries.all]
        all_scopes += [run.scope for run in self.ended_runs.all.values()]
        all_scopes += [owner for owner, _ in self.failures.all]
        matching = (
            scope for scope in all_scopes if (scope.tenant, scope.project) == (tenant, project)
        )
        return list(dict.fromkeys(matching))

    def move(self, scope: Scope, target: Scope) -> None:
        for part in (self.reflections, self.runs):
            part.all = [_move_value(r, scope, target) for r in part.all]
        self.deliveries.all = [_move_value(d, scope, target) for d in self.deliveries.all]
        self.failures.move(scope, target)
        self.ended_runs.move(scope, target)
        self.units.move(scope, target)

    def forget(self, tenant: str) -> None:
        remaining = {
            n: lesson for n, lesson in self.lessons.all.items() if lesson.scope.tenant != tenant
        }
        self.lessons.all.clear()
        self.lessons.all.update(remaining)
        self.vectors.all = {n: vector for n, vector in self.vectors.all.items() if n in remaining}
        for part in (self.reflections, self.runs):
            part.all = [r for r in part.all if r.scope.tenant != tenant]
        self.deliveries.all = [d for d in self.deliveries.all if d.scope.tenant != tenant]
        self.dreams.all = {n: d for n, d in self.dreams.all.items() if d.scope.tenant != tenant}
        self.failures.forget_tenant(tenant)
        self.units.forget_tenant(tenant)
        self.ended_runs.forget_tenant(tenant)
        self.history.all = [c for c in self.history.all if c.before.scope.tenant != tenant]

    def tend(self) -> int:
        return 0

    def check(self) -> list[str]:
        return []

    def close(self) -> None:
        """Nothing to release."""


def _move_value(value: T, scope: Scope, target: Scope) -> T:
    is_there = value.scope == scope
    return value._replace(scope=target) if is_there else value
