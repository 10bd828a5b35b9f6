"""Runs: task, latest steps and deliveries, in this process or in one file per run.

A file holds JSON lines. A list is a step; an object is a note: when the run has `begun`, its scope
(`of`), and whom it is made for if that is not the person of this machine (`by`); the `task`;
lessons that were `told`, before which `call`, and the delivery `shown` in which `words` and
`scope`; marks that were `counted`; `settled` once the outcomes of all deliveries so far are noted;
how many steps were `cut`; or when the run `ended` with which `outcome`. Text is screened before it
is written here.

Every event of an agent asks for the run so far. A process therefore remembers the runs that it has
read and reads only what was added since, and a run in progress has its newest steps only.
"""

from __future__ import annotations

import json
import os
import time
from collections import OrderedDict, deque
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from typing import Any, BinaryIO, NamedTuple

from hardwon.core import _files
from hardwon.core._fork import ForkLock
from hardwon.core.values.run import Author, RunSoFar, Shown, Step, read_step
from hardwon.core.values.scope import Scope

STEPS_REMEMBERED = 200  # newest steps of a run in progress
READ = 256 * 1024  # most bytes of steps that are read, from the end
_FOLLOWED = 64  # files of which a process remembers what it has read
_EDGE = 192  # bytes at both ends of what was read, by which a file is known again
_KEPT = 4 * READ  # a longer file is cut
_PROMPTS = 20  # latest prompts of a run
_STALE = 7 * 86400.0  # seconds after which a run that never ended is forgotten
_TIDIED = 3600.0  # seconds between two looks at the files of all runs
_UNCOLLECTED = 23 * 86400.0  # further seconds for a run that ended but was not collected
SUFFIX = ".jsonl"
ASIDE = "ended"  # the folder of runs that wait for a worker
_RAW = (".task", ".error")  # unscreened notes of older versions


class Progress:
    """The state of a run: what its records add up to, one after another."""

    def __init__(self, most: int | None = STEPS_REMEMBERED) -> None:
        """`most`: the newest steps that are kept; None for all that `READ` allows."""
        self._task, self._warned, self._since, self._made, self._begun = "", "", 0, 0, 0.0
        self._by: Author | None = None
        self._program = ""
        self._told, self._warnings, self._counted = set[int](), set[int](), set[str]()
        self._shown: list[tuple[int, Shown]] = []  # with the number of steps before it
        self._prompts: deque[tuple[int, str]] = deque(maxlen=_PROMPTS)
        self._steps: deque[Step | None] = deque(maxlen=most)
        self._sizes: deque[int] = deque(maxlen=most)  # bytes of each step
        self._unread: deque[bytes] = deque(maxlen=most)  # lines of the newest steps

    def add_lines(self, lines: Iterable[bytes]) -> Progress:
        """Add the lines of a file; what is torn is left out."""
        for line in lines:
            if is_step(line):
                self._unread.append(line)
                self._pass_step()
            elif isinstance(note := parse_line(line), dict):
                self.add_note(note)
        return self

    def add_step(self, step: Step) -> None:
        """Add a step."""
        self._steps.append(step)
        self._sizes.append(0)
        self._pass_step()

    def _pass_step(self) -> None:
        self._warned = ""
        self._since += 1
        self._made += 1

    def add_note(self, note: dict[str, Any]) -> None:
        """Add what a note says."""
        if "task" in note:
            self._task, self._since = str(note["task"]), 0
            self._prompts.append((self._made, self._task))
        lessons = _items(note, "told", int)
        self._told.update(lessons)
        self._warnings.update(lessons if note.get("call") else ())
        self._counted.update(_items(note, "counted", str))
        self._warned = str(note.get("call", self._warned))
        self._made += sum(_items(note, "cut", int))
        self._begun = self._begun or seconds(note.get("begun"))
        if "settled" in note:
            self._shown.clear()
        match note.get("shown"):
            case [str(delivery), str(door), [*kinds]]:
                shown = Shown(
                    *(delivery, door, tuple(map(str, kinds))),
                    lessons=tuple(sorted(set(lessons))),
                    text=str(note.get("words", "")),
                )
                self._shown.append((self._made, shown))
        self._program = str(note.get("program", self._program))
        match note.get("by"):
            case [str(person), str(machine)]:
                self._by = Author(person, machine)

    def so_far(self) -> RunSoFar:
        """The run so far."""
        self._read_steps()
        return RunSoFar(
            task=self._task,
            steps=tuple(step for step in self._steps if step is not None),
            told=frozenset(self._told),
            counted=frozenset(self._counted),
            warned=self._warned,
            since=self._since,
            warnings=frozenset(self._warnings),
            shown=tuple(shown._replace(after=self._made - at) for at, shown in self._shown),
            made=self._made,
            begun=self._begun,
            prompts=tuple(self._prompts),
            by=self._by,
            program=self._program,
        )

    def _read_steps(self) -> None:
        """Parse the lines of new steps; of all steps, keep the newest that `READ` allows."""
        lines, room, fitting = list(self._unread), READ, 0
        self._unread.clear()
        self._sizes.extend(map(len, lines))
        for size in reversed(self._sizes):
            room -= size
            if room < 0:
                break
            fitting += 1
        new = lines[-fitting:] if fitting else []
        # Parsed together, which is five times faster, unless one is torn.
        values = parse_line(b"[" + b",".join(new) + b"]")
        if not isinstance(values, list):
            values = [parse_line(line) for line in new]
        self._steps.extend(map(_step, values))
        for kept in (self._sizes, self._steps):
            while len(kept) > fitting:
                kept.popleft()


