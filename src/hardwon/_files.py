"""Our files: replaced whole, appended in one write, private, never through a planted link."""

from __future__ import annotations

import errno
import os
import stat
import sys

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
# Not blocking: a pipe in the place of a file would be waited for.
_END = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK
_EMPTY = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_NONBLOCK
_READ = os.O_RDONLY | os.O_NONBLOCK
_LOCK = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC


def replace(
    path: str, content: bytes, *, mode: int = 0o600, durable: bool = False, aside: str = ""
) -> None:
    """Give the file this content: readers see the old bytes or the new, never a part.

    With `durable` it survives a power cut once this returns. `aside`: where it is written first,
    in the same folder.
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
    """An empty file to write to; what else lies there, a link or a pipe, is removed first."""
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
    """Add the content at the end in one write; how large the file is then.

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
    """A handle that writes at the end of the file, which is made if need be."""
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
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(handle, rest) :]


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
    """Empty the drive's own cache, which `fsync` leaves as it is on macOS; False: it cannot."""
    import fcntl

    try:
        fcntl.fcntl(handle, fcntl.F_FULLFSYNC)  # type: ignore[attr-defined, unused-ignore]
    except OSError as error:  # a network drive, say
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
        """Take the lock; False when another has it and we do not wait."""
        import fcntl  # only who locks needs it

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
        """Let another have it."""
        if self.handle >= 0:
            os.close(self.handle)
            self.handle = -1

    def __enter__(self) -> Lock:
        self.acquire()
        return self

    def __exit__(self, *_: object) -> None:
        self.release()


def lock_file(path: str) -> int:
    """A handle of a file that is there to be locked."""
    return os.open(path, _LOCK, 0o600)
