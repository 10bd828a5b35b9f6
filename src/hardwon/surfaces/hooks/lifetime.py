"""When a daemon ends that a hook has started."""

from __future__ import annotations

import os
import resource
import sys
import threading
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import timedelta

    from hardwon.core.settings import Settings

_SETTLED = 60.0  # seconds after which a hook with other settings ends the daemon
_CLOSING = 2.0  # seconds for answers that are under way
_PAUSE = 0.01
_MEMORY = 64 << 20  # bytes
_MEMORY_WITH_MODEL = 512 << 20  # bytes with an embedder in the process


class Lifetime:
    """Whether a daemon is still needed. `with lifetime:` holds while a client is connected.

    A daemon without an `idle` time was started by a person, and ends only when told to.
    """

    def __init__(
        self, settings: Settings, socket: str, idle: timedelta | None, shared: bytes
    ) -> None:
        self._idle = None if idle is None else idle.total_seconds()
        self._stamp = shared.decode()
        self._socket, self._store = socket, os.path.join(settings.home, "hardwon.db")
        self._files = self._identities()
        self._memory = _MEMORY_WITH_MODEL if settings.recall.embedder else _MEMORY
        self._began = self._last = time.monotonic()
        self._connected = 0
        self._counting = threading.Lock()
        self._has_ended = False

    def __enter__(self) -> None:
        with self._counting:
            self._connected += 1

    def __exit__(self, *_: object) -> None:
        with self._counting:
            self._connected -= 1
        self._last = time.monotonic()

    def fits(self, shared: str) -> bool:
        """Whether a hook with this stamp would answer as the daemon does."""
        return not self._has_ended and shared == self._stamp and self._is_in_place()

    def is_over(self) -> bool:
        """Whether the daemon should end now: idle, too large, dismissed, or its home is gone."""
        if self._idle is None or self._connected:
            return False
        is_idle = time.monotonic() - self._last > self._idle
        return self._has_ended or is_idle or _memory() > self._memory or not self._is_in_place()

    def end(self) -> bool:
        """End soon; False for a daemon that a person has started."""
        self._has_ended = self._idle is not None
        return self._has_ended

    def end_for_others(self) -> bool:
        """End for a hook that has other settings, but not soon after the start.

        Otherwise two agents with different settings would end each other's daemon at every event.
        """
        return time.monotonic() - self._began > _SETTLED and self.end()

    def wait_for_answers(self) -> None:
        """Wait for a short time until no client is connected."""
        end = time.monotonic() + _CLOSING
        while self._connected and time.monotonic() < end:
            time.sleep(_PAUSE)

    def _is_in_place(self) -> bool:
        """Whether the socket and the database are the files that were opened."""
        return self._files[0] is not None and self._identities() == self._files

    def _identities(self) -> list[int | None]:
        return [_identity(path) for path in (self._socket, self._store)]


def _identity(path: str) -> int | None:
    try:
        return os.stat(path).st_ino
    except OSError:
        return None


def _memory() -> int:
    """The most memory that this process has used, in bytes."""
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return used if sys.platform == "darwin" else used * 1024
