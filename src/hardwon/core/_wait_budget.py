"""A per-thread time limit for waiting on servers: short in an agent's turn, else none."""

from __future__ import annotations

from _thread import _local
from time import monotonic

_mine = _local()


class WaitBudget:
    """`with WaitBudget(0.08):` all waits of this thread for servers take at most 80 ms together."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    def __enter__(self) -> None:
        self._before, self._notes = left(), notes()
        _mine.left = self._seconds if self._before is None else min(self._before, self._seconds)
        _mine.notes = {} if self._notes is None else self._notes

    def __exit__(self, *_: object) -> None:
        _mine.left, _mine.notes = self._before, self._notes


def left() -> float | None:
    """Seconds that this thread may still wait; None without a limit."""
    seconds: float | None = getattr(_mine, "left", None)
    return seconds


def notes() -> dict[object, object] | None:
    """A cache that is valid until this turn ends; None without a time limit."""
    noted: dict[object, object] | None = getattr(_mine, "notes", None)
    return noted


def spend(seconds: float) -> None:
    """Note how long this thread has waited."""
    before = left()
    if before is not None:
        _mine.left = max(0.0, before - seconds)


class Waiting:  # noqa: N801 - reads as a word: `with waiting() as limit:`
    """`with waiting() as limit:` counts the block as waiting; `limit` is how long it may take."""

    def __enter__(self) -> float | None:
        self._began = monotonic()
        return left()

    def __exit__(self, *_: object) -> None:
        spend(monotonic() - self._began)
