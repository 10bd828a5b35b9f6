"""Limits for one caller: size, time and rate."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

_MOST = 10_000  # callers whose rate is watched; the least recent is forgotten


class Limits(NamedTuple):
    """Limits of a server. Times are in seconds."""

    body: int = 1 << 20  # bytes
    pack: int = 32 << 20  # bytes of a pack that is imported
    arrival: float = 10.0  # for a request to arrive
    answer: float = 30.0  # for an answer
    door: float = 1.0  # for a door, which then answers with nothing
    rate: float = 2000.0  # requests per second for each key
    threads: int = 8  # threads in each pool


class Buckets:
    """Token buckets: `rate` requests per second, and twice as many at once."""

    def __init__(self, rate: float, clock: Callable[[], float]) -> None:
        self._rate = rate
        self._clock = clock
        self._left: dict[str, tuple[float, float]] = {}  # tokens at a time

    def wait(self, name: str) -> float:
        """Take a token; 0.0 if there was one, else the seconds until the next."""
        now, full = self._clock(), 2 * self._rate
        tokens, since = self._left.pop(name, (full, now))
        tokens = min(full, tokens + (now - since) * self._rate)
        has_token = tokens >= 1.0
        self._left[name] = tokens - has_token, now
        if len(self._left) > _MOST:
            del self._left[next(iter(self._left))]
        return 0.0 if has_token else (1.0 - tokens) / self._rate
