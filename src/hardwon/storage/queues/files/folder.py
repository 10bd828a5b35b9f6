"""A folder of small files that are complete or absent, locks beside it, and counts of events."""

from __future__ import annotations

import errno
import fcntl
import itertools
import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from time import sleep

from hardwon.core import _files, _fork
from hardwon.core._files import lock_file, storage_errors, sync, write_all
from hardwon.core.errors import StorageError

_NEW = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
# A FIFO must not hang the reader, and a link must not lead it elsewhere.
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
_NO_LINKS = {errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK}
# Starts at random: two machines or containers may have the same process id.
_numbers = itertools.count(int.from_bytes(os.urandom(4)))


class NotRegular(Exception):
    """The name exists, but it is not a file of a sensible size."""


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
    _files.sync_folder(os.path.dirname(path))


def close(handle: int) -> None:
    """Close a handle that was only read or locked; it is gone even if the call fails."""
    with suppress(OSError):
        os.close(handle)


class Folder:
    """A directory of the queue. After `add` and `replace` return, the data is on disk."""

    def __init__(self, path: str) -> None:
        self.path = path
        with storage_errors(path):
            _make(path)
            self._fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
        if os.fstat(self._fd).st_uid not in {os.geteuid(), 0} and os.geteuid() != 0:
            self.close()
            raise StorageError(path, "belongs to another user", "use a directory of your own")

    def has(self, name: str) -> bool:
        """Whether the name exists."""
        # `stat` would raise an exception, which costs more than this call.
        return os.access(name, os.F_OK, dir_fd=self._fd, follow_symlinks=False)

    def close(self) -> None:
        """Release the directory."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def add(self, name: str, content: bytes) -> bool:
        """Write a new file; False when the name is taken by an equally durable file."""
        with storage_errors(self.path, name):
            while True:
                if not self.has(name) and self._add_synced(name, content):
                    return True
                if self._is_settled(name):
                    return False

    def replace(self, name: str, content: bytes, *, stamp: float | None = None) -> None:
        """Replace a file; the old content survives any failure."""
        with storage_errors(self.path, name):
            self._rename(self._write(name, content, stamp=stamp), name)
            sync(self._fd)

    def remove(self, name: str, *, for_good: bool = False) -> bool:
        """Remove a file; False if it is missing. Only with `for_good` it survives a power cut."""
        with storage_errors(self.path, name):
            try:
                os.unlink(name, dir_fd=self._fd)
            except FileNotFoundError:
                return False
            if for_good:
                sync(self._fd)
            return True

    def read(self, name: str, limit: int) -> bytes:
        """The content of a file of at most `limit` bytes, else NotRegular."""
        handle = self._to_read(name)
        try:
            status = os.fstat(handle)
            if not stat.S_ISREG(status.st_mode) or status.st_size > limit:
                raise NotRegular(name)
            return _all_of(handle, status.st_size)
        finally:
            close(handle)

    def entries(self) -> Iterator[os.DirEntry[str]]:
        """All entries of the folder, in no order."""
        with storage_errors(self.path), os.scandir(self.path) as entries:
            yield from entries

    def changed_at(self) -> int:
        """A number that changes when a name is added or removed."""
        return os.fstat(self._fd).st_mtime_ns

    def hand_over(self, name: str, other: Folder) -> None:
        """Move an entry of any kind to another folder, under a free name."""
        names = itertools.chain([name], (f"{name}.{number}" for number in itertools.count(1)))
        target = next(free for free in names if not other.has(free))
        os.rename(name, target, src_dir_fd=self._fd, dst_dir_fd=other._fd)

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

    def _write(self, name: str, content: bytes, *, stamp: float | None = None) -> str:
        """Write a file under a temporary name and sync it; returns that name."""
        temporary, handle = self._new(name)
        try:
            write_all(handle, content)
            if stamp is not None:
                os.utime(handle, (stamp, stamp))
            sync(handle)
        except OSError:
            self._discard(temporary)
            raise
        finally:
            os.close(handle)
        return temporary

    def _link(self, temporary: str, name: str) -> bool:
        """Name the file unless the name is taken: of two writers exactly one succeeds."""
        try:
            os.link(temporary, name, src_dir_fd=self._fd, dst_dir_fd=self._fd)
        except FileExistsError:
            return False
        except OSError as error:
            if error.errno not in _NO_LINKS:
                raise
            self._rename(temporary, name)
        finally:
            self._discard(temporary)
        return True

    def _rename(self, temporary: str, name: str) -> None:
        try:
            os.rename(temporary, name, src_dir_fd=self._fd, dst_dir_fd=self._fd)
        except OSError:
            self._discard(temporary)
            raise

    def _discard(self, temporary: str) -> None:
        with suppress(OSError):
            os.unlink(temporary, dir_fd=self._fd)

    def _add_synced(self, name: str, content: bytes) -> bool:
        """Write and name a file, then sync it: one commit of the file system covers both.

        A power cut in between may leave a torn record. The checksum exposes it, and its job was not
        acknowledged yet.
        """
        temporary, handle = self._new(name)
        try:
            try:
                write_all(handle, content)
            except OSError:
                self._discard(temporary)
                raise
            is_named = self._link(temporary, name)
            if is_named:
                self._sync_named(handle, name, is_ours=True)
            return is_named
        finally:
            close(handle)

    def _is_settled(self, name: str) -> bool:
        """Sync a file that another process may still write; False if it disappeared."""
        try:
            handle = self._to_read(name)
            try:
                self._sync_named(handle, name, is_ours=False)
                return self._is_named(handle, name)
            finally:
                close(handle)
        except NotRegular:
            return True
        except FileNotFoundError:
            return False

    def _sync_named(self, handle: int, name: str, *, is_ours: bool) -> None:
        """Sync a file and its name; if that fails, the write fails and must be repeated.

        A failed fsync is never repeated on the same file: the kernel may have dropped the data, and
        the second call would still succeed. The file is not simply removed either: another process
        may have found it durable and rely on it.
        """
        is_doubtful = is_ours
        try:
            sync(handle)
            is_doubtful = False
            sync(self._fd)
        except OSError:
            if not self._renew(handle, name) and is_doubtful:
                with suppress(OSError):  # the name may belong to another file by now
                    if self._is_named(handle, name):
                        os.unlink(name, dir_fd=self._fd)
            raise

    def _renew(self, handle: int, name: str) -> bool:
        """Replace this file by a new one with the same content; whether that worked."""
        try:
            status = os.fstat(handle)
            os.lseek(handle, 0, os.SEEK_SET)
            content = _all_of(handle, status.st_size)
            temporary = self._write(name, content, stamp=status.st_mtime)
            if self._is_named(handle, name):
                self._rename(temporary, name)
            else:
                self._discard(temporary)
        except OSError:
            return False
        return True


def _all_of(handle: int, size: int) -> bytes:
    """The whole file: usually one call, more if a read is short."""
    content = os.read(handle, size + 1)
    while len(content) < size and (more := os.read(handle, size - len(content))):
        content += more
    return content


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
        with storage_errors(self._path):
            handle, is_locked = lock_file(self._path), False
            try:
                is_locked = _try_lock(handle, wait)
            finally:
                if not is_locked:
                    close(handle)
        if is_locked:
            self._fd = handle
            _fork.watch(self)
            with suppress(OSError):  # its process id is for people
                os.ftruncate(handle, 0)
                os.pwrite(handle, b"%d\n" % os.getpid(), 0)
        return is_locked

    def holder(self) -> int | None:
        """The id of another process that holds the lock; None if none does."""
        if self.is_held:
            return None
        with storage_errors(self._path):
            handle = lock_file(self._path)
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


def _try_lock(handle: int, wait: bool) -> bool:
    """Lock exclusively; retries briefly, because `holder()` probes with a shared lock."""
    if wait:
        fcntl.flock(handle, fcntl.LOCK_EX)
        return True
    for _ in range(_TRIES):
        with suppress(BlockingIOError):
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        try:
            fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        fcntl.flock(handle, fcntl.LOCK_UN)
        sleep(0.001)
    return False


class EventCounts:
    """One file per event; its size is the count. Counting never fails and never waits."""

    def __init__(self, path: str) -> None:
        self._path = path
        os.makedirs(path, mode=0o700, exist_ok=True)

    def add(self, event: str, times: int = 1) -> None:
        """Count an event."""
        with suppress(OSError):  # a full disk must not turn a count into a failure
            _files.append(os.path.join(self._path, event), b"." * times)

    def of(self, event: str) -> int:
        """How often it happened, in all processes, ever."""
        try:
            return os.stat(os.path.join(self._path, event)).st_size
        except OSError:
            return 0
