"""A fair queue of writers, before SQLite's own lock.

SQLite lets waiting writers sleep longer and longer, so a process that writes without a pause
starves the others. Here a writer takes the turn first and gives it back once it has SQLite's lock.
A process that has just written queues again behind the others.
"""

from __future__ import annotations

import fcntl
import os
import time

from hardwon.core import _files

_LOOK = 0.002  # seconds between two attempts


class Turn:
    """A lock file beside the database, held only while waiting to write."""

    def __init__(self, path: str, patience: float) -> None:
        self._path = path
        self._patience = patience
        self._handle: int | None = None

    def __enter__(self) -> None:
        """Wait for the turn; after too long, or if the file cannot exist, go on without it."""
        handle = self._opened()
        if handle is None:
            return
        end = time.monotonic() + self._patience
        while not _is_taken(handle) and time.monotonic() < end:
            time.sleep(_LOOK)

    def __exit__(self, *_: object) -> None:
        if self._handle is not None:
            fcntl.flock(self._handle, fcntl.LOCK_UN)

    def close(self) -> None:
        """Release the file; the next turn opens it again."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None

    def _opened(self) -> int | None:
        if self._handle is None:
            try:
                self._handle = _files.lock_file(self._path)
            except OSError:  # a folder that cannot be written
                return None
        return self._handle


def _is_taken(handle: int) -> bool:
    """Whether the lock is ours now."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
