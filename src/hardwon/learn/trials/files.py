"""The files of a loop: a journal, numbered reflections, a lock. All writes are atomic.

loops/<loop-id>/journal.jsonl    one event per line; together they give the state
                NNN.json         one reflection each, 001 for the first trial
                trials/NNN.*     the prompt of a trial and what its actor printed
                git/             snapshots of the work tree
                quarantine/      files that were damaged or changed by others
"""

from __future__ import annotations

import itertools
import json
import os
import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple, Self

from hardwon.core import _files
from hardwon.core.errors import (
    Corrupt,
    HardwonError,
    InvalidInput,
    NotFound,
    TransientError,
    storage_error,
)
from hardwon.core.text.clean import file_id
from hardwon.core.values import from_plain, plain
from hardwon.core.values.scope import Scope
from hardwon.learn.trials.values import Event, LoopState, Record, after, replay

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

JOURNAL, LOCK, ABORT, SUMMARY = "journal.jsonl", "lock", "abort", "summary.json"
_READ_LIMIT = 64 << 20
_numbers = itertools.count(1)


class StoredReflections(NamedTuple):
    """The readable reflections of a loop in numeric order, and the unreadable files."""

    records: list[Record]
    damaged: list[str]


class LoopFolder:
    """The directory of one loop."""

    def __init__(self, root: str, loop_id: str) -> None:
        if not isinstance(loop_id, str):
            raise InvalidInput(f"loop id must be text, not {type(loop_id).__name__}")
        self.loop_id = file_id(loop_id, "loop id")
        self.path = os.path.join(root, self.loop_id)

    def at(self, *names: str) -> str:
        """A path inside the folder."""
        return os.path.join(self.path, *names)

    def exists(self) -> bool:
        """Whether a loop with that id was ever begun."""
        return os.path.isfile(self.at(JOURNAL))

    def events(self) -> list[Event]:
        """All events; a torn last line is ignored, any other damage is an error."""
        content = read(self.at(JOURNAL))
        if content is None:
            raise NotFound("loop", self.loop_id)
        with self._as_corrupt("repair that line, or move the folder away"):
            return [json.loads(line) for line in content.split(b"\n")[:-1] if line]

    def state(self) -> LoopState:
        """The state of the loop."""
        events = self.events()
        with self._as_corrupt("move the folder away"):
            return replay(events)

    @contextmanager
    def _as_corrupt(self, remedy: str) -> Iterator[None]:
        try:
            yield
        except (LookupError, TypeError, ValueError, AttributeError, RecursionError) as error:
            raise Corrupt(self.at(JOURNAL), f"not a journal ({error})", remedy) from error

    def records(self) -> StoredReflections:
        """The reflections of the loop."""
        stored = StoredReflections([], [])
        for name in self.record_names():
            try:
                stored.records.append(read_record(self.at(name)))
            except (ValueError, OSError, RecursionError):
                stored.damaged.append(name)
        return stored

    def record_names(self) -> list[str]:
        """The names of the reflections in numeric order: 10 comes after 9, 1000 after 999."""
        names = os.listdir(self.path) if os.path.isdir(self.path) else []
        fitting = [name for name in names if re.fullmatch(r"\d{3,9}\.json", name)]
        return sorted(fitting, key=lambda name: int(name.removesuffix(".json")))

    def quarantine(self, name: str) -> str:
        """Move a file into quarantine; returns its new path, or "gone"."""
        _files.make_folder(self.path)
        if not os.path.lexists(self.at(name)):
            return "gone"
        aside = self.at("quarantine", f"{name}.{os.getpid()}.{next(_numbers)}")
        _files.make_folder(os.path.dirname(aside))
        os.replace(self.at(name), aside)
        return aside


class LoopJournal:
    """The journal and the reflections of a loop that this process runs, as a context manager.

    Writes are also kept in memory, so that a file changed by another program is noticed, moved
    to quarantine and written again.
    """

    def __init__(self, folder: LoopFolder) -> None:
        self.folder = folder
        _files.make_folder(folder.at("trials"))
        self._lock = lock(folder)
        self._lines: list[bytes] = []
        self._stamps: dict[str, tuple[int, ...]] = {}
        self.records: dict[int, Record] = {}
        self.state: LoopState | None = None

    def load(self) -> LoopState:
        """Load the loop where it stopped; unreadable parts are moved aside and noted."""
        self._lines = [_line(event) for event in self.folder.events()]
        self.state = self.folder.state()
        self._write_journal()  # without a torn last line
        stored = self.folder.records()
        for name in stored.damaged:
            self.note(f"{name} was damaged; it is now {self.folder.quarantine(name)}")
        self.records = {record.iteration: record for record in stored.records}
        for name in self.folder.record_names():
            self._stamps[name] = stamp(self.folder.at(name))
        return self.state

    def add(self, event: Event) -> LoopState:
        """Make an event durable; returns the state after it."""
        event = plain(event, without_none=True)
        line = _line(event)
        if self._lines and not self._is_own(JOURNAL):
            aside = self.folder.quarantine(JOURNAL)
            self._write_journal()
            self.note(f"{JOURNAL} was changed by another hand; that version is now {aside}")
        self._lines.append(line)
        with _storage_errors(self.folder.at(JOURNAL)):
            _files.append(self.folder.at(JOURNAL), line, durable=True)
        self._stamps[JOURNAL] = stamp(self.folder.at(JOURNAL))
        self.state = replay([event]) if self.state is None else after(self.state, event)
        return self.state

    def note(self, text: str) -> None:
        """Record a note for the person."""
        self.add({"event": "noted", "text": text})

    def keep(self, record: Record) -> None:
        """Write a reflection."""
        name = number_name(record.iteration)
        fields = plain(record, without_none=True)
        content = json.dumps(fields, ensure_ascii=False, indent=2, allow_nan=False)
        write(self.folder.at(name), content.encode("utf-8", "replace"))
        self._stamps[name] = stamp(self.folder.at(name))
        self.records[record.iteration] = record

    def guard(self) -> None:
        """Restore files that another program changed."""
        for iteration, record in sorted(self.records.items()):
            name = number_name(iteration)
            if not self._is_own(name):
                aside = self.folder.quarantine(name)
                self.keep(record)
                self.note(f"{name} was changed by another hand; that version is now {aside}")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    def _is_own(self, name: str) -> bool:
        """Whether a file is as this process wrote or read it."""
        return stamp(self.folder.at(name)) == self._stamps.get(name)

    def _write_journal(self) -> None:
        write(self.folder.at(JOURNAL), b"".join(self._lines))
        self._stamps[JOURNAL] = stamp(self.folder.at(JOURNAL))


