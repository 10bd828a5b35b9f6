"""Runs: task, latest steps and deliveries, in this process or in one file per run.

A file holds JSON lines. A list is a step; an object is a note: when the run has `begun`, its scope
(`of`), and whom it is made for if that is not the person of this machine (`by`); the `task`;
lessons that were `told`, before which `call`, and the delivery `shown` in which `words` and
`scope`; marks that were `counted`; `settled` once the outcomes of all deliveries so far are noted;
how many steps were `cut`; or when the run `ended` with which `outcome`. Text is screened before it
is written here.
"""

from __future__ import annotations

import json
import os
import time
from collections import deque
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from hardwon.core import _files
from hardwon.core.errors import storage_error
from hardwon.core.values.run import Author, RunSoFar, Shown, Step, read_step
from hardwon.core.values.scope import Scope

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


STEPS_REMEMBERED = 200  # steps of a run without a name
READ = 256 * 1024  # most bytes of steps that a hook reads, from the end
_KEPT = 4 * READ  # a longer file is cut
_PROMPTS = 20  # latest prompts of a run
_STALE = 7 * 86400.0  # seconds after which a run that never ended is forgotten
_TIDIED = 3600.0  # seconds between two looks at the files of all runs
_UNCOLLECTED = 23 * 86400.0  # further seconds for a run that ended but was not collected
_TASK, _TOLD, _CALL, _COUNTED = "task", "told", "call", "counted"
_SHOWN, _CUT, _SCOPE, _SETTLED = "shown", "cut", "scope", "settled"
_BEGUN, _OF, _ENDED, _OUTCOME = "begun", "of", "ended", "outcome"
_BY, _WORDS = "by", "words"
SUFFIX = ".jsonl"
ASIDE = "ended"  # the folder of runs that wait for a worker
_RAW = (".task", ".error")  # unscreened notes of older versions


class FileRun:
    """A run that several processes share: one file below `<home>/runs`."""

    def __init__(
        self, home: str, scope: Scope, run: str, *, name: str = "", by: Author | None = None
    ) -> None:
        identity = "\0".join((scope.tenant, scope.agent, scope.project or "", run))
        self._folder = os.path.join(home, "runs")
        self._scope = scope
        self._by = by
        self.name = name or _digest(identity, 16)
        self._path = os.path.join(self._folder, f"{tenant_mark(scope.tenant)}{self.name}{SUFFIX}")
        self._unwritten: list[bytes] = []  # lines that could not be written

    def so_far(self) -> RunSoFar:
        return read(self._lines())

    def begin(self, task: str) -> None:
        self._write({_TASK: task})

    def record(self, step: Step) -> None:
        self._write(step)

    def told(self, lessons: Iterable[int], call: str = "", shown: Shown | None = None) -> None:
        note: dict[str, Any] = {_TOLD: list(lessons), _CALL: call_name(call)}
        if shown is not None:
            words = {_WORDS: shown.text} if shown.text else {}
            note |= {_SHOWN: shown[:3], **words, _SCOPE: self._scope}
        self._write(note)

    def counted(self, marks: Iterable[str]) -> None:
        self._write({_COUNTED: list(marks)})

    def settled(self) -> None:
        """Drop the deliveries so far: their outcomes are noted. The run goes on."""
        self._write({_SETTLED: True})

    def end(self, outcome: str = "", at: float = 0.0) -> bool:
        is_kept = bool(outcome) and self._put_aside(outcome, at)
        self._unwritten.clear()
        _files.unlink(self._path)
        self._forget_stale(time.time())
        return is_kept

    def _put_aside(self, outcome: str, at: float) -> bool:
        """Move the file to where a worker looks for it; that is as cheap as removing it."""
        self._write({_ENDED: at, _OUTCOME: outcome, _OF: self._scope})
        name = os.path.basename(self._path).removesuffix(SUFFIX)
        target = os.path.join(self._folder, ASIDE, f"{name}-{time.time_ns():x}{SUFFIX}")
        try:
            os.makedirs(os.path.dirname(target), mode=0o700, exist_ok=True)
            os.rename(self._path, target)
        except OSError as error:
            raise storage_error(error, target) from error
        return True

    def _lines(self) -> list[bytes]:
        return [*lines_of(self._path), *self._unwritten]

    def _write(self, record: object) -> None:
        text = json.dumps(record, ensure_ascii=True, separators=(",", ":"))
        self._unwritten.append(text.encode())
        # A newline comes first, so that a torn line damages only itself.
        lines = (b"\n" + line for line in self._unwritten)
        try:
            content = b"".join(lines)
            size = self._append(content)
            self._unwritten.clear()
            if size == len(content):
                begun = {_BEGUN: time.time(), _OF: self._scope}
                self._append(b"\n" + json.dumps(begun).encode())
                if self._by is not None:
                    self._append(b"\n" + note_author(self._by).encode())
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
        """Keep the notes and the newest steps; a step added meanwhile may be lost."""
        lines = self._lines()
        steps = [at for at, line in enumerate(lines) if is_step(line)]
        dropped = len(steps) - len(_newest(lines))
        first = steps[dropped] if dropped < len(steps) else len(lines)
        notes = [line for line in lines[:first] if is_note(line)]
        cut = json.dumps({_CUT: [dropped]}).encode()
        _files.replace(self._path, b"\n".join([*notes, cut, *lines[first:]]))

    def _forget_stale(self, now: float) -> None:
        """Remove runs that never ended, and those that no worker collected; once an hour.

        There may be many files: whoever ends a run should not read all their names.
        """
        mark, before = os.path.join(self._folder, "tidied"), now - _STALE
        if os.path.exists(mark) and now - os.stat(mark).st_mtime < _TIDIED:
            return
        if os.path.isdir(self._folder):
            _files.replace(mark, b"")
        for entry in _entries(self._folder):
            if entry.name.endswith(_RAW) or changed(entry) < before:
                _files.unlink(entry.path)
        for entry in _entries(os.path.join(self._folder, ASIDE)):
            if changed(entry) < before - _UNCOLLECTED:
                _files.unlink(entry.path)


