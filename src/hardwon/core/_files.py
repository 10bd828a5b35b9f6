"""Files: atomic replace, append, locks; a person's text files; the home directory.

Files are private, and links are not followed.
"""

from __future__ import annotations

import errno
import fcntl
import os
import stat
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import NamedTuple

from hardwon.core.errors import InvalidInput, StorageError, storage_error

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
# O_NONBLOCK, because opening a pipe in place of a file would block.
_END = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK
_EMPTY = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_NONBLOCK
_READ = os.O_RDONLY | os.O_NONBLOCK
_LOCK = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC


@contextmanager
def storage_errors(*path: str) -> Iterator[None]:
    """A `with` block whose system errors are storage errors of the path of these parts."""
    try:
        yield
    except OSError as error:
        raise storage_error(error, os.path.join(*path)) from error


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
    with open(path, "rb", opener=lambda path, _: os.open(path, _READ)) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, "not a regular file", path)
        return file.read(limit)


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


def make_folder(path: str) -> None:
    """Make a folder that only its owner may enter."""
    try:
        os.makedirs(path, mode=0o700, exist_ok=True)
    except OSError as error:
        raise storage_error(error, path) from error


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
    if sys.platform == "darwin":  # `fsync` does not flush the drive's own cache there
        try:
            fcntl.fcntl(handle, fcntl.F_FULLFSYNC)  # type: ignore[attr-defined, unused-ignore]
            return
        except OSError as error:  # for example a network drive
            if error.errno not in (errno.ENOTSUP, errno.EINVAL, errno.ENOTTY):
                raise
    os.fsync(handle)


class Lock:
    """A lock file: exclusive between processes and threads, and free when its holder dies."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.handle = -1

    def acquire(self, *, wait: bool = True) -> bool:
        """Take the lock; False if another process has it and `wait` is False."""
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


SIZE_LIMIT = 4 * 1024 * 1024
_TRIES = 50
_TEMPORARY, _STALE = ".hardwon-", 3600.0
_UNTOUCHED = "nothing was changed"


class FileChange(NamedTuple):
    """A change of a file; `before` is None for a new file, `after` is None for a removed one."""

    path: str
    before: str | None
    after: str | None


def read_text(path: str) -> str | None:
    """The text of a file, None if it is missing; StorageError if it is not text."""
    try:
        with open(path, "rb") as file:
            raw = file.read(SIZE_LIMIT + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise StorageError(path, error.strerror or str(error), _UNTOUCHED) from error
    if len(raw) > SIZE_LIMIT:
        raise StorageError(path, f"larger than {SIZE_LIMIT} bytes", _UNTOUCHED)
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise StorageError(path, "not UTF-8", f"convert it first; {_UNTOUCHED}") from error


def update_text(
    path: str, change: Callable[[str | None], str | None], *, root: str, mode: int = 0o600
) -> FileChange:
    """Write `change(text)`; it is called again if the file changes meanwhile.

    `change` gets None for a missing file; it returns None to remove the file. `mode`: of a new one.
    """
    real = resolve_within(path, root)
    for _ in range(_TRIES):
        before = read_text(real)
        after = change(before)
        if after == before or _replace_unless_changed(real, before, after, mode):
            return FileChange(real, before, after)
    raise StorageError(path, "it keeps changing", "close the program that writes it and try again")


def resolve_within(path: str, root: str) -> str:
    """The file behind the path; a link that leads out of `root` is refused."""
    real, base = os.path.realpath(path), os.path.realpath(root)
    if os.path.commonpath((real, base)) != base:
        raise InvalidInput(f"{path!r} leads out of {root!r}, to {real!r}; {_UNTOUCHED}")
    if os.path.isdir(real):
        raise InvalidInput(f"{path!r} is a directory, not a file")
    return real


def _replace_unless_changed(path: str, before: str | None, after: str | None, mode: int) -> bool:
    """Whether the file was replaced; False if another process changed it first."""
    must_be_writable(path)
    folder = os.path.dirname(path)
    try:
        os.makedirs(folder, exist_ok=True)
        _tidy(folder)
        with _alone(folder):
            if read_text(path) != before:
                return False
            if after is None:
                os.unlink(path)
                return True
            mode = stat.S_IMODE(os.stat(path).st_mode) if os.path.exists(path) else mode
            fresh = os.path.join(folder, f"{_TEMPORARY}{os.urandom(8).hex()}")
            replace(path, after.encode("utf-8"), mode=mode, durable=True, aside=fresh)
        return True
    except OSError as error:
        raise storage_error(error, path) from error


def must_be_writable(path: str) -> None:
    """Refuse to change a read-only file, also as root."""
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        return
    if not mode & (stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH) or not os.access(path, os.W_OK):
        raise StorageError(path, "read-only", f"make it writable; {_UNTOUCHED}")


def _tidy(folder: str) -> None:
    """Remove temporary files of processes that were killed over an hour ago."""
    with os.scandir(folder) as entries:
        fresh = [entry for entry in entries if entry.name.startswith(_TEMPORARY)]
    for entry in fresh:
        with suppress(FileNotFoundError):  # another process has just finished with it
            if time.time() - entry.stat().st_mtime > _STALE:
                unlink(entry.path)


@contextmanager
def _alone(folder: str) -> Iterator[None]:
    """Lock the folder against other hardwon processes."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


_ROOT = 0  # root may change every file anyway


def ensure_own(home: str) -> None:
    """Raise StorageError when another user owns the home or can write to it."""
    try:
        state = os.stat(home)
    except OSError:  # it does not exist yet; other errors are reported when it is opened
        return
    wrong = home_problem(home, state, uid=os.geteuid())
    if wrong is not None:
        raise wrong


def is_database(target: str) -> bool:
    """Whether a target is the URL of a PostgreSQL database, and not a home directory."""
    return target.startswith(("postgresql://", "postgres://"))


def database_digest(url: str) -> str:
    """The digest of a database URL for file names, without user, password and options."""
    from hashlib import blake2b  # a hook that asks the daemon has no use for it

    place = url.partition("://")[2].partition("?")[0].rpartition("@")[2]
    return blake2b(place.encode(), digest_size=6).hexdigest()


def home_problem(home: str, state: os.stat_result, *, uid: int) -> StorageError | None:
    """Why this user should not use the home, with a command that helps; None if it is fine."""
    if state.st_uid not in {uid, _ROOT}:
        remedy = f"`sudo chown -R {uid} {home}` if it is yours, else set HARDWON_HOME to another"
        return StorageError(home, f"it belongs to user {state.st_uid}, not to {uid}", remedy)
    if state.st_mode & stat.S_IWOTH:
        return StorageError(home, "everybody can write to it", f"`chmod 700 {home}`")
    return None
