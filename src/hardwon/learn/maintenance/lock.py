"""The lock of a running dream; the system releases it when the process dies."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from hardwon.core import _files

if TYPE_CHECKING:
    from types import TracebackType

    from hardwon.core.values.dream import Dream
    from hardwon.engine.runtime import Runtime


def lease(engine: Runtime, dream: Dream) -> Lease | None:
    """The lease of a dream; None for stores in memory, which end with the process."""
    return None if not engine.on_disk else Lease(engine.settings.home, dream.id)


class Lease:
    """Held while a dream runs: a running dream and a killed one can be distinguished."""

    def __init__(self, home: str, dream: str) -> None:
        self._lock = _files.Lock(os.path.join(home, f"dream-{dream}.lock"))

    def __enter__(self) -> Lease:
        self._lock.acquire()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        self.clear()
        self._lock.release()

    def is_held(self) -> bool:
        """Whether a living process holds it."""
        if not os.path.exists(self._lock.path):
            return False
        probe = _files.Lock(self._lock.path)
        is_free = probe.acquire(wait=False)
        probe.release()
        return not is_free

    def clear(self) -> None:
        """Remove the lock file."""
        _files.unlink(self._lock.path)