class MemoryRun:
    """A run of this process."""

    def __init__(self, name: str = "", past: RunSoFar = RunSoFar()) -> None:
        self.name = name or os.urandom(16).hex()
        self._steps: deque[Step] = deque(past.steps, maxlen=STEPS_REMEMBERED)
        self._so_far = past

    def so_far(self) -> RunSoFar:
        return self._so_far._replace(steps=tuple(self._steps))

    def begin(self, task: str) -> None:
        past = self._so_far
        prompts = (*past.prompts, (past.made, task))[-_PROMPTS:]
        self._so_far = past._replace(
            task=task, since=0, begun=past.begun or time.time(), prompts=prompts
        )

    def record(self, step: Step) -> None:
        self._steps.append(step)
        past = self._so_far
        self._so_far = past._replace(
            warned="",
            since=past.since + 1,
            shown=tuple(delivery._replace(after=delivery.after + 1) for delivery in past.shown),
            made=past.made + 1,
            begun=past.begun or time.time(),
        )

    def told(self, lessons: Iterable[int], call: str = "", shown: Shown | None = None) -> None:
        past, fresh = self._so_far, frozenset(lessons)
        new = () if shown is None else (shown._replace(lessons=tuple(sorted(fresh))),)
        self._so_far = past._replace(
            told=past.told | fresh,
            warned=call_name(call),
            warnings=past.warnings | fresh if call else past.warnings,
            shown=(*past.shown, *new),
        )

    def counted(self, marks: Iterable[str]) -> None:
        self._so_far = self._so_far._replace(counted=self._so_far.counted.union(marks))

    def end(self, outcome: str = "", at: float = 0.0) -> bool:
        self._steps.clear()
        self.name = os.urandom(16).hex()
        self._so_far = RunSoFar()
        return False


def lines_of(path: str) -> list[bytes]:
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise storage_error(error, path) from error
    with os.fdopen(handle, "rb") as file:
        return file.read().split(b"\n")


def _entries(folder: str) -> Iterator[os.DirEntry[str]]:
    """The files of a folder; none if it is missing."""
    if os.path.isdir(folder):
        with os.scandir(folder) as entries:
            yield from (entry for entry in entries if entry.name != ASIDE)


