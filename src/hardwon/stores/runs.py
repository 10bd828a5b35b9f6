"""Runs: the task, the latest steps and what was told, in this process or in one file a run.

A file holds JSON lines. A list is a step; an object is a note: `task`, `told` with the name of the
`call` it was told before and the delivery that was `shown` in which `scope`, `counted`, `settled`
once the outcomes of all deliveries so far are noted, or how many steps were `cut` here. Whoever
writes has screened the text.
"""

from __future__ import annotations

import os
import time
from collections import deque
from datetime import UTC, datetime

from hardwon import _files
from hardwon._cold import json
from hardwon._cold.hashing import blake2b
from hardwon.errors import storage_error
from hardwon.values.run import RunSoFar, Shown
from hardwon.values.scope import Scope
from hardwon.values.step import Step, restored

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any


STEPS_REMEMBERED = 200  # of a run that has no name
READ = 256 * 1024  # bytes of steps that a hook reads at most, from the end
_KEPT = 4 * READ  # a longer file is cut
_LISTED = 200  # runs at work that are shown at most
_STALE = 7 * 86400.0  # seconds after which a run that never ended is forgotten
_TASK, _TOLD, _CALL, _COUNTED = "task", "told", "call", "counted"
_SHOWN, _CUT, _SCOPE, _SETTLED = "shown", "cut", "scope", "settled"
_SUFFIX = ".jsonl"
_RAW = (".task", ".error")  # unscreened notes of earlier builds


class FileRun:
    """A run that several processes share: one file below `<home>/runs`."""

    def __init__(self, home: str, scope: Scope, run: str, *, name: str = "") -> None:
        whole = "\0".join((scope.tenant, scope.agent, scope.project or "", run))
        self._folder = os.path.join(home, "runs")
        self._scope = scope
        self.name = name or _digest(whole, 16)
        self._path = os.path.join(self._folder, f"{_tenant(scope.tenant)}{self.name}{_SUFFIX}")
        self._unwritten: list[bytes] = []  # lines that the disk did not take

    def so_far(self) -> RunSoFar:
        return _read(self._lines())

    def begin(self, task: str) -> None:
        self._write({_TASK: task})

    def record(self, step: Step) -> None:
        self._write(step)

    def told(self, lessons: Iterable[int], call: str = "", shown: Shown | None = None) -> None:
        note = {_TOLD: list(lessons), _CALL: call_name(call)}
        place = {} if shown is None else {_SHOWN: shown[:3], _SCOPE: self._scope}
        self._write(note | place)

    def counted(self, marks: Iterable[str]) -> None:
        self._write({_COUNTED: list(marks)})

    def settled(self) -> None:
        """Forget the deliveries so far, for their outcomes are noted; the run goes on."""
        self._write({_SETTLED: True})

    def end(self) -> None:
        self._unwritten.clear()
        _files.unlink(self._path)
        self._forget_stale(time.time() - _STALE)

    def _lines(self) -> list[bytes]:
        return [*_lines_of(self._path), *self._unwritten]

    def _write(self, record: object) -> None:
        text = json.dumps(record, ensure_ascii=True, separators=(",", ":"))
        self._unwritten.append(text.encode())
        lines = (b"\n" + line for line in self._unwritten)  # a torn line costs only itself
        try:
            size = self._append(b"".join(lines))
            self._unwritten.clear()
            if size > _KEPT:
                self._cut()
        except OSError as error:
            raise storage_error(error, self._path) from error

    def _append(self, line: bytes) -> int:
        try:
            return _files.append(self._path, line)
        except FileNotFoundError:
            os.makedirs(self._folder, mode=0o700, exist_ok=True)
            return _files.append(self._path, line)

    def _cut(self) -> None:
        """Keep the notes and the newest steps; one that is added meanwhile may be lost."""
        lines = self._lines()
        steps = [at for at, line in enumerate(lines) if _is_step(line)]
        gone = len(steps) - len(_newest(lines))
        first = steps[gone] if gone < len(steps) else len(lines)
        notes = [line for line in lines[:first] if _is_note(line)]
        cut = json.dumps({_CUT: [gone]}).encode()
        _files.replace(self._path, b"\n".join([*notes, cut, *lines[first:]]))

    def _forget_stale(self, before: float) -> None:
        """Remove the runs that never ended; live ones stay."""
        try:
            entries = list(os.scandir(self._folder))
        except FileNotFoundError:
            return
        for entry in entries:
            if entry.name.endswith(_RAW) or _changed(entry) < before:
                _files.unlink(entry.path)


