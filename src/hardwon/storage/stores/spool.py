"""A file that many processes append to without locks, and one takes away."""

from __future__ import annotations

import fcntl
import json
import os
from hashlib import blake2b
from typing import Any

from hardwon.core import _files
from hardwon.core._fork import ForkLock
from hardwon.core.errors import storage_error

_LAST = 64  # bytes by which a file is known again

# A child process would inherit the file, and hold its lock as long as it lives.
_appending = ForkLock()


class Spool:
    """Lines of JSON beside a database. An append costs microseconds and is never torn."""

    def __init__(self, path: str) -> None:
        self._path = path
        # Per kind: how many bytes hold no such record, and the last of them.
        self._checked: dict[str, tuple[int, bytes]] = {}

    def append(self, *records: object) -> None:
        """Add records, in one write."""
        lines = [json.dumps(record, ensure_ascii=True, separators=(",", ":")) for record in records]
        text = "".join(f"{line}\n" for line in lines).encode()
        try:
            with _appending:
                while text and not self._appended(text):
                    pass
        except OSError as error:
            raise storage_error(error, self._path) from error

    def size(self) -> int:
        """Bytes that wait to be taken, or were taken but not stored."""
        return _size(self._path) + _size(_aside(self._path))

    def holds(self, kind: str) -> bool:
        """Whether a record of this kind waits; bytes once checked are not read again."""
        if _size(_aside(self._path)):
            return True
        end, last = self._checked.get(kind, (0, b""))
        try:
            with open(self._path, "rb") as lines:
                lines.seek(end - len(last))
                if lines.read(len(last)) != last:  # another file, though it may have its inode
                    end = lines.seek(0)
                text = lines.read()
        except FileNotFoundError:
            return False
        is_there = f'["{kind}"'.encode() in text
        if not is_there and (complete := text.rfind(b"\n") + 1):  # the rest is checked again
            self._checked[kind] = end + complete, text[:complete][-_LAST:]
        return is_there

    def take(self) -> Taken:
        """All records so far; they are removed when the `with` block ends well."""
        return Taken(self._path)

    def _appended(self, line: bytes) -> bool:
        """False when the file was taken away between opening and locking it."""
        handle = _files.end_of(self._path)
        try:
            fcntl.flock(handle, fcntl.LOCK_SH)
            if os.fstat(handle).st_nlink == 0 or not self._is_current(handle):
                return False
            os.write(handle, line)
            return True
        finally:
            os.close(handle)

    def _is_current(self, handle: int) -> bool:
        try:
            return os.path.samestat(os.fstat(handle), os.stat(self._path))
        except FileNotFoundError:
            return False


class Taken:
    """The records of a spool while they are moved elsewhere."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._aside = _aside(path)
        self._lock = _files.Lock(f"{path}.lock")
        self._is_taken = False

    def __enter__(self) -> tuple[str, list[Any]]:
        """A unique name of the batch, and its records; empty while another process has them."""
        self._is_taken = self._lock.acquire(wait=False)
        if not self._is_taken:
            return "", []
        # The remains of a crash come first; the current file follows next time.
        if not os.path.exists(self._aside) and os.path.exists(self._path):
            os.rename(self._path, self._aside)
        return self._records()

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None and self._is_taken:
            _files.unlink(self._aside)
        self._lock.release()

    def _records(self) -> tuple[str, list[Any]]:
        """All complete lines, after every writer of the file has finished."""
        try:
            with open(self._aside, "rb") as lines:
                fcntl.flock(lines, fcntl.LOCK_EX)
                text, state = lines.read(), os.fstat(lines.fileno())
        except FileNotFoundError:
            return "", []
        digest = blake2b(text, digest_size=16).hexdigest()
        records = [record for line in text.splitlines() if (record := _parsed(line)) is not None]
        return f"{digest}-{state.st_ino}-{state.st_mtime_ns}", records


def _aside(path: str) -> str:
    """The path of records while they are moved."""
    return f"{path}.taken"


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except FileNotFoundError:
        return 0


def _parsed(line: bytes) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        return None
