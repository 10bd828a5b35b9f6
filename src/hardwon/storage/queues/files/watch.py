"""Notices records that other processes add to a folder, for one `fstat` per check."""

from __future__ import annotations

import os
from time import monotonic, time
from typing import TYPE_CHECKING

from hardwon.storage.queues.files.record_dir import SUFFIX

if TYPE_CHECKING:
    from collections.abc import Container, Iterable

    from hardwon.storage.queues.files.folder import Folder

_ABANDONED = 600  # seconds after which the temporary file of a dead process is removed
_LARGE = 1000  # entries; the scan of such a folder …
_PAUSE = 20  # … is followed by a pause of this many times its length
_TICK = 0.02  # seconds; the coarsest relevant file-system clock


class FolderWatch:
    """Watches one folder.

    The folder's time is coarse: two additions may leave the same mark, so a mark is trusted only
    some time after it was first seen. A large folder is scanned less often.
    """

    def __init__(self, folder: Folder) -> None:
        self._folder = folder
        self._mark = -1  # the folder's time at the last check
        self._seen = self._scanned = self._next = 0.0
        self._size = 0

    def news(self, known: Container[str]) -> list[str]:
        """Unknown ids, oldest first; empty when the folder has not changed."""
        mark, began = self._folder.changed_at(), monotonic()
        if mark != self._mark:
            self._mark, self._seen = mark, began
        elif self._scanned - self._seen > _TICK:
            return []
        if began < self._next:
            return []
        unknown = self.scan(known)
        self._scanned = began
        if self._size > _LARGE:
            self._next = began + _PAUSE * (monotonic() - began)
        return unknown

    def scan(self, known: Container[str]) -> list[str]:
        """Unknown ids, oldest first by the age of their files."""
        names = [entry for entry in self._folder.entries() if entry.name.endswith(SUFFIX)]
        self._size = len(names)
        unknown = [
            (_age_mark(entry), identity)
            for entry in names
            if (identity := entry.name.removesuffix(SUFFIX)) not in known
        ]
        return [identity for _, identity in sorted(unknown)]


def clean(folder: Folder) -> None:
    """Remove temporary files of writers that died long ago."""
    for name in list(_orphans(folder)):
        folder.remove(name)


def _orphans(folder: Folder) -> Iterable[str]:
    for entry in folder.entries():
        _, mark, suffix = entry.name.partition(".tmp.")
        pid = suffix.partition(".")[0]
        is_orphan = mark and pid.isdigit() and not _is_running(int(pid))
        if is_orphan and time() - _changed(entry) > _ABANDONED:
            yield entry.name


def _is_running(pid: int) -> bool:
    """Whether a process with this id exists on this machine."""
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True


def _age_mark(entry: os.DirEntry[str]) -> int:
    try:
        return entry.stat(follow_symlinks=False).st_mtime_ns
    except FileNotFoundError:
        return 0


def _changed(entry: os.DirEntry[str]) -> float:
    try:
        return entry.stat(follow_symlinks=False).st_ctime
    except FileNotFoundError:
        return time()
