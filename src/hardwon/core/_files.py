"""File operations: atomic replace, append, locks. Files are private; links are not followed."""

from __future__ import annotations

import errno
import os
import stat
import sys

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
# O_NONBLOCK, because opening a pipe in place of a file would block.
_END = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK
_EMPTY = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_NONBLOCK
_READ = os.O_RDONLY | os.O_NONBLOCK
_LOCK = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC


def replace(
    path: str, content: bytes, *, mode: int = 0o600, durable: bool = False, aside: str = ""
) -> None:
    """Give the file this content: readers see the old bytes or the new, never a part.

    With `durable` it survives a power cut once this returns. `aside` is the temporary file, which
    must be in the same folder.
    """
    aside = aside or f"{path}.{os.getpid()}.{os.urandom(4).hex()}.tmp"
    try:
        handle = os.open(aside, _NEW, 0o600)
        try:
            write_all(handle, content)
            if mode != 0o600:
                os.fchmod(handle, mode)
            if durable:
                sync(handle)
        finally:
            os.close(handle)
        os.replace(aside, path)
    except OSError:
        unlink(aside)
        raise
    if durable:
        sync_folder(os.path.dirname(path) or ".")


def fresh(path: str) -> int:
    """A handle of an empty file at this path; a link or pipe there is removed first."""
    try:
        return os.open(path, _EMPTY, 0o600)
    except OSError:
        unlink(path)
        return os.open(path, _NEW, 0o600)


def content(path: str, limit: int) -> bytes:
    """The first bytes of a regular file; raises OSError for anything else, and never waits."""
    handle = os.open(path, _READ)
    try:
        mode = os.fstat(handle).st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
        if not stat.S_ISREG(mode):
            raise OSError(errno.EINVAL, "not a regular file", path)
        with os.fdopen(os.dup(handle), "rb") as file:
            return file.read(limit)
    finally:
        os.close(handle)


def append(path: str, content: bytes, *, durable: bool = False) -> int:
    """Add the content at the end in one write; returns the new size of the file.

    With `durable` it survives a power cut once this returns.
    """
    handle = end_of(path)
    try:
        write_all(handle, content)
        if durable:
            sync(handle)
        return os.fstat(handle).st_size
    finally:
        os.close(handle)


def end_of(path: str) -> int:
    """A handle that writes at the end of the file; the file is created if it is missing."""
    return os.open(path, _END, 0o600)


def unlink(path: str) -> bool:
    """Remove the file; False when it was not there."""
    try:
        os.unlink(path)
    except FileNotFoundError:
        return False
    return True


def write_all(handle: int, content: bytes) -> None:
    """Write everything, however often the system takes only a part."""
    remaining = memoryview(content)
    while remaining:
        remaining = remaining[os.write(handle, remaining) :]


def sync_folder(path: str) -> None:
    """Make the folder's list of names survive a power cut."""
    handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        sync(handle)
    finally:
        os.close(handle)


def sync(handle: int) -> None:
    """Make what was written survive a power cut."""
    if sys.platform == "darwin" and _sync_drive(handle):
        return
    os.fsync(handle)


def _sync_drive(handle: int) -> bool:
    """Flush the drive's own cache, which `fsync` does not on macOS; False if unsupported."""
    import fcntl

    try:
        fcntl.fcntl(handle, fcntl.F_FULLFSYNC)  # type: ignore[attr-defined, unused-ignore]
    except OSError as error:  # for example a network drive
        if error.errno not in (errno.ENOTSUP, errno.EINVAL, errno.ENOTTY):
            raise
        return False
    return True


class Lock:
    """A lock file: exclusive between processes and threads, and free when its holder dies."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.handle = -1

    def acquire(self, *, wait: bool = True) -> bool:
        """Take the lock; False if another process has it and `wait` is False."""
        import fcntl  # only needed here

        self.handle = lock_file(self.path)
        try:
            fcntl.flock(self.handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except OSError as error:
            self.release()
            if isinstance(error, BlockingIOError):
                return False
            raise
        return True

    def release(self) -> None:
        """Release the lock."""
        if self.handle >= 0:
            os.close(self.handle)
            self.handle = -1

    def __enter__(self) -> Lock:
        self.acquire()
        return self

    def __exit__(self, *_: object) -> None:
        self.release()


def lock_file(path: str) -> int:
    """A handle of a lock file, which is created if it is missing."""
    return os.open(path, _LOCK, 0o600)
