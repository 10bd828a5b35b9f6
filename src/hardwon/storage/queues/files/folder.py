"""A folder of small files that are complete or absent."""

from __future__ import annotations

import itertools
import os
import stat
from typing import TYPE_CHECKING

from hardwon.core._files import sync
from hardwon.core.errors import storage_error
from hardwon.storage.queues.files.directory import Directory, NotRegular, close

if TYPE_CHECKING:
    from collections.abc import Iterator


class Folder(Directory):
    """A directory of the queue. After `add` and `replace` return, the data is on disk."""

    def add(self, name: str, content: bytes) -> bool:
        """Write a new file; False when the name is taken by an equally durable file."""
        try:
            while True:
                if not self.has(name) and self._added(name, content):
                    return True
                if self._is_settled(name):
                    return False
        except OSError as error:
            raise storage_error(error, os.path.join(self.path, name)) from error

    def replace(self, name: str, content: bytes, *, stamp: float | None = None) -> None:
        """Replace a file; the old content survives any failure."""
        try:
            temporary = self._written(name, content, stamp=stamp)
            self._renamed(temporary, name)
            self._sync()
        except OSError as error:
            raise storage_error(error, os.path.join(self.path, name)) from error

    def remove(self, name: str, *, for_good: bool = False) -> bool:
        """Remove a file; False if it is missing. Only with `for_good` it survives a power cut."""
        try:
            os.unlink(name, dir_fd=self._fd)
            if for_good:
                self._sync()
        except FileNotFoundError:
            return False
        except OSError as error:
            raise storage_error(error, os.path.join(self.path, name)) from error
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
        try:
            with os.scandir(self.path) as entries:
                yield from entries
        except OSError as error:
            raise storage_error(error, self.path) from error

    def changed_at(self) -> int:
        """A number that changes when a name is added or removed."""
        return os.fstat(self._fd).st_mtime_ns

    def hand_over(self, name: str, other: Folder) -> None:
        """Move an entry of any kind to another folder, under a free name."""
        target = name
        for number in itertools.count(1):
            if not other.has(target):
                break
            target = f"{name}.{number}"
        os.rename(name, target, src_dir_fd=self._fd, dst_dir_fd=other._fd)

    def _added(self, name: str, content: bytes) -> bool:
        """Write and name a file, then sync it: one commit of the file system covers both.

        A power cut in between may leave a torn record. The checksum exposes it, and its job was not
        acknowledged yet.
        """
        temporary, handle = self._new(name)
        try:
            self._fill(handle, temporary, content)
            if not self._linked(temporary, name):
                return False
            self._sync_named(handle, name, is_ours=True)
        finally:
            close(handle)
        return True

    def _is_settled(self, name: str) -> bool:
        """Sync a file that another process may still write; False if it disappeared."""
        try:
            handle = self._to_read(name)
        except NotRegular:
            return True
        except FileNotFoundError:
            return False
        try:
            self._sync_named(handle, name, is_ours=False)
            return self._is_named(handle, name)
        except FileNotFoundError:
            return False
        finally:
            close(handle)

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
            self._sync()
        except OSError:
            if not self._renewed(handle, name) and is_doubtful:
                self._take_back(handle, name)
            raise

    def _renewed(self, handle: int, name: str) -> bool:
        """Replace this file by a new one with the same content; whether that worked."""
        try:
            status = os.fstat(handle)
            os.lseek(handle, 0, os.SEEK_SET)
            content = _all_of(handle, status.st_size)
            temporary = self._written(name, content, stamp=status.st_mtime)
            if self._is_named(handle, name):
                self._renamed(temporary, name)
            else:
                self._discard(temporary)
        except OSError:
            return False
        return True

    def _take_back(self, handle: int, name: str) -> None:
        """Remove this file if the name still belongs to it."""
        try:
            if self._is_named(handle, name):
                os.unlink(name, dir_fd=self._fd)
        except OSError:
            return


def _all_of(handle: int, size: int) -> bytes:
    """The whole file: usually one call, more if a read is short."""
    content = os.read(handle, size + 1)
    while len(content) < size and (more := os.read(handle, size - len(content))):
        content += more
    return content
