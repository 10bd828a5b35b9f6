"""The files of a loop: a journal, numbered reflections, a lock. All writes are atomic.

loops/<loop-id>/journal.jsonl    one event per line; together they give the state
                NNN.json         one reflection each, 001 for the first trial
                trials/NNN.*     the prompt of a trial and what its actor printed
                git/             snapshots of the work tree
                quarantine/      files that were damaged or changed by others

Snapshots touch neither index, stash nor objects of a repository: it is only read.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import NamedTuple, Self

from hardwon.core import _files
from hardwon.core.errors import (
    Corrupt,
    HardwonError,
    InvalidInput,
    NotFound,
    TransientError,
    storage_error,
)
from hardwon.core.text.clean import clean, clip_middle, file_id
from hardwon.core.values import from_plain, plain
from hardwon.core.values.scope import Scope
from hardwon.learn.trials import values
from hardwon.learn.trials.values import after

JOURNAL, LOCK, ABORT = "journal.jsonl", "lock", "abort"
_READ_LIMIT = 64 << 20


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

    def load(self) -> tuple[list[values.Event], values.LoopState]:
        """All events and the state after them; a torn last line is ignored, other damage raises."""
        content = read(self.at(JOURNAL))
        if content is None:
            raise NotFound("loop", self.loop_id)
        try:
            events = [json.loads(line) for line in content.split(b"\n")[:-1] if line]
            return events, values.replay(events)
        except (LookupError, TypeError, ValueError, AttributeError, RecursionError) as error:
            remedy = "repair that line, or move the folder away"
            raise Corrupt(self.at(JOURNAL), f"not a journal ({error})", remedy) from error

    def state(self) -> values.LoopState:
        """The state of the loop."""
        return self.load()[1]

    def records(self) -> list[values.Record]:
        """The readable reflections in numeric order."""
        return [record for record in self.files().values() if record]

    def files(self) -> dict[str, values.Record | None]:
        """The reflections by the names of their files in numeric order; None if unreadable."""
        found: dict[str, values.Record | None] = {}
        for name in self.record_names():
            found[name] = None
            with suppress(ValueError, OSError, RecursionError):
                found[name] = read_record(self.at(name))
        return found

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
        aside = self.at("quarantine", f"{name}.{time.time_ns()}")
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
        self.records: dict[int, values.Record] = {}
        self.state: values.LoopState | None = None

    def load(self) -> values.LoopState:
        """Load the loop where it stopped; unreadable parts are moved aside and noted."""
        events, self.state = self.folder.load()
        self._lines = list(map(_line, events))
        self._write(JOURNAL, b"".join(self._lines))  # without a torn last line
        for name, record in self.folder.files().items():
            if record is None:
                self.note(f"{name} was damaged; it is now {self.folder.quarantine(name)}")
            else:
                self.records[record.iteration] = record
        for name in self.folder.record_names():
            self._stamps[name] = stamp(self.folder.at(name))
        return self.state

    def add(self, event: values.Event) -> values.LoopState:
        """Make an event durable; returns the state after it."""
        event = plain(event, without_none=True)
        line, path = _line(event), self.folder.at(JOURNAL)
        if self._lines and (aside := self._changed(JOURNAL)):
            self._write(JOURNAL, b"".join(self._lines))
            self._note_changed(JOURNAL, aside)
        self._lines.append(line)
        with _storage_errors(path):
            _files.append(path, line, durable=True)
        self._stamps[JOURNAL] = stamp(path)
        self.state = values.replay([event]) if self.state is None else after(self.state, event)
        return self.state

    def note(self, text: str) -> None:
        """Record a note for the person."""
        self.add({"event": "noted", "text": text})

    def keep(self, record: values.Record) -> None:
        """Write a reflection."""
        fields = plain(record, without_none=True)
        content = json.dumps(fields, ensure_ascii=False, indent=2, allow_nan=False)
        self._write(number_name(record.iteration), content.encode("utf-8", "replace"))
        self.records[record.iteration] = record

    def guard(self) -> None:
        """Restore files that another program changed."""
        for iteration, record in sorted(self.records.items()):
            name = number_name(iteration)
            if aside := self._changed(name):
                self.keep(record)
                self._note_changed(name, aside)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    def _write(self, name: str, content: bytes) -> None:
        write(self.folder.at(name), content)
        self._stamps[name] = stamp(self.folder.at(name))

    def _changed(self, name: str) -> str:
        """Where a file is now that is not as this process wrote or read it; "" if it is."""
        is_own = stamp(self.folder.at(name)) == self._stamps.get(name)
        return "" if is_own else self.folder.quarantine(name)

    def _note_changed(self, name: str, aside: str) -> None:
        self.note(f"{name} was changed by another hand; that version is now {aside}")


def number_name(iteration: int) -> str:
    """The file of a trial's reflection: 001 is the first."""
    return f"{iteration + 1:03d}.json"


