"""A whole home as one file: written while it is in use, checked, and brought back."""

from __future__ import annotations

import copy
import os
import sqlite3
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import closing, suppress
from typing import Any

from hardwon.core.errors import InvalidInput, StorageError, storage_error

_MARK = "hardwon-backup"  # the first member of every backup
# Secrets of this machine, and files that belong to a running process.
_LEFT_OUT = {"token", "server.key", "daemon.sock", "daemon.log", "hook.log"}
_PASSING = ("-wal", "-shm", "-journal", ".lock", ".sock", ".log")


def write(file: str, home: str) -> int:
    """Write the home into a compressed archive, and check that; how many files are in it."""
    place = os.path.realpath(home)
    if not os.path.isdir(place):
        raise InvalidInput(f"there is no home at {place}")
    target = os.path.realpath(file)
    folder = os.path.dirname(target)
    if not os.access(folder, os.W_OK | os.X_OK):
        problem = "cannot be written" if os.path.isdir(folder) else "is not a folder"
        raise InvalidInput(f"{folder} {problem}; name a file in a folder of yours")
    try:
        with tempfile.TemporaryDirectory(dir=folder) as scratch:
            made = os.path.join(scratch, "backup")
            count = _write(made, place, target)
            os.chmod(made, 0o600)
            _check(made)
            os.replace(made, target)
    except OSError as error:
        raise storage_error(error, str(error.filename or target)) from error
    return count


def restore(file: str, home: str) -> int:
    """Bring a backup back into a home that is empty or not there yet; how many files it had."""
    if os.path.isdir(home) and any(name != "config.toml" for name in os.listdir(home)):
        raise InvalidInput(f"{home} is in use; name another home, or move it away first")
    _check(file)
    try:
        os.makedirs(home, mode=0o700, exist_ok=True)
        with tarfile.open(file) as archive:
            members = [_for_owner(one) for one in archive.getmembers() if one.name != _MARK]
            for member in members:
                _extract(archive, member, home)
    except OSError as error:
        raise storage_error(error, home) from error
    except tarfile.TarError as error:
        raise StorageError(file, str(error), "choose another backup") from error
    return sum(one.isfile() for one in members)


def _for_owner(member: tarfile.TarInfo) -> tarfile.TarInfo:
    """A member of a backup that only its owner may read."""
    own = copy.copy(member)
    own.mode &= 0o700
    return own


def _extract(archive: tarfile.TarFile, member: tarfile.TarInfo, place: str) -> None:
    """Write a file or folder of a backup below a place; nothing else is let out of an archive.

    Older Pythons have no filter that checks this.
    """
    parts = member.name.split("/")
    if ".." in parts or member.name.startswith("/") or not (member.isfile() or member.isdir()):
        raise tarfile.ReadError(f"{member.name!r} is no file of a home")
    safely: dict[str, Any] = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
    archive.extract(member, place, **safely)


def _write(path: str, home: str, target: str) -> int:
    """Write the archive that becomes `target`; returns how many files are in it."""
    count, scratch = 0, os.path.dirname(path)
    with tarfile.open(path, "w:gz") as archive:
        archive.addfile(tarfile.TarInfo(_MARK))
        for source in _files_of(home, {scratch, target}):
            name = os.path.relpath(source, home)
            if source.endswith(".db"):
                source = _copy_database(source, os.path.join(scratch, f"{count}.db"))
            with suppress(FileNotFoundError):  # a job that was done, or a run that ended meanwhile
                archive.add(source, name, recursive=False, filter=_for_owner)
                count += 1
    return count


def _files_of(home: str, left_out: set[str]) -> Iterator[str]:
    """Every file that belongs to the data; the databases come last, so that no job is missing.

    A job that became a lesson in between is in both, and is worked once more. The backup may be
    written into the home: it and the folder where it is made are `left_out`.
    """
    for folder, _, names in os.walk(home, topdown=False):
        if folder in left_out:
            continue
        for name in sorted(names):
            path = os.path.join(folder, name)
            is_data = name not in _LEFT_OUT and not name.endswith(_PASSING)
            is_own = os.path.isfile(path) and not os.path.islink(path)
            if is_data and is_own and path not in left_out:
                yield path


def _copy_database(path: str, target: str) -> str:
    """A copy of a database as it is at one moment, while others write to it."""
    with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(target)) as copy:
        try:
            source.backup(copy)
            copy.execute("PRAGMA journal_mode = DELETE")
        except sqlite3.Error as error:
            raise StorageError(path, str(error), "`hardwon doctor` says what is wrong") from error
    return target


def _check(path: str) -> None:
    """Read a backup to its end; every database in it must be whole."""
    is_backup = False
    try:
        with tarfile.open(path) as archive, tempfile.TemporaryDirectory() as scratch:
            first = archive.next()
            is_backup = first is not None and first.name == _MARK
            if not is_backup:
                raise tarfile.ReadError
            for member in archive:
                if member.name.endswith(".db"):
                    _extract(archive, member, scratch)
                    _check_database(os.path.join(scratch, member.name), path)
    except (tarfile.TarError, EOFError, OSError) as error:
        if not is_backup and isinstance(error, tarfile.ReadError):
            remedy = "name a file that `hardwon backup` has written"
            raise InvalidInput(f"{path} is not a backup of hardwon; {remedy}") from error
        raise StorageError(path, f"it is damaged: {error}", "choose another backup") from error


def _check_database(database: str, path: str) -> None:
    with closing(sqlite3.connect(database)) as connection:
        try:
            problem = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
        except sqlite3.Error as error:
            problem = str(error)
    if problem != "ok":
        raise StorageError(path, f"a database in it is damaged: {problem}", "choose another backup")