def call_name(call: str) -> str:
    """The name under which a call is noted, as it may hold secrets; "" for no call."""
    return _digest(call, 8) if call else ""


def read(lines: list[bytes]) -> RunSoFar:
    """The run in a file; torn lines are left out."""
    told: set[int] = set()
    warnings: set[int] = set()
    counted: set[str] = set()
    shown: list[tuple[int, Shown]] = []
    prompts: list[tuple[int, str]] = []
    task, warned, since, made, begun = "", "", 0, 0, 0.0
    by = None
    for line in lines:
        if not is_note(line):
            warned = "" if line else warned
            since, made = since + bool(line), made + bool(line)
            continue
        note = parsed(line)
        if not isinstance(note, dict):
            continue
        if _TASK in note:
            task, since = str(note[_TASK]), 0
            prompts.append((made, task))
        lessons = _items(note, _TOLD, int)
        told.update(lessons)
        warnings.update(lessons if note.get(_CALL) else ())
        counted.update(_items(note, _COUNTED, str))
        warned = str(note.get(_CALL, warned))
        made += sum(_items(note, _CUT, int))
        begun = begun or seconds(note.get(_BEGUN))
        by = _read_author(note.get(_BY)) or by
        shown = [] if _SETTLED in note else shown
        shown += [(made, delivery) for delivery in _read_shown(note, lessons)]
    steps = tuple(step for values in _values(_newest(lines)) if (step := _step(values)))
    notes = frozenset(told), frozenset(counted), warned, since, frozenset(warnings)
    aged = tuple(delivery._replace(after=made - at) for at, delivery in shown)
    return RunSoFar(task, steps, *notes, aged, made, begun, tuple(prompts[-_PROMPTS:]), by)


def note_author(by: Author) -> str:
    """The line that says whom a run is made for; the last one counts."""
    return json.dumps({_BY: by})


def _read_author(noted: object) -> Author | None:
    match noted:
        case [str(person), str(machine)]:
            return Author(person, machine)
    return None


def _read_shown(note: dict[str, Any], lessons: Iterable[int]) -> list[Shown]:
    """The delivery of a note, if it is complete."""
    match note.get(_SHOWN):
        case [str(delivery), str(door), [*kinds]]:
            about, text = tuple(map(str, kinds)), str(note.get(_WORDS, ""))
            return [Shown(delivery, door, about, lessons=tuple(sorted(set(lessons))), text=text)]
    return []


def _newest(lines: list[bytes]) -> list[bytes]:
    """The lines of the newest steps, up to the limit that a hook reads."""
    newest: list[bytes] = []
    room = READ
    for line in reversed(lines):
        if is_step(line):
            room -= len(line)
            if room < 0:
                break
            newest.append(line)
    return newest[::-1]


def is_note(line: bytes) -> bool:
    return line.startswith(b"{")


def is_step(line: bytes) -> bool:
    return bool(line) and not is_note(line)


def _items(note: dict[str, Any], name: str, of: type) -> list[Any]:
    items = note.get(name)
    return [item for item in items if isinstance(item, of)] if isinstance(items, list) else []


def seconds(noted: object) -> float:
    return float(noted) if isinstance(noted, int | float) else 0.0


def _values(lines: list[bytes]) -> list[Any]:
    """The value of each line. Parsed together, which is five times faster, unless one is torn."""
    values = parsed(b"[" + b",".join(lines) + b"]")
    return values if isinstance(values, list) else [parsed(line) for line in lines]


def _step(values: Any) -> Step | None:
    try:
        return read_step(values) if isinstance(values, list) else None
    except TypeError:
        return None


def parsed(line: bytes) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        return None


def tenant_mark(name: str) -> str:
    """The prefix of a tenant's files."""
    return f"{_digest(name, 8)}-"


def _digest(text: str, size: int) -> str:
    return blake2b(text.encode("utf-8", "replace"), digest_size=size).hexdigest()


def changed(entry: os.DirEntry[str]) -> float:
    try:
        return entry.stat(follow_symlinks=False).st_mtime
    except FileNotFoundError:  # its own process has just removed it
        return time.time()
