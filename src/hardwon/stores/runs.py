"""The latest steps of a run: in this process, or on disk for all processes of the run."""

from __future__ import annotations

import os
import time
from collections import deque

from hardwon._cold import json
from hardwon._cold.hashing import blake2b
from hardwon.errors import storage_error
from hardwon.values.step import Step, restored

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from hardwon.values.scope import Scope

STEPS_REMEMBERED = 200  # of a run that has no name
READ = 256 * 1024  # bytes from the end: what a hook reads at most
_TOLD, _CALL, _NOTE = "told", "call", b'{"told"'
_KEPT = 4 * READ  # a longer file is cut
_STALE = 7 * 86400.0  # seconds after which a run that never ended is forgotten


class FileWindow:
    """One file of JSON lines a run, below `<home>/runs`."""

    def __init__(self, home: str, scope: Scope, run: str) -> None:
        name = "\0".join((scope.tenant, scope.agent, scope.project or "", run))
        self._folder = os.path.join(home, "runs")
        digest = blake2b(name.encode("utf-8", "replace"), digest_size=16).hexdigest()
        self._path = os.path.join(self._folder, f"{digest}.jsonl")

    def steps(self) -> list[Step]:
        return list(_parsed(self._lines()))

    def past(self, call: str) -> tuple[list[Step], dict[int, int], bool]:
        lines = self._lines()
        last = next((line for line in reversed(lines) if line), b"")
        is_warned = last.startswith(_NOTE) and _name(call).encode() in last
        return list(_parsed(lines)), _counted(_notes(lines)), is_warned

    def _lines(self) -> list[bytes]:
        """What is read of the file from its end, whole lines."""
        try:
            handle = os.open(self._path, os.O_RDONLY | os.O_NOFOLLOW)
        except FileNotFoundError:
            return []
        except OSError as error:
            raise storage_error(error, self._path) from error
        with os.fdopen(handle, "rb") as file:
            size = os.fstat(handle).st_size
            file.seek(max(0, size - READ))
            lines = file.read().split(b"\n")
        return lines[1:] if size > READ else lines

    def append(self, step: Step) -> None:
        self._write(step)

    def tell(self, lessons: Sequence[int], call: str) -> None:
        self._write({_TOLD: list(lessons), _CALL: _name(call)})

    def _write(self, record: object) -> None:
        line = json.dumps(record, ensure_ascii=True, separators=(",", ":")).encode() + b"\n"
        try:
            handle = self._opened()
            try:
                os.write(handle, line)
                size = os.fstat(handle).st_size
            finally:
                os.close(handle)
            if size > _KEPT:
                self._cut()
        except OSError as error:
            raise storage_error(error, self._path) from error

    def clear(self) -> None:
        _remove(self._path)
        self._forget_stale(time.time() - _STALE)

    def _opened(self) -> int:
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW
        try:
            return os.open(self._path, flags, 0o600)
        except FileNotFoundError:
            os.makedirs(self._folder, mode=0o700, exist_ok=True)
            return os.open(self._path, flags, 0o600)

    def _cut(self) -> None:
        """Keep what is read; a step that another process adds meanwhile may miss the window."""
        aside = f"{self._path}.{os.getpid()}"
        with open(aside, "wb", opener=_private) as file:
            file.write(b"\n".join(self._lines()))
        os.replace(aside, self._path)

    def _forget_stale(self, before: float) -> None:
        try:
            entries = list(os.scandir(self._folder))
        except FileNotFoundError:
            return
        for entry in entries:
            if entry.stat(follow_symlinks=False).st_mtime < before:
                _remove(entry.path)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NOFOLLOW, 0o600)


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except FileNotFoundError:
        return


def _notes(lines: list[bytes]) -> Iterator[int]:
    """The lessons that were told, each time a call followed."""
    told: list[int] = []
    for line in lines:
        if line.startswith(_NOTE):
            told = _told(line)
        elif line:
            yield from told
            told = []


def _name(call: str) -> str:
    """What a call is noted by; it may hold secrets."""
    return blake2b(call.encode("utf-8", "replace"), digest_size=8).hexdigest()


def _told(line: bytes) -> list[int]:
    try:
        return list(json.loads(line)[_TOLD])
    except (ValueError, TypeError, KeyError):  # torn
        return []


def _counted(lessons: Iterable[int]) -> dict[int, int]:
    found: dict[int, int] = {}
    for lesson in lessons:
        found[lesson] = found.get(lesson, 0) + 1
    return found


def _parsed(lines: list[bytes]) -> Iterator[Step]:
    """The whole steps; a torn line is left out."""
    for line in lines:
        if line.startswith(_NOTE):
            continue
        try:
            yield restored(json.loads(line))
        except (ValueError, TypeError):
            continue


_NOTHING: tuple[Sequence[int], str] = ((), "")


class MemoryWindow:
    """The latest steps in this process."""

    def __init__(self) -> None:
        self._steps: deque[Step] = deque(maxlen=STEPS_REMEMBERED)
        self._told: list[int] = []
        self._pending: tuple[Sequence[int], str] = _NOTHING

    def steps(self) -> list[Step]:
        return list(self._steps)

    def append(self, step: Step) -> None:
        self._steps.append(step)
        self._told += self._pending[0]
        self._pending = _NOTHING

    def past(self, call: str) -> tuple[list[Step], dict[int, int], bool]:
        lessons, warned = self._pending
        return self.steps(), _counted(self._told), bool(lessons) and warned == call

    def tell(self, lessons: Sequence[int], call: str) -> None:
        self._pending = lessons, call

    def clear(self) -> None:
        self._steps.clear()
        self._told.clear()
        self._pending = _NOTHING
