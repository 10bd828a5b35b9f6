"""Locks between processes; the system releases them when the holder dies."""

from __future__ import annotations

import fcntl
import os
from time import sleep

from hardwon.core import _fork
from hardwon.core._files import lock_file
from hardwon.core.errors import storage_error
from hardwon.storage.queues.files.directory import close

_TRIES = 20  # attempts at a lock that others only probe


class SignedLock:
    """A lock on a path, exclusive between processes and threads; it ends with the process."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._fd = -1

    @property
    def is_held(self) -> bool:
        """Whether this object holds the lock."""
        return self._fd >= 0

    def acquire(self, *, wait: bool = False) -> bool:
        """Take the lock; False when another holds it and `wait` is false."""
        if self.is_held:
            return True
        handle = self._file()
        try:
            is_locked = _locked(handle, wait)
        except OSError as error:
            close(handle)
            raise storage_error(error, self._path) from error
        if not is_locked:
            close(handle)
            return False
        self._fd = handle
        _fork.watch(self)
        self._sign()
        return True

    def holder(self) -> int | None:
        """The id of another process that holds the lock; None if none does."""
        if self.is_held:
            return None
        handle = self._file()
        try:
            fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            pid = os.pread(handle, 20, 0).strip()
            return int(pid) if pid.isdigit() else 0
        finally:
            close(handle)
        return None

    def release(self) -> None:
        """Release the lock."""
        if self.is_held:
            close(self._fd)
            self._fd = -1

    def before_fork(self) -> None:
        """The lock belongs to this process and stays held."""

    def after_fork(self, *, is_child: bool) -> None:
        """Close the child's copy, so that it does not keep the lock when this process ends."""
        if is_child:
            self.release()

    def __enter__(self) -> SignedLock:
        self.acquire(wait=True)
        return self

    def __exit__(self, *_: object) -> None:
        self.release()

    def _sign(self) -> None:
        """Write the holder's process id into the file, for people."""
        try:
            os.ftruncate(self._fd, 0)
            os.pwrite(self._fd, b"%d\n" % os.getpid(), 0)
        except OSError:
            return

    def _file(self) -> int:
        try:
            return lock_file(self._path)
        except OSError as error:
            raise storage_error(error, self._path) from error


def _locked(handle: int, wait: bool) -> bool:
    """Lock exclusively; retries briefly, because `holder()` probes with a shared lock."""
    if wait:
        fcntl.flock(handle, fcntl.LOCK_EX)
        return True
    for _ in range(_TRIES):
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            pass
        try:
            fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        fcntl.flock(handle, fcntl.LOCK_UN)
        sleep(0.001)
    return False
