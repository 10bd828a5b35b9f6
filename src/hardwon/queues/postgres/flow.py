"""What came and went, as one of many workers sees it."""

from __future__ import annotations


class Flow:
    """Counts since this process opened the queue; `accepted` is always where it went, in all."""

    def __init__(self) -> None:
        self._gone = {"done": 0, "buried": 0, "set_aside": 0}
        self._accepted = 0

    def note(self, way: str) -> None:
        """A job has left, this way."""
        self._gone[way] += 1

    def seen(self, pending: int) -> dict[str, int]:
        """The counts at a moment; what others have worked counts as set aside."""
        known = pending + sum(self._gone.values())
        self._gone["set_aside"] += max(0, self._accepted - known)
        self._accepted = max(self._accepted, known)
        return {"accepted": self._accepted, **self._gone}