def read_record(path: str) -> values.Record:
    """The reflection in a file; ValueError if it is not one."""
    content = read(path)
    if content is None:
        raise FileNotFoundError(path)
    return from_plain(values.Record, json.loads(content))


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


def write(path: str, content: bytes, *, durable: bool = True) -> None:
    """Write a file atomically; if it is `durable`, it is on disk when this returns."""
    _files.make_folder(os.path.dirname(path))  # an actor may have removed it
    with _storage_errors(path):
        _files.replace(path, content, durable=durable)


def stamp(path: str) -> tuple[int, ...]:
    """A fingerprint of a file that changes with it; empty if it is missing."""
    try:
        status = os.lstat(path)
    except OSError:
        return ()
    return status.st_ino, status.st_size, status.st_mtime_ns


def _line(event: values.Event) -> bytes:
    text = json.dumps(event, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    return text.encode() + b"\n"


def every_loop(
    root: str, scope: Scope, *, watch: Callable[[], None] = lambda: None
) -> Iterator[values.LoopState]:
    """The loops visible from a scope, in no order; unreadable ones are skipped."""
    for loop_id in loop_ids(root):
        watch()
        try:
            state = LoopFolder(root, loop_id).state()
        except (HardwonError, OSError):
            continue
        if is_visible(state, scope):
            yield state


def is_visible(state: values.LoopState, scope: Scope) -> bool:
    """Whether a loop is visible: a scope without a project sees all loops of its agent."""
    is_same_agent = (state.scope.tenant, state.scope.agent) == (scope.tenant, scope.agent)
    return is_same_agent and scope.project in (None, state.scope.project)


_DIFF_KEPT = 4000
_PATCH_LIMIT = 4 << 20
_MOST_FILES = 200
# The repository's settings must not start programs while its files are read.
_QUIET = (
    *("-c", "core.quotepath=off"),
    *("-c", "core.fsmonitor=false"),
    *("-c", "core.hooksPath=/dev/null"),
)
_DIFF = ("diff", "--no-color", "--no-ext-diff", "--no-renames")
_LIMIT = 120.0  # seconds; a huge repository must not hang the loop


class Difference(NamedTuple):
    """What changed between two snapshots."""

    actions: tuple[values.Action, ...] = ()
    stats: values.ChangeStats = values.ChangeStats()
    patch: str = ""

    def applied_to(self, output: values.ActorOutput) -> values.ActorOutput:
        """The attempt with these changes to files."""
        names = tuple(action.file_path for action in self.actions if action.file_path)
        actions = (*output.actions, *self.actions)
        return output._replace(actions=actions, files_modified=names, total_changes=self.stats)


class Repository:
    """The work tree around a directory, seen by one loop."""

    def __init__(self, top: str, store: str) -> None:
        self.top = top
        self._store = store
        common = _git(["rev-parse", "--git-path", "objects"], cwd=top).strip()
        self._env = {
            **os.environ,
            "GIT_INDEX_FILE": os.path.join(store, "index"),
            "GIT_OBJECT_DIRECTORY": os.path.join(store, "objects"),
            "GIT_ALTERNATE_OBJECT_DIRECTORIES": os.path.join(top, common),
            "GIT_OPTIONAL_LOCKS": "0",
        }
        os.makedirs(os.path.join(store, "objects"), mode=0o700, exist_ok=True)

    def snapshot(self) -> str:
        """The id of the tree as it is now, without ignored files."""
        # Hardwon's own files are not the actor's work, even inside the tree.
        home = os.path.abspath(os.path.join(self._store, "..", "..", ".."))
        inside = os.path.relpath(os.path.realpath(home), self.top)
        own = [] if inside.startswith("..") else [f":(exclude,top){inside}"]
        self._run(["add", "--all", "--", ":/", *own])
        return self._run(["write-tree"]).strip()

    def difference(self, before: str, after: str) -> Difference:
        """The changes between two snapshots, file by file."""
        if before == after:
            return Difference()
        patch = self._run([*_DIFF, "--binary", before, after])
        counts = self._run([*_DIFF, "--numstat", "-z", before, after])
        parts = ("\n" + patch).split("\ndiff --git ")[1:]
        diffs = {
            part.split("\n", 1)[0].rpartition(" b/")[2]: f"diff --git {part}" for part in parts
        }
        rows = [row.split("\t") for row in counts.split("\0") if row.count("\t") == 2]
        actions = [_action(name, more, less, diffs.get(name, "")) for more, less, name in rows]
        changes = [action.changes for action in actions if action.changes]
        added, deleted = sum(c.additions for c in changes), sum(c.deletions for c in changes)
        stats = values.ChangeStats(len(actions), added, deleted)
        short_patch = patch if len(patch) <= _PATCH_LIMIT else ""
        return Difference(tuple(actions[:_MOST_FILES]), stats, short_patch)

    def restore(self, tree: str) -> None:
        """Restore the work tree to a snapshot; the user's index stays as it is."""
        patch = self._run([*_DIFF, "--binary", "--full-index", self.snapshot(), tree])
        if patch:
            _git(["apply", "--whitespace=nowarn", "-"], cwd=self.top, stdin=patch)

    def _run(self, arguments: Sequence[str]) -> str:
        return _git(arguments, cwd=self.top, env=self._env)


def repository(cwd: str, store: str) -> Repository | None:
    """The git work tree around `cwd`; None without one, or for an empty `cwd`."""
    if not cwd:
        return None
    try:
        top = _git(["rev-parse", "--show-toplevel"], cwd=cwd).strip()
        return Repository(top, store) if top else None
    except InvalidInput:
        return None


def _git(
    arguments: Sequence[str], *, cwd: str, env: dict[str, str] | None = None, stdin: str = ""
) -> str:
    try:
        completed = subprocess.run(
            ["git", *_QUIET, *arguments],
            cwd=cwd,
            env=env,
            input=stdin.encode("utf-8", "surrogateescape"),
            capture_output=True,
            timeout=_LIMIT,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise InvalidInput(f"git {arguments[0]}: {error}") from error
    if completed.returncode:
        problem = completed.stderr.decode("utf-8", "replace").strip()
        raise InvalidInput(f"git {arguments[0]} failed: {problem}")
    return completed.stdout.decode("utf-8", "surrogateescape")


def _action(name: str, added: str, deleted: str, diff: str) -> values.Action:
    more, less = (int(count) if count.isdigit() else 0 for count in (added, deleted))
    head = diff[:1000].split("\n@@", 1)[0]
    kind: values.ActionType = "code_modification"
    verb = "changed"
    if "\nnew file mode" in head:
        kind, verb = "file_creation", "created"
    elif "\ndeleted file mode" in head:
        kind, verb = "file_deletion", "deleted"
    path = clean(name)
    changes = values.Changes(more, less, clip_middle(clean(diff), _DIFF_KEPT))
    return values.Action(kind, f"{verb} {path} (+{more} -{less})", file_path=path, changes=changes)
