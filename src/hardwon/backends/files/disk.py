"""A folder of small files that are whole or absent, and locks that die with their holder."""

from __future__ import annotations

import errno
import fcntl
import itertools
import os
import stat
import threading
from time import sleep
from typing import TYPE_CHECKING

from hardwon.errors import StorageError, storage_error

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
# A FIFO must not hang the reader, and a link must not lead it elsewhere.
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
_TRIES = 20  # at a lock that others only look at
_NO_LINKS = {errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK}
# Starts anywhere: two machines or containers may use one process id on one folder.
_numbers = itertools.count(int.from_bytes(os.urandom(4)))


class NotRegular(Exception):
    """There is something under this name, but no file of a sensible size."""


class Folder:
    """A directory of ours. What `add` and `replace` wrote is on disk when they return."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._fd = _opened(path)
        self._synced = Together(self._sync)

    def add(self, name: str, content: bytes) -> bool:
        """Write a new file; False when the name is taken, by something that is as durable."""
        try:
            while True:
                if not self.has(name) and self._added(name, content):
                    return True
                if self._is_settled(name):
                    return False
        except OSError as error:
            raise storage_error(error, os.path.join(self.path, name)) from error

    def replace(self, name: str, content: bytes, *, stamp: float | None = None) -> None:
        """Write a file over whatever has the name; its old content survives any failure."""
        try:
            temporary = self._written(name, content, stamp=stamp)
            self._renamed(temporary, name)
            self._synced()
        except OSError as error:
            raise storage_error(error, os.path.join(self.path, name)) from error

    def remove(self, name: str, *, for_good: bool = False) -> bool:
        """Remove a file; False when there was none. Only `for_good` outlives a power cut."""
        try:
            os.unlink(name, dir_fd=self._fd)
            if for_good:
                self._synced()
        except FileNotFoundError:
            return False
        except OSError as error:
            raise storage_error(error, os.path.join(self.path, name)) from error
        return True

    def has(self, name: str) -> bool:
        """Whether there is anything under this name."""
        # Unlike `stat` it makes no exception, which would cost more than the call.
        return os.access(name, os.F_OK, dir_fd=self._fd, follow_symlinks=False)

    def read(self, name: str, limit: int) -> bytes:
        """The content of a file of at most `limit` bytes, else NotRegular."""
        handle = self._to_read(name)
        try:
            found = os.fstat(handle)
            if not stat.S_ISREG(found.st_mode) or found.st_size > limit:
                raise NotRegular(name)
            return _all_of(handle, found.st_size)
        finally:
            _close(handle)

    def entries(self) -> Iterator[os.DirEntry[str]]:
        """What is in the folder, in no order."""
        try:
            with os.scandir(self.path) as found:
                yield from found
        except OSError as error:
            raise storage_error(error, self.path) from error

    def changed_at(self) -> int:
        """A number that is another one after a name came or went."""
        return os.fstat(self._fd).st_mtime_ns

    def hand_over(self, name: str, other: Folder) -> None:
        """Move an entry of any kind to another folder, beside what is there already."""
        target = name
        for number in itertools.count(1):
            if not other.has(target):
                break
            target = f"{name}.{number}"
        os.rename(name, target, src_dir_fd=self._fd, dst_dir_fd=other._fd)

    def close(self) -> None:
        """Release the folder."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def _added(self, name: str, content: bytes) -> bool:
        """Write and name a file, then sync it: one commit of the file system covers both.

        Should the power go in between, the checksum exposes the torn record of a job that nobody
        was told is safe.
        """
        temporary = _temporary(name)
        handle = os.open(temporary, _NEW, 0o600, dir_fd=self._fd)
        try:
            self._fill(handle, temporary, content)
            if not self._linked(temporary, name):
                return False
            self._sync_new(handle, name)
            self._synced()
        finally:
            _close(handle)
        return True

    def _is_settled(self, name: str) -> bool:
        """Sync what another may still be writing; False when it was not there to the end."""
        try:
            handle = self._to_read(name)
        except NotRegular:
            return True
        except FileNotFoundError:
            return False
        try:
            os.fsync(handle)
            self._synced()
            return self._is_named(handle, name)
        except FileNotFoundError:
            return False
        finally:
            _close(handle)

    def _sync_new(self, handle: int, name: str) -> None:
        """Sync a file; one that cannot be is taken back, so that nobody relies on it.

        A failed fsync is never tried again on the same file: the kernel may have dropped the data
        and would then call the second one a success.
        """
        try:
            os.fsync(handle)
        except OSError:
            if self._is_named(handle, name):
                self._discard(name)
            raise

    def _to_read(self, name: str) -> int:
        try:
            return os.open(name, _READ, dir_fd=self._fd)
        except OSError as error:
            if error.errno in {errno.ELOOP, errno.ENXIO}:  # a link; a socket
                raise NotRegular(name) from error
            raise

    def _is_named(self, handle: int, name: str) -> bool:
        found = os.stat(name, dir_fd=self._fd, follow_symlinks=False)
        return os.path.samestat(os.fstat(handle), found)

    def _fill(self, handle: int, temporary: str, content: bytes) -> None:
        try:
            _write_all(handle, content)
        except OSError:
            self._discard(temporary)
            raise

    def _written(self, name: str, content: bytes, *, stamp: float | None = None) -> str:
        """The temporary name of a new file that is on disk, though its name may not be."""
        temporary = _temporary(name)
        handle = os.open(temporary, _NEW, 0o600, dir_fd=self._fd)
        try:
            self._fill(handle, temporary, content)
            if stamp is not None:
                os.utime(handle, (stamp, stamp))
            os.fsync(handle)
        except OSError:
            self._discard(temporary)
            raise
        finally:
            os.close(handle)
        return temporary

    def _linked(self, temporary: str, name: str) -> bool:
        """Give the file its name unless it is taken: of two writers exactly one succeeds."""
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
        os.fsync(self._fd)