def number_name(iteration: int) -> str:
    """The file of a trial's reflection: 001 is the first."""
    return f"{iteration + 1:03d}.json"


def read_record(path: str) -> Record:
    """The reflection in a file; ValueError if it is not one."""
    content = read(path)
    if content is None:
        raise FileNotFoundError(path)
    return from_plain(Record, json.loads(content))


def lock(folder: LoopFolder) -> _files.Lock:
    """Lock a loop for this process; TransientError while another one holds it."""
    own = _files.Lock(folder.at(LOCK))
    if not own.acquire(wait=False):
        holder = (read(own.path) or b"").decode("ascii", "replace").strip() or "?"
        raise TransientError(f"loop {folder.loop_id!r} is being run by process {holder}")
    os.ftruncate(own.handle, 0)
    os.pwrite(own.handle, str(os.getpid()).encode(), 0)
    return own


def is_running(folder: LoopFolder) -> bool:
    """Whether a process runs the loop now."""
    try:
        lock(folder).release()
    except (TransientError, FileNotFoundError) as error:
        return isinstance(error, TransientError)
    return False


def loop_ids(root: str) -> list[str]:
    """The ids of all stored loops, in no order."""
    if not os.path.isdir(root):
        return []
    with os.scandir(root) as entries:
        return [entry.name for entry in entries if entry.is_dir(follow_symlinks=False)]


def read(path: str) -> bytes | None:
    """The content of a file; None if it is missing. Does not follow links."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        return None
    with open(handle, "rb") as file:
        return file.read(_READ_LIMIT)


@contextmanager
def _storage_errors(path: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise storage_error(error, path) from error


def write(path: str, content: bytes) -> None:
    """Write a file atomically; it is on disk when this returns."""
    with _storage_errors(path):
        _files.replace(path, content, durable=True)


def spill(path: str, text: str) -> None:
    """Write a file that need not survive a crash; an actor may have removed the folder."""
    _files.make_folder(os.path.dirname(path))
    _files.replace(path, text.encode("utf-8", "replace"))


def stamp(path: str) -> tuple[int, ...]:
    """A fingerprint of a file that changes with it; empty if it is missing."""
    try:
        status = os.lstat(path)
    except OSError:
        return ()
    return status.st_ino, status.st_size, status.st_mtime_ns


def _line(event: Event) -> bytes:
    text = json.dumps(event, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    return text.encode() + b"\n"


def write_summary(folder: LoopFolder, state: LoopState) -> None:
    """Write the summary of an ended loop next to its journal."""
    text = json.dumps({**plain(state, without_none=True), "stamp": _size(folder)}, allow_nan=False)
    write(folder.at(SUMMARY), text.encode())


def read_summary(folder: LoopFolder) -> LoopState:
    """The state of a loop: from its summary if that is up to date, else from the journal."""
    content = read(folder.at(SUMMARY))
    if content is not None:
        try:
            fields = json.loads(content)
            if fields["stamp"] == _size(folder):
                return from_plain(LoopState, fields)
        except (ValueError, KeyError, TypeError, RecursionError):
            pass  # the journal has everything
    return folder.state()


def every_loop(
    root: str, scope: Scope, *, watch: Callable[[], None] = lambda: None
) -> Iterator[LoopState]:
    """The loops visible from a scope, in no order; unreadable ones are skipped."""
    for loop_id in loop_ids(root):
        watch()
        try:
            state = read_summary(LoopFolder(root, loop_id))
        except (HardwonError, OSError):
            continue
        if is_visible(state, scope):
            yield state


def is_visible(state: LoopState, scope: Scope) -> bool:
    """Whether a loop is visible: a scope without a project sees all loops of its agent."""
    is_same_agent = (state.scope.tenant, state.scope.agent) == (scope.tenant, scope.agent)
    return is_same_agent and scope.project in (None, state.scope.project)


def _size(folder: LoopFolder) -> list[int]:
    """The size of the journal, which only grows."""
    return list(stamp(folder.at(JOURNAL))[1:2])