class MemoryRun:
    """A run of this process."""

    def __init__(self) -> None:
        self.name = os.urandom(16).hex()
        self._steps: deque[Step] = deque(maxlen=STEPS_REMEMBERED)
        self._made = 0
        self._shown: list[tuple[int, Shown]] = []
        self._so_far = RunSoFar()

    def so_far(self) -> RunSoFar:
        shown = _aged(self._shown, self._made)
        return self._so_far._replace(steps=tuple(self._steps), shown=shown)

    def begin(self, task: str) -> None:
        self._so_far = self._so_far._replace(task=task, since=0)

    def record(self, step: Step) -> None:
        self._steps.append(step)
        self._made += 1
        self._so_far = self._so_far._replace(warned="", since=self._so_far.since + 1)

    def told(self, lessons: Iterable[int], call: str = "", shown: Shown | None = None) -> None:
        past, fresh = self._so_far, frozenset(lessons)
        if shown is not None:
            self._shown.append((self._made, shown._replace(lessons=tuple(sorted(fresh)))))
        warnings = past.warnings | fresh if call else past.warnings
        self._so_far = past._replace(
            told=past.told | fresh, warned=call_name(call), warnings=warnings
        )

    def counted(self, marks: Iterable[str]) -> None:
        self._so_far = self._so_far._replace(counted=self._so_far.counted.union(marks))

    def end(self) -> None:
        self._steps.clear()
        self._shown.clear()
        self.name = os.urandom(16).hex()
        self._made = 0
        self._so_far = RunSoFar()


def _lines_of(path: str) -> list[bytes]:
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise storage_error(error, path) from error
    with os.fdopen(handle, "rb") as file:
        return file.read().split(b"\n")


def call_name(call: str) -> str:
    """What a call is noted by, for it may hold secrets; "" for no call."""
    return _digest(call, 8) if call else ""


def _read(lines: list[bytes]) -> RunSoFar:
    """The run that a file tells of; torn lines are left out."""
    told: set[int] = set()
    warnings: set[int] = set()
    counted: set[str] = set()
    shown: list[tuple[int, Shown]] = []
    task, warned, since, made = "", "", 0, 0
    for line in lines:
        if not _is_note(line):
            warned = "" if line else warned
            since, made = since + bool(line), made + bool(line)
            continue
        note = _parsed(line)
        if not isinstance(note, dict):
            continue
        task, since = str(note.get(_TASK, task)), 0 if _TASK in note else since
        lessons = _items(note, _TOLD, int)
        told.update(lessons)
        warnings.update(lessons if note.get(_CALL) else ())
        counted.update(_items(note, _COUNTED, str))
        warned = str(note.get(_CALL, warned))
        made += sum(_items(note, _CUT, int))
        shown = [] if _SETTLED in note else shown
        shown += [(made, delivery) for delivery in _shown(note.get(_SHOWN), lessons)]
    steps = tuple(step for line in _newest(lines) if (step := _step(line)))
    notes = frozenset(told), frozenset(counted), warned, since, frozenset(warnings)
    return RunSoFar(task, steps, *notes, _aged(shown, made))


def _aged(shown: list[tuple[int, Shown]], made: int) -> tuple[Shown, ...]:
    """Deliveries with the steps since; each comes with the steps that were made before it."""
    return tuple(delivery._replace(after=made - at) for at, delivery in shown)


