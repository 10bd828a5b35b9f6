"""An open directory: files are written under a temporary name, then renamed."""

from __future__ import annotations

import errno
import itertools
import os

from hardwon.core._files import sync, write_all
from hardwon.core.errors import StorageError, storage_error

_NEW = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
# A FIFO must not hang the reader, and a link must not lead it elsewhere.
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
_NO_LINKS = {errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK}
# Starts at random: two machines or containers may have the same process id.
_numbers = itertools.count(int.from_bytes(os.urandom(4)))


class NotRegular(Exception):
    """The name exists, but it is not a file of a sensible size."""


class Directory:
    """An open directory. Its methods raise OSError and leave no temporary file."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._fd = _opened(path)

    def has(self, name: str) -> bool:
        """Whether the name exists."""
        # `stat` would raise an exception, which costs more than this call.
        return os.access(name, os.F_OK, dir_fd=self._fd, follow_symlinks=False)

    def close(self) -> None:
        """Release the directory."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def _to_read(self, name: str) -> int:
        try:
            return os.open(name, _READ, dir_fd=self._fd)
        except OSError as error:
            if error.errno in {errno.ELOOP, errno.ENXIO}:  # a link; a socket
                raise NotRegular(name) from error
            raise

    def _is_named(self, handle: int, name: str) -> bool:
        status = os.stat(name, dir_fd=self._fd, follow_symlinks=False)
        return os.path.samestat(os.fstat(handle), status)

    def _new(self, name: str) -> tuple[str, int]:
        """An empty temporary file in the same directory: its name and its handle."""
        temporary = f"{name.removesuffix('.wal')}.tmp.{os.getpid()}.{next(_numbers)}"
        return temporary, os.open(temporary, _NEW, 0o600, dir_fd=self._fd)

    def _fill(self, handle: int, temporary: str, content: bytes) -> None:
        try:
            write_all(handle, content)
        except OSError:
            self._discard(temporary)
            raise

    def _written(self, name: str, content: bytes, *, stamp: float | None = None) -> str:
        """Write a file under a temporary name and sync it; returns that name."""
        temporary, handle = self._new(name)
        try:
            self._fill(handle, temporary, content)
            if stamp is not None:
                os.utime(handle, (stamp, stamp))
            sync(handle)
        except OSError:
            self._discard(temporary)
            raise
        finally:
            os.close(handle)
        return temporary

    def _linked(self, temporary: str, name: str) -> bool:
        """Name the file unless the name is taken: of two writers exactly one succeeds."""
        try:
            os.link(temporary, name, src_dir_fd=self._fd, dst_dir_fd=self._fd)
        except FileExistsError:
            return False
        except OSError as error:
            if error.errno not in _NO_LINKS:
                raise
            self._renamed(temporary, name)
        finally:
            self._discard(temporary)
        return True

    def _renamed(self, temporary: str, name: str) -> None:
        try:
            os.rename(temporary, name, src_dir_fd=self._fd, dst_dir_fd=self._fd)
        except OSError:
            self._discard(temporary)
            raise

    def _discard(self, temporary: str) -> None:
        try:
            os.unlink(temporary, dir_fd=self._fd)
        except OSError:
            return

    def _sync(self) -> None:
        sync(self._fd)


def _opened(path: str) -> int:
    try:
        _make(path)
        handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        raise storage_error(error, path) from error
    if os.fstat(handle).st_uid not in {os.geteuid(), 0} and os.geteuid() != 0:
        os.close(handle)
        raise StorageError(path, "belongs to another user", "use a directory of your own")
    return handle


def _make(path: str) -> None:
    """Make the folder, private, and sync its name: a put relies on all names above it."""
    try:
        os.mkdir(path, 0o700)
    except FileExistsError:
        return
    except FileNotFoundError:
        _make(os.path.dirname(path))
        _make(path)
        return
    parent = os.open(os.path.dirname(path), os.O_RDONLY | os.O_DIRECTORY)
    try:
        sync(parent)
    finally:
        close(parent)


def close(handle: int) -> None:
    """Close a handle that was only read or locked; it is gone even if the call fails."""
    try:
        os.close(handle)
    except OSError:
        return
