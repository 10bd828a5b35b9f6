"""How much one caller may ask: size, time and rate."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

_MOST = 10_000  # callers whose rate is watched; one that asks little is forgotten first


class Limits(NamedTuple):
    """What a server takes on. Times are seconds."""

    body: int = 1 << 20  # bytes
    pack: int = 32 << 20  # bytes of a pack that is imported
    arrival: float = 10.0  # for a request to arrive
    answer: float = 30.0  # for an answer
    door: float = 1.0  # for a door, which then says nothing
    rate: float = 2000.0  # requests a second for each key
    threads: int = 8  # that wait for the disk


class Buckets:
    """Token buckets: `rate` requests a second, and twice as many at once."""

    def __init__(self, rate: float, clock: Callable[[], float]) -> None:
        self._rate = rate
        self._clock = clock
        self._left: dict[str, tuple[float, float]] = {}  # tokens at a time

    def wait(self, name: str) -> float:
        """Take a token; 0.0 when there was one, else the seconds until there is."""
        now, full = self._clock(), 2 * self._rate
        tokens, since = self._left.pop(name, (full, now))
        tokens = min(full, tokens + (now - since) * self._rate)
        is_there = tokens >= 1.0
        self._left[name] = tokens - is_there, now
        if len(self._left) > _MOST:
            del self._left[next(iter(self._left))]
        return 0.0 if is_there else (1.0 - tokens) / self._rate
