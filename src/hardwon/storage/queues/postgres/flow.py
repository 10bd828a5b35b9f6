"""How many jobs came and went, as one of many workers sees it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


class Flow:
    """Counts since this process opened the queue; `accepted` equals the sum of all others."""

    def __init__(self) -> None:
        self._gone = {"done": 0, "buried": 0, "set_aside": 0}
        self._accepted = 0

    def note(self, gone: Mapping[str, int]) -> None:
        """Count jobs that left: done, buried or set aside."""
        for way, number in gone.items():
            self._gone[way] += number

    def counts(self, pending: int) -> dict[str, int]:
        """The current counts; jobs that other workers finished count as set aside."""
        total = pending + sum(self._gone.values())
        self._gone["set_aside"] += max(0, self._accepted - total)
        self._accepted = max(self._accepted, total)
        return {"accepted": self._accepted, **self._gone}
