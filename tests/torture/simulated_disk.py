"""A disk in memory that loses at a power cut what was not synced; it stands in for `os`."""

from __future__ import annotations

import itertools
import os
import random
import stat
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any


class PowerCut(BaseException):
    """The power is gone: no code of the program runs on, whatever it catches."""


class Inode:
    def __init__(self) -> None:
        self.data = b""
        self.safe: bytes | None = None
        self.mtime = 0.0


class Directory:
    """Names now, names on the platter, and the changes between the two in their order."""

    def __init__(self) -> None:
        self.now: dict[str, Inode] = {}
        self.safe: dict[str, Inode] = {}
        self.log: list[tuple[str, Inode | None]] = []
        self.changes = 0

    def set(self, name: str, inode: Inode | None) -> None:
        _apply(self.now, name, inode)
        self.log.append((name, inode))
        self.changes += 1

    def sync(self) -> None:
        self.safe, self.log = dict(self.now), []

    def crash(self, chance: random.Random) -> None:
        for name, inode in self.log[: chance.randint(0, len(self.log))]:
            _apply(self.safe, name, inode)
        self.now, self.log = dict(self.safe), []


def _apply(names: dict[str, Inode], name: str, inode: Inode | None) -> None:
    if inode is None:
        names.pop(name, None)
    else:
        names[name] = inode


class Disk:
    """The calls that the queue makes, with their meaning and without a machine."""

    def __init__(self) -> None:
        self.directories: dict[str, Directory] = {}
        self.handles: dict[int, Any] = {}
        self.locks: dict[Inode, int] = {}
        self._numbers = itertools.count(1000)
        self.fuse = -1  # calls until the power goes; negative: it stays

    def module(self) -> SimpleNamespace:
        """What a module of the queue sees as `os`."""
        own = {name: getattr(self, name) for name in dir(self) if not name.startswith("_")}
        return SimpleNamespace(**{**vars(os), **own})

    def crash(self, chance: random.Random) -> None:
        """The power goes and comes back."""
        self.fuse = -1
        for directory in self.directories.values():
            directory.crash(chance)
            for inode in directory.now.values():
                if inode.safe is None:
                    inode.data = inode.data[: chance.randint(0, len(inode.data))]
                inode.safe = inode.data
        self.end_of_process()

    def end_of_process(self) -> None:
        self.handles.clear()
        self.locks.clear()

    def _burn(self) -> None:
        if self.fuse == 0:
            raise PowerCut
        self.fuse -= self.fuse > 0

    def _at(self, path: str, dir_fd: int | None) -> tuple[Directory, str]:
        if dir_fd is not None:
            return self.handles[dir_fd], path
        return self.directories[os.path.dirname(path)], os.path.basename(path)

    def makedirs(self, path: str, mode: int = 0o777, exist_ok: bool = False) -> None:
        while path not in self.directories:
            self.directories[path] = Directory()
            path = os.path.dirname(path)

    def mkdir(self, path: str, mode: int = 0o777) -> None:
        if path in self.directories:
            raise FileExistsError(17, "there", path)
        self.makedirs(path)

    def open(self, path: str, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        self._burn()
        number = next(self._numbers)
        if path in self.directories:
            self.handles[number] = self.directories[path]
            return number
        directory, name = self._at(path, dir_fd)
        if name not in directory.now:
            if not flags & os.O_CREAT:
                raise FileNotFoundError(2, "none", path)
            directory.set(name, Inode())
        elif flags & os.O_EXCL:
            raise FileExistsError(17, "there", path)
        self.handles[number] = directory.now[name]
        return number

    def write(self, handle: int, content: bytes) -> int:
        self._burn()
        self.handles[handle].data += bytes(content)
        return len(content)

    def pwrite(self, handle: int, content: bytes, at: int) -> int:
        return len(content)

    def pread(self, handle: int, size: int, at: int) -> bytes:
        return b"1"

    def ftruncate(self, handle: int, size: int) -> None:
        """Only the owner's name is written so."""

    def read(self, handle: int, size: int) -> bytes:
        inode = self.handles[handle]
        at = self.handles.get(-handle, 0)
        self.handles[-handle] = at + size
        return bytes(inode.data[at : at + size])

    def fsync(self, handle: int) -> None:
        self._burn()
        found = self.handles[handle]
        if isinstance(found, Directory):
            found.sync()
        else:
            found.safe = found.data

    def close(self, handle: int) -> None:
        found = self.handles.pop(handle, None)
        self.handles.pop(-handle, None)
        if isinstance(found, Inode) and self.locks.get(found) == handle:
            del self.locks[found]

    def link(self, old: str, new: str, *, src_dir_fd: int, dst_dir_fd: int) -> None:
        self._burn()
        target = self.handles[dst_dir_fd]
        if new in target.now:
            raise FileExistsError(17, "there", new)
        target.set(new, self.handles[src_dir_fd].now[old])

    def rename(self, old: str, new: str, *, src_dir_fd: int, dst_dir_fd: int) -> None:
        self._burn()
        source, target = self.handles[src_dir_fd], self.handles[dst_dir_fd]
        inode = source.now[old]
        target.set(new, inode)
        source.set(old, None)

    def unlink(self, path: str, *, dir_fd: int | None = None) -> None:
        self._burn()
        directory, name = self._at(path, dir_fd)
        if name not in directory.now:
            raise FileNotFoundError(2, "none", path)
        directory.set(name, None)

    def utime(self, handle: int, times: tuple[float, float]) -> None:
        self.handles[handle].mtime = times[1]

    def stat(self, path: str, *, dir_fd: int | None = None, follow_symlinks: bool = True) -> Any:
        directory, name = self._at(path, dir_fd)
        if name not in directory.now:
            raise FileNotFoundError(2, "none", path)
        return _told(directory.now[name])

    def access(self, path: str, mode: int, *, dir_fd: int, follow_symlinks: bool) -> bool:
        return path in self.handles[dir_fd].now

    def fstat(self, handle: int) -> Any:
        found = self.handles[handle]
        if isinstance(found, Directory):
            return SimpleNamespace(st_uid=os.geteuid(), st_mtime_ns=found.changes)
        return _told(found)

    def scandir(self, path: str) -> Any:
        return _Entries(self.directories[path])

    def kill(self, pid: int, number: int) -> None:
        raise ProcessLookupError

    def flock(self, handle: int, how: int) -> None:
        """Exclusive or not: whoever has it keeps others out."""
        inode = self.handles[handle]
        if how == 8:
            self.locks.pop(inode, None)
            return
        if self.locks.get(inode, handle) != handle:
            raise BlockingIOError
        self.locks[inode] = handle


def _told(inode: Inode) -> Any:
    return SimpleNamespace(
        st_mode=stat.S_IFREG, st_size=len(inode.data), st_ctime=0.0,
        st_mtime_ns=int(inode.mtime * 1e9), st_ino=id(inode), st_dev=1,
    )  # fmt: skip


class _Entries:
    def __init__(self, directory: Directory) -> None:
        self._entries = [
            SimpleNamespace(name=name, stat=lambda follow_symlinks, one=inode: _told(one))
            for name, inode in directory.now.items()
        ]

    def __enter__(self) -> Iterator[Any]:
        return iter(self._entries)

    def __exit__(self, *_: object) -> None:
        """Nothing to release."""
