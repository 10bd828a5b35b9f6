"""Wakes a worker when a file is added to a folder (Linux only)."""

from __future__ import annotations

import ctypes
import os

_CREATED, _MOVED_IN = 0x100, 0x80


class Inotify:
    """A file descriptor that becomes readable on changes; `fd` is None without inotify."""

    def __init__(self, folder: str) -> None:
        self.fd: int | None = None
        try:
            system = ctypes.CDLL(None)
            handle = system.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
            watched = system.inotify_add_watch(handle, os.fsencode(folder), _CREATED | _MOVED_IN)
        except (OSError, AttributeError):
            return
        if watched >= 0:
            self.fd = handle

    def close(self) -> None:
        """Stop watching."""
        if self.fd is not None:
            os.close(self.fd)
            self.fd = None
