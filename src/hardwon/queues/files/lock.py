"""Locks between processes that die with their holder."""

from __future__ import annotations

import fcntl
import os
from time import sleep

from hardwon import _fork
from hardwon._files import lock_file
from hardwon.errors import storage_error
from hardwon.queues.files.directory import close

_TRIES = 20  # at a lock that others only look at


class SignedLock:
    """A lock on a path, exclusive between processes and between threads; it dies with us."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._fd = -1

    @property
    def is_held(self) -> bool:
        """Whether we hold this lock."""
        return self._fd >= 0

    def acquire(self, *, wait: bool = False) -> bool:
        """Take the lock; False when another has it and we do not wait."""
        if self.is_held:
            return True
        handle = self._file()
        try:
            has_it = _locked(handle, wait)
        except OSError as error:
            close(handle)
            raise storage_error(error, self._path) from error
        if not has_it:
            close(handle)
            return False
        self._fd = handle
        _fork.watch(self)
        self._sign()
        return True

    def holder(self) -> int | None:
        """The process that holds the lock, when it is another's."""
        if self.is_held:
            return None
        handle = self._file()
        try:
            fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            signed = os.pread(handle, 20, 0).strip()
            return int(signed) if signed.isdigit() else 0
        finally:
            close(handle)
        return None

    def release(self) -> None:
        """Let another have it."""
        if self.is_held:
            close(self._fd)
            self._fd = -1

    def before_fork(self) -> None:
        """The lock belongs to this process and stays held."""

    def after_fork(self, *, is_child: bool) -> None:
        """Let the child not keep it when this process ends: closing frees nothing here."""
        if is_child:
            self.release()

    def __enter__(self) -> SignedLock:
        self.acquire(wait=True)
        return self

    def __exit__(self, *_: object) -> None:
        self.release()

    def _sign(self) -> None:
        """Note who holds it: for people only, the lock itself needs no name."""
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
    """Lock for us alone; retries briefly, because `holder()` probes with a shared lock."""
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