class _NotedRun:
    """A run as a series of notes and steps."""

    def __init__(self, name: str, scope: Scope | None) -> None:
        self.name = name
        self._scope = scope

    def begin(self, task: str) -> None:
        self._write({"task": task})

    def record(self, step: Step) -> None:
        self._write(step)

    def note_shown(
        self, lessons: Iterable[int], call: str = "", shown: Shown | None = None
    ) -> None:
        note: dict[str, Any] = {"told": list(lessons), "call": call_name(call)}
        if shown is not None:
            words = {"words": shown.text} if shown.text else {}
            note |= {"shown": shown[:3], **words, "scope": self._scope}
        self._write(note)

    def note_marks(self, marks: Iterable[str]) -> None:
        self._write({"counted": list(marks)})

    def _write(self, record: Step | dict[str, Any]) -> None:
        raise NotImplementedError


class FileRun(_NotedRun):
    """A run that several processes share: one file below `<home>/runs`."""

    def __init__(
        self,
        home: str,
        scope: Scope,
        run: str,
        *,
        name: str = "",
        by: Author | None = None,
        program: str = "",
    ) -> None:
        identity = "\0".join((scope.tenant, scope.agent, scope.project or "", run))
        super().__init__(name or _digest(identity, 16), scope)
        self._folder = os.path.join(home, "runs")
        self._path = os.path.join(self._folder, f"{tenant_mark(scope.tenant)}{self.name}{SUFFIX}")
        self._made_by: dict[str, Any] = {} if by is None else {"by": by}
        self._made_by |= {"program": program} if program else {}
        self._unwritten: list[bytes] = []  # lines that could not be written

    def so_far(self) -> RunSoFar:
        if self._unwritten:
            return Progress().add_lines(self._lines()).so_far()
        return _follow(self._path)

    def whole(self) -> RunSoFar:
        return read(self._lines())

    def drop_deliveries(self) -> None:
        """Drop the deliveries so far: their outcomes are noted. The run goes on."""
        self._write({"settled": True})

    def end(self, outcome: str = "", at: float = 0.0) -> bool:
        if outcome:  # moved to where a worker looks for it; that is as cheap as removing it
            self._write({"ended": at, "outcome": outcome, "of": self._scope})
            name = os.path.basename(self._path).removesuffix(SUFFIX)
            target = os.path.join(self._folder, ASIDE, f"{name}-{time.time_ns():x}{SUFFIX}")
            with _files.storage_errors(target):
                os.makedirs(os.path.dirname(target), mode=0o700, exist_ok=True)
                os.rename(self._path, target)
        self._unwritten.clear()
        _files.unlink(self._path)
        self._forget_stale(time.time())
        return bool(outcome)

    def _lines(self) -> list[bytes]:
        return [*lines_of(self._path), *self._unwritten]

    def _write(self, record: Step | dict[str, Any]) -> None:
        self._unwritten.append(_line(record))
        # A newline comes first, so that a torn line damages only itself.
        lines = [b"\n" + line for line in self._unwritten]
        with _files.storage_errors(self._path):
            if not os.path.exists(self._path):
                begun = {"begun": time.time(), "of": self._scope, **self._made_by}
                lines.insert(0, b"\n" + _line(begun))
            try:
                size = _files.append(self._path, b"".join(lines))
            except FileNotFoundError:
                os.makedirs(self._folder, mode=0o700, exist_ok=True)
                size = _files.append(self._path, b"".join(lines))
            self._unwritten.clear()
            if size > _KEPT:
                self._cut()

    def _cut(self) -> None:
        """Keep the notes and the newest steps; a step added meanwhile may be lost."""
        lines, room, first = self._lines(), READ, 0
        for at, line in reversed(list(enumerate(lines))):
            room -= len(line) if is_step(line) else 0
            if room < 0:
                first = at + 1
                break
        notes = [line for line in lines[:first] if is_note(line)]
        cut = _line({"cut": [sum(map(is_step, lines[:first]))]})
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
            if entry.name.endswith(_RAW) or last_change(entry) < before:
                _files.unlink(entry.path)
        for entry in _entries(os.path.join(self._folder, ASIDE)):
            if last_change(entry) < before - _UNCOLLECTED:
                _files.unlink(entry.path)


