"""Deliveries in a list."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hardwon.core.values.delivery import Delivery
    from hardwon.core.values.scope import Scope
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
