"""Who dreams right now: a lock that the system takes back when a process dies."""

from __future__ import annotations

import fcntl
import os
from typing import TYPE_CHECKING

from hardwon.runtime import MEMORY

if TYPE_CHECKING:
    from types import TracebackType

    from hardwon.runtime import Runtime
    from hardwon.values.dream import Dream


def lease(engine: Runtime, dream: Dream) -> Lease | None:
    """The lease of a dream; None where nothing outlives the process."""
    return None if engine.target == MEMORY else Lease(engine.settings.home, dream.id)


class Lease:
    """Held while a dream runs, so that others can tell it from one that was killed."""

    def __init__(self, home: str, dream: str) -> None:
        self._path = os.path.join(home, f"dream-{dream}.lock")
        self._handle = -1

    def __enter__(self) -> Lease:
        self._handle = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        fcntl.flock(self._handle, fcntl.LOCK_EX)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        self.clear()
        os.close(self._handle)

    def is_held(self) -> bool:
        """Whether a living process holds it."""
        try:
            handle = os.open(self._path, os.O_RDWR)
        except FileNotFoundError:
            return False
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        finally:
            os.close(handle)
        return False

    def clear(self) -> None:
        """Leave no file behind."""
        try:
            os.unlink(self._path)
        except FileNotFoundError:
            return