def _shown(noted: object, lessons: Iterable[int]) -> list[Shown]:
    """The delivery of a note, if it has a whole one."""
    match noted:
        case [str(delivery), str(door), [*kinds]]:
            about = tuple(map(str, kinds))
            return [Shown(delivery, door, about, lessons=tuple(sorted(set(lessons))))]
    return []


def _newest(lines: list[bytes]) -> list[bytes]:
    """The lines of the newest steps, as many as a hook reads."""
    kept: list[bytes] = []
    left = READ
    for line in reversed(lines):
        if _is_step(line):
            left -= len(line)
            if left < 0:
                break
            kept.append(line)
    return kept[::-1]


def _is_note(line: bytes) -> bool:
    return line.startswith(b"{")


def _is_step(line: bytes) -> bool:
    return bool(line) and not _is_note(line)


def _items(note: dict[str, Any], name: str, of: type) -> list[Any]:
    items = note.get(name)
    return [item for item in items if isinstance(item, of)] if isinstance(items, list) else []


def _step(line: bytes) -> Step | None:
    values = _parsed(line)
    try:
        return restored(values) if isinstance(values, list) else None
    except TypeError:
        return None


def _parsed(line: bytes) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        return None


def at_work(home: str, tenant: str) -> list[tuple[str, datetime, RunSoFar]]:
    """The runs of a tenant that have not ended, with the time of their last note, newest first."""
    own = _found(home, _tenant(tenant))
    newest = sorted(own, key=lambda name: _changed(own[name]), reverse=True)[:_LISTED]
    return [
        (name, datetime.fromtimestamp(_changed(own[name]), UTC), _read(_lines_of(own[name].path)))
        for name in newest
    ]


def idle(home: str, before: float) -> Iterator[tuple[Scope, FileRun]]:
    """The runs in which nothing happened since, and whose deliveries wait for their outcomes."""
    for name, entry in _found(home).items():
        scope = _scope_in(entry.path) if _changed(entry) < before else None
        if scope is not None:
            yield scope, FileRun(home, scope, "", name=name.rpartition("-")[2])


def _found(home: str, start: str = "") -> dict[str, os.DirEntry[str]]:
    """The files of runs by their names, without what they begin with."""
    folder = os.path.join(home, "runs")
    entries = list(os.scandir(folder)) if os.path.isdir(folder) else []
    own = [
        entry for entry in entries if entry.name.startswith(start) and entry.name.endswith(_SUFFIX)
    ]
    return {entry.name.removeprefix(start).removesuffix(_SUFFIX): entry for entry in own}


def _scope_in(path: str) -> Scope | None:
    """The scope in which deliveries of a run wait; None when none does."""
    found = None
    for line in _lines_of(path):
        note = _parsed(line) if _is_note(line) else None
        match note:
            case {"scope": [str(tenant), str(agent), (str() | None) as project]}:
                found = Scope(tenant, agent, project)
            case {"settled": _}:
                found = None
    return found


def is_due(home: str, tenant: str, now: float, *, every: float) -> bool:
    """Whether the runs of a tenant were reviewed long ago; if so, that counts as done now."""
    path = os.path.join(home, "runs", f"{_tenant(tenant)}reviewed")
    try:
        if now - os.stat(path).st_mtime < every:
            return False
    except FileNotFoundError:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    _files.replace(path, b"")
    os.utime(path, (now, now))
    return True


def forget(home: str, tenant: str) -> None:
    """Remove the runs of a tenant."""
    folder = os.path.join(home, "runs")
    for name in os.listdir(folder) if os.path.isdir(folder) else ():
        if name.startswith(_tenant(tenant)):
            _files.unlink(os.path.join(folder, name))


def _tenant(name: str) -> str:
    """What the files of a tenant begin with."""
    return f"{_digest(name, 8)}-"


def _digest(text: str, size: int) -> str:
    return blake2b(text.encode("utf-8", "replace"), digest_size=size).hexdigest()


def _changed(entry: os.DirEntry[str]) -> float:
    try:
        return entry.stat(follow_symlinks=False).st_mtime
    except FileNotFoundError:  # its own process was quicker
        return time.time()
