"""Which job comes next: pure bookkeeping without file access."""

from __future__ import annotations

import heapq
import itertools
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime, timedelta


class Schedule:
    """Jobs by due time: at most `capacity` are sorted, the others known by name."""

    def __init__(self, capacity: int, *, drop_oldest: bool, patience: timedelta) -> None:
        self._capacity = max(1, capacity)
        self._drops_oldest = drop_oldest
        self._patience = patience
        self._serial = itertools.count()
        self._heap: list[tuple[datetime, datetime, int, str]] = []
        self._queued: dict[str, tuple[datetime, int]] = {}  # enqueued at, and its heap entry
        self._arrived: dict[str, datetime] = {}  # new, by the time it began to wait for room
        self._outside: dict[str, None] = {}  # waiting for room, already counted
        self._in_flight: dict[str, str] = {}  # with the token of the attempt

    def __contains__(self, name: object) -> bool:
        return (
            name in self._queued
            or name in self._in_flight
            or name in self._arrived
            or name in self._outside
        )

    def __len__(self) -> int:
        return len(self._queued)

    @property
    def in_flight(self) -> int:
        """How many jobs are claimed."""
        return len(self._in_flight)

    def arrive(self, name: str, now: datetime) -> None:
        """Note a new job; it is admitted when there is room."""
        self._arrived[name] = now

    def leave_outside(self, name: str) -> None:
        """Note a job from before the start; it is admitted when there is room."""
        self._outside[name] = None

    def next_outside(self) -> str | None:
        """The name to admit next, if there is room."""
        if len(self._queued) < self._capacity:
            return next(iter(self._outside), None) or next(iter(self._arrived), None)
        return next(iter(self._arrived), None) if self._drops_oldest else None

    def admit(self, name: str, due: datetime, enqueued_at: datetime) -> bool:
        """Queue a job; True when the oldest was moved out for it (it stays known by name)."""
        is_new = name in self._arrived
        self.forget(name)
        crowded = is_new and len(self._queued) >= self._capacity
        if crowded:
            oldest = min(self._queued, key=self._queued.__getitem__)
            del self._queued[oldest]
            self._outside[oldest] = None
        serial = next(self._serial)
        self._queued[name] = enqueued_at, serial
        heapq.heappush(self._heap, (due, enqueued_at, serial, name))
        return crowded

    def take(self, now: datetime) -> str | None:
        """The name of the job that is due first; it is in flight then."""
        due = self.next_due()
        if due is None or due > now:
            return None
        name = heapq.heappop(self._heap)[3]
        del self._queued[name]
        self._in_flight[name] = str(next(self._serial))
        return name

    def claim(self, name: str) -> str:
        """The token of the attempt that has a job in flight; "" if none has."""
        return self._in_flight.get(name, "")

    def next_due(self) -> datetime | None:
        """When the next queued job is due."""
        while self._heap and not self._is_current(self._heap[0]):
            heapq.heappop(self._heap)
        return self._heap[0][0] if self._heap else None

    def forget(self, name: str) -> None:
        """Drop a job that is gone or will come back with another time."""
        self._queued.pop(name, None)
        self._arrived.pop(name, None)
        self._outside.pop(name, None)
        self._in_flight.pop(name, None)

    def clear(self) -> None:
        """Drop all jobs."""
        self._heap.clear()
        for names in (self._queued, self._arrived, self._outside, self._in_flight):
            names.clear()

    def overlooked(self, now: datetime) -> int:
        """How many jobs waited too long for room; each is counted once."""
        late = list(
            itertools.takewhile(
                lambda name: self._arrived[name] + self._patience <= now, self._arrived
            )
        )
        for name in late:
            del self._arrived[name]
            self._outside[name] = None
        return len(late)

    def _is_current(self, entry: tuple[datetime, datetime, int, str]) -> bool:
        """Whether a heap entry is still valid."""
        _, enqueued_at, serial, name = entry
        return self._queued.get(name) == (enqueued_at, serial)
