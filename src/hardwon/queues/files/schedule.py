"""Which job comes next: pure bookkeeping, no file is touched here."""

from __future__ import annotations

import heapq
import itertools
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime, timedelta


class Schedule:
    """Jobs by the time they are due: `capacity` of them sorted, the rest by name only."""

    def __init__(self, capacity: int, *, drop_oldest: bool, patience: timedelta) -> None:
        self._capacity = max(1, capacity)
        self._drops_oldest = drop_oldest
        self._patience = patience
        self._serial = itertools.count()
        self._heap: list[tuple[datetime, datetime, int, str]] = []
        self._queued: dict[str, tuple[datetime, int]] = {}  # when enqueued, and its heap entry
        self._arrived: dict[str, datetime] = {}  # since when it waits for room
        self._left: dict[str, None] = {}  # waits for room without being counted again
        self._out: set[str] = set()

    def __contains__(self, name: object) -> bool:
        return (
            name in self._queued or name in self._out or name in self._arrived or name in self._left
        )

    def __len__(self) -> int:
        return len(self._queued)

    @property
    def in_flight(self) -> int:
        """How many are claimed."""
        return len(self._out)

    def arrive(self, name: str, now: datetime) -> None:
        """A new job is there; it is admitted when there is room."""
        self._arrived[name] = now

    def leave_outside(self, name: str) -> None:
        """A job from before the start; it is admitted when there is room."""
        self._left[name] = None

    def next_outside(self) -> str | None:
        """A name to be admitted, if there is room for it."""
        if len(self._queued) < self._capacity:
            return next(iter(self._left), None) or next(iter(self._arrived), None)
        return next(iter(self._arrived), None) if self._drops_oldest else None

    def admit(self, name: str, due: datetime, enqueued_at: datetime) -> bool:
        """Queue a job; True when the oldest had to leave for it (it stays known by name)."""
        is_new = name in self._arrived
        self.forget(name)
        crowded = is_new and len(self._queued) >= self._capacity
        if crowded:
            oldest = min(self._queued, key=self._queued.__getitem__)
            del self._queued[oldest]
            self._left[oldest] = None
        serial = next(self._serial)
        self._queued[name] = enqueued_at, serial
        heapq.heappush(self._heap, (due, enqueued_at, serial, name))
        return crowded

    def take(self, now: datetime) -> str | None:
        """The name of the job that is due first; it is in flight from now on."""
        due = self.next_due()
        if due is None or due > now:
            return None
        name = heapq.heappop(self._heap)[3]
        del self._queued[name]
        self._out.add(name)
        return name

    def next_due(self) -> datetime | None:
        """When the next queued job is due."""
        while self._heap and not self._is_current(self._heap[0]):
            heapq.heappop(self._heap)
        return self._heap[0][0] if self._heap else None

    def forget(self, name: str) -> None:
        """The job is gone, or is about to come back with another time."""
        self._queued.pop(name, None)
        self._arrived.pop(name, None)
        self._left.pop(name, None)
        self._out.discard(name)

    def clear(self) -> None:
        """Know of nothing any more."""
        self._heap.clear()
        for names in (self._queued, self._arrived, self._left, self._out):
            names.clear()

    def overlooked(self, now: datetime) -> int:
        """How many have lost patience while they waited for room; each is counted once."""
        late = list(
            itertools.takewhile(
                lambda name: self._arrived[name] + self._patience <= now, self._arrived
            )
        )
        for name in late:
            del self._arrived[name]
            self._left[name] = None
        return len(late)

    def _is_current(self, entry: tuple[datetime, datetime, int, str]) -> bool:
        """Whether the job of a heap entry has not left by another way."""
        _, enqueued_at, serial, name = entry
        return self._queued.get(name) == (enqueued_at, serial)
