"""Limits for one caller: size, time and rate."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

_MOST = 10_000  # callers whose rate is watched; the least recent is forgotten


class Limits(NamedTuple):
    """Limits of a server. Times are in seconds."""

    connections: int = 12_000  # at a time
    head: int = 64 << 10  # bytes of the first line and the header fields
    fields: int = 100  # header fields
    body: int = 1 << 20  # bytes
    pack: int = 32 << 20  # bytes of a pack that is imported
    form: int = 1000  # fields
    arrival: float = 10.0  # for the head of a request to arrive, and for its body
    answer: float = 30.0  # for an answer
    door: float = 1.0  # for a door, which then answers with nothing
    rate: float = 2000.0  # requests per second for each key
    logins: float = 5.0  # per second for each address
    threads: int = 8  # threads in each pool


class Buckets:
    """Token buckets: `rate` requests per second, and twice as many at once."""

    def __init__(self, rate: float, clock: Callable[[], float]) -> None:
        self.rate = rate
        self._clock = clock
        self._left: dict[str, tuple[float, float]] = {}  # tokens at a time

    def wait(self, name: str) -> float:
        """Take a token; 0.0 if there was one, else the seconds until the next."""
        now, full = self._clock(), 2 * self.rate
        tokens, since = self._left.pop(name, (full, now))
        tokens = min(full, tokens + (now - since) * self.rate)
        has_token = tokens >= 1.0
        self._left[name] = tokens - has_token, now
        if len(self._left) > _MOST:
            del self._left[next(iter(self._left))]
        return 0.0 if has_token else (1.0 - tokens) / self.rate
