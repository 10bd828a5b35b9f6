"""A fair queue of writers, before SQLite's own lock.

SQLite lets waiting writers sleep longer and longer, so a process that writes without a pause
starves the others. Here a writer takes the turn first and gives it back once it has SQLite's lock.
A process that has just written queues again behind the others.
"""

from __future__ import annotations

import fcntl
import os
import time

from hardwon import _files

_LOOK = 0.002  # seconds between two attempts


class Turn:
    """A lock file beside the database, held only while waiting to write."""

    def __init__(self, path: str, patience: float) -> None:
        self._path = path
        self._patience = patience
        self._handle = -1

    def __enter__(self) -> None:
        """Wait for the turn; after too long, or if the file cannot exist, go on without it."""
        if not self._opened():
            return
        end = time.monotonic() + self._patience
        while not self._taken() and time.monotonic() < end:
            time.sleep(_LOOK)

    def __exit__(self, *_: object) -> None:
        if self._handle >= 0:
            fcntl.flock(self._handle, fcntl.LOCK_UN)

    def close(self) -> None:
        """Release the file; the next turn opens it again."""
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1

    def _taken(self) -> bool:
        try:
            fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True

    def _opened(self) -> bool:
        if self._handle < 0:
            try:
                self._handle = _files.lock_file(self._path)
            except OSError:  # a folder that cannot be written
                return False
        return True