class Together:
    """Makes one slow call serve all threads that asked for it before it began."""

    def __init__(self, call: Callable[[], None]) -> None:
        self._call = call
        self._turn = threading.Condition()
        self._forming = _Party()
        self._is_busy = False

    def __call__(self) -> None:
        party, leads = self._join()
        if leads:
            self._lead(party)
        if party.error is not None:
            raise OSError(party.error.errno, party.error.strerror) from party.error

    def _join(self) -> tuple[_Party, bool]:
        with self._turn:
            party = self._forming
            if party.has_leader:
                self._turn.wait_for(lambda: party.is_over)
                return party, False
            party.has_leader = True
            self._turn.wait_for(lambda: not self._is_busy)
            self._is_busy, self._forming = True, _Party()
            return party, True

    def _lead(self, party: _Party) -> None:
        try:
            self._call()  # no lock is held here
        except OSError as error:
            party.error = error
        finally:
            with self._turn:
                party.is_over, self._is_busy = True, False
                self._turn.notify_all()


class _Party:
    """Threads that share one call."""

    has_leader = False
    is_over = False
    error: OSError | None = None


class Lock:
    """A lock on a path, exclusive between processes and between threads; it dies with us."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._fd = -1

    @property
    def is_held(self) -> bool:
        """Whether this very lock is held by us."""
        return self._fd >= 0

    def acquire(self, *, wait: bool = False) -> bool:
        """Take the lock; False when another has it and we do not wait."""
        if self.is_held:
            return True
        handle = self._file()
        try:
            has_it = _locked(handle, wait)
        except OSError as error:
            _close(handle)
            raise storage_error(error, self._path) from error
        if not has_it:
            _close(handle)
            return False
        self._fd = handle
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
            _close(handle)
        return None

    def release(self) -> None:
        """Let another have it."""
        if self.is_held:
            _close(self._fd)
            self._fd = -1

    def __enter__(self) -> Lock:
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
            return os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        except OSError as error:
            raise storage_error(error, self._path) from error


def _locked(handle: int, wait: bool) -> bool:
    """Lock for us alone; those who only look whether somebody has it are waited for."""
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


def is_running(pid: int) -> bool:
    """Whether a process with this id exists on this machine."""
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True


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
    """The folder, for us alone, with its name on disk: a put relies on all names above it."""
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
        os.fsync(parent)
    finally:
        _close(parent)


def _close(handle: int) -> None:
    """Close what was only read or locked: the handle is gone even when the call fails."""
    try:
        os.close(handle)
    except OSError:
        return


def _temporary(name: str) -> str:
    return f"{name.removesuffix('.wal')}.tmp.{os.getpid()}.{next(_numbers)}"


def _write_all(handle: int, content: bytes) -> None:
    view = memoryview(content)
    while view:
        view = view[os.write(handle, view) :]


def _all_of(handle: int, size: int) -> bytes:
    """Everything in the file: one call for most, more when a read comes up short."""
    content = os.read(handle, size + 1)
    while len(content) < size and (more := os.read(handle, size - len(content))):
        content += more
    return content