class MemoryRun(_NotedRun):
    """A run of this process."""

    def __init__(
        self, name: str = "", lines: Iterable[bytes] = (), *, by: Author | None = None
    ) -> None:
        """`lines`: those of a file, if the run was recorded elsewhere."""
        super().__init__(name or os.urandom(16).hex(), None)
        self._by = by
        self._progress = Progress().add_lines(lines)
        self._progress.add_note({"by": by})

    def so_far(self) -> RunSoFar:
        return self._progress.so_far()

    whole = so_far

    def end(self, outcome: str = "", at: float = 0.0) -> bool:
        self.name, self._progress = os.urandom(16).hex(), Progress()
        self._progress.add_note({"by": self._by})
        return False

    def _write(self, record: Step | dict[str, Any]) -> None:
        self._progress.add_note({"begun": time.time()})
        if isinstance(record, Step):
            self._progress.add_step(record)
        else:
            self._progress.add_note(record)


class _Followed(NamedTuple):
    """What was read of a file: the first bytes, the last, where they end, and their sum."""

    head: bytes
    last: bytes
    end: int
    progress: Progress
    state: tuple[int, int, int]  # of the file before it was read
    so_far: RunSoFar


_followed: OrderedDict[str, _Followed] = OrderedDict()  # the latest last
_following = ForkLock()


def _follow(path: str) -> RunSoFar:
    """The run in a file. What this process has read before is not read again."""
    with _following, _files.storage_errors(path):
        known = _followed.pop(path, None)
        try:
            if known is not None and _state(os.stat(path, follow_symlinks=False)) == known.state:
                _followed[path] = known
                return known.so_far
            with _open(path) as file:
                state = _state(os.fstat(file.fileno()))
                if known is None or not _is_same(file, known):
                    known = _Followed(b"", b"", 0, Progress(), state, RunSoFar())
                    file.seek(0)
                new = file.read()
        except (FileNotFoundError, NotADirectoryError):
            return RunSoFar()
        *lines, last = new.split(b"\n")
        # Whoever adds a line writes its newline first: the last line may still be half written.
        if parse_line(last) is not None:
            lines.append(last)
        else:
            new = new[: max(0, len(new) - len(last) - 1)]
        progress = known.progress.add_lines(lines)
        _followed[path] = known = _Followed(
            head=(known.head + new)[:_EDGE],
            last=(known.last + new)[-_EDGE:],
            end=known.end + len(new),
            progress=progress,
            state=state,
            so_far=progress.so_far(),
        )
        if len(_followed) > _FOLLOWED:
            _followed.popitem(last=False)
        return known.so_far


def _state(status: os.stat_result) -> tuple[int, int, int]:
    """What differs after every change of a file: lines are only added, or the file is replaced."""
    return status.st_ino, status.st_size, status.st_mtime_ns


def _is_same(file: BinaryIO, known: _Followed) -> bool:
    """Whether a file only has grown; if so, it is read from where the known part ends.

    The first note holds the time at which a run began.
    """
    if file.read(len(known.head)) != known.head:
        return False
    file.seek(known.end - len(known.last))
    return file.read(len(known.last)) == known.last


def _open(path: str) -> BinaryIO:
    return os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW), "rb")


def lines_of(path: str) -> list[bytes]:
    """The lines of a file; none if it is missing."""
    with _files.storage_errors(path):
        try:
            with _open(path) as file:
                return file.read().split(b"\n")
        except (FileNotFoundError, NotADirectoryError):
            return []


def _entries(folder: str) -> Iterator[os.DirEntry[str]]:
    """The files of a folder; none if it is missing."""
    if os.path.isdir(folder):
        with os.scandir(folder) as entries:
            yield from (entry for entry in entries if entry.name != ASIDE)


def call_name(call: str) -> str:
    """The name under which a call is noted, as it may hold secrets; "" for no call."""
    return _digest(call, 8) if call else ""


def read(lines: Iterable[bytes]) -> RunSoFar:
    """The whole run in the lines of a file; torn lines are left out."""
    return Progress(most=None).add_lines(lines).so_far()


def is_note(line: bytes) -> bool:
    return line.startswith(b"{")


def is_step(line: bytes) -> bool:
    return bool(line) and not is_note(line)


def _items(note: dict[str, Any], name: str, of: type) -> list[Any]:
    items = note.get(name)
    return [item for item in items if isinstance(item, of)] if isinstance(items, list) else []


def seconds(noted: object) -> float:
    return float(noted) if isinstance(noted, int | float) else 0.0


def note_author(by: Author) -> str:
    """The line that says whom a run is made for; the last one counts."""
    return _line({"by": by}).decode()


def _line(record: object) -> bytes:
    return json.dumps(record, ensure_ascii=True, separators=(",", ":")).encode()


def _step(values: Any) -> Step | None:
    try:
        return read_step(values) if isinstance(values, list) else None
    except TypeError:
        return None


def parse_line(line: bytes) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        return None


def tenant_mark(name: str) -> str:
    """The prefix of a tenant's files."""
    return f"{_digest(name, 8)}-"


def _digest(text: str, size: int) -> str:
    return blake2b(text.encode("utf-8", "replace"), digest_size=size).hexdigest()


def last_change(entry: os.DirEntry[str]) -> float:
    try:
        return entry.stat(follow_symlinks=False).st_mtime
    except FileNotFoundError:  # its own process has just removed it
        return time.time()
