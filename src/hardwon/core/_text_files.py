"""Change a person's text files safely: atomically, and never over a newer version."""

from __future__ import annotations

import fcntl
import os
import stat
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, NamedTuple

from hardwon.core.errors import InvalidInput, StorageError, storage_error

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

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
    _must_be_writable(path)
    folder = os.path.dirname(path)
    try:
        os.makedirs(folder, exist_ok=True)
        _tidy(folder)
        with _alone(folder):
            if read_text(path) != before:
                return False
            _put(path, after, mode)
        return True
    except OSError as error:
        raise storage_error(error, path) from error


def _must_be_writable(path: str) -> None:
    """Refuse to change a read-only file, also as root."""
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        return
    if not mode & (stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH) or not os.access(path, os.W_OK):
        raise StorageError(path, "read-only", f"make it writable; {_UNTOUCHED}")


def _put(path: str, text: str | None, mode: int) -> None:
    """Replace the file, or remove it for None."""
    if text is None:
        os.unlink(path)
        return
    fresh = os.path.join(os.path.dirname(path), f"{_TEMPORARY}{os.urandom(8).hex()}")
    replace(path, text.encode("utf-8"), mode=_mode(path, mode), durable=True, aside=fresh)


def _tidy(folder: str) -> None:
    """Remove temporary files of processes that were killed over an hour ago."""
    with os.scandir(folder) as entries:
        fresh = [entry for entry in entries if entry.name.startswith(_TEMPORARY)]
    for entry in fresh:
        with suppress(FileNotFoundError):  # another process has just finished with it
            if time.time() - entry.stat().st_mtime > _STALE:
                unlink(entry.path)


def _mode(path: str, otherwise: int) -> int:
    try:
        return stat.S_IMODE(os.stat(path).st_mode)
    except FileNotFoundError:
        return otherwise


@contextmanager
def _alone(folder: str) -> Iterator[None]:
    """Lock the folder against other hardwon processes."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
