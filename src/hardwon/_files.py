"""Files of ours: replaced whole, appended in one write, private, never through a planted link."""

from __future__ import annotations

import errno
import os
import stat

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
# Not blocking: a pipe in the place of a file would be waited for.
_END = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK
_EMPTY = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_NONBLOCK
_READ = os.O_RDONLY | os.O_NONBLOCK


def replace(path: str, content: bytes, *, mode: int = 0o600, durable: bool = False) -> None:
    """Give the file this content: readers see the old bytes or the new, never a part.

    With `durable` it survives a power cut once this returns.
    """
    aside = f"{path}.{os.getpid()}.{os.urandom(4).hex()}.tmp"
    try:
        handle = os.open(aside, _NEW, mode)
        try:
            write_all(handle, content)
            if durable:
                os.fsync(handle)
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


def append(path: str, content: bytes, *, mode: int = 0o600) -> int:
    """Add the content at the end in one write; how large the file is then."""
    handle = os.open(path, _END, mode)
    try:
        os.write(handle, content)
        return os.fstat(handle).st_size
    finally:
        os.close(handle)


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
        os.fsync(handle)
    finally:
        os.close(handle)
