"""A hard time limit for calls of servers; it also covers name look-ups and slow data."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, TypeVar

from hardwon.core.errors import Unavailable

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")
_FIRST_PAUSE, _LONGEST_PAUSE = 0.1, 1.0  # seconds without another try after one failed


class TimeLimit:
    """Runs calls that may hang. After a failure, calls fail at once for a short time."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._until = 0.0
        self._pause = _FIRST_PAUSE
        self._stuck: list[threading.Thread] = []

    def run(self, call: Callable[[], T]) -> T:
        """The result of the call; raises Unavailable when the time is up."""
        self._stuck = [thread for thread in self._stuck if thread.is_alive()]
        if self._stuck or time.monotonic() < self._until:
            raise Unavailable("still unreachable; not tried again yet")
        is_well = False
        try:
            result = self._in_thread(call)
            is_well = True
            self._pause = _FIRST_PAUSE
            return result
        finally:
            if not is_well:
                self._until = time.monotonic() + self._pause
                self._pause = min(2 * self._pause, _LONGEST_PAUSE)

    def _in_thread(self, call: Callable[[], T]) -> T:
        results: list[T] = []
        errors: list[Exception] = []

        def run() -> None:
            try:
                results.append(call())
            except Exception as error:  # noqa: BLE001 - raised again in the thread that waits
                errors.append(error)

        thread = threading.Thread(target=run, daemon=True, name="hardwon-wait")
        thread.start()
        thread.join(self.seconds)
        if results:
            return results[0]
        if errors:
            raise errors[0]
        self._stuck.append(thread)
        raise Unavailable(f"no answer within {self.seconds * 1000:.0f} ms")
