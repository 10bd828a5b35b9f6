"""The files of runs, for upkeep: running, idle, ended and deleted runs."""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from hardwon.core import _files
from hardwon.core.values.report import Place
from hardwon.core.values.run import Ending, RunSoFar
from hardwon.core.values.scope import Scope
from hardwon.storage.stores.runs import (
    ASIDE,
    SUFFIX,
    FileRun,
    is_note,
    is_step,
    last_change,
    lines_of,
    parse_line,
    read,
    seconds,
    tenant_mark,
)

_LISTED = 200  # most running runs that are listed
LOCK = "collect.lock"  # of a folder with what others sent
_SENT = (("sessions", "sent"), ("traces",))  # where that waits for a worker
_HEAD = 4096  # bytes; the longest name of a tenant takes less
_TENANT = re.compile(r'\s*\[[\s\[]*("(?:[^"\\]|\\.)*")')


class Aside(NamedTuple):
    """A run that has ended and waits for a worker."""

    path: str
    scope: Scope
    name: str
    past: RunSoFar
    ended: datetime
    outcome: str


def at_work(home: str, place: Place) -> list[tuple[str, datetime, RunSoFar]]:
    """The runs of a place that have not ended, with the time of their last note."""
    files = _run_files(home, tenant_mark(place.tenant))
    is_whole = place.agent is None and place.project is None
    runs: list[tuple[str, datetime, RunSoFar]] = []
    for name in sorted(files, key=lambda name: last_change(files[name]), reverse=True):
        lines = lines_of(files[name].path)
        scope = _scope(lines)
        if is_whole or (scope is not None and place.covers(scope)):
            at = datetime.fromtimestamp(last_change(files[name]), UTC)
            runs.append((name, at, read(lines)))
        if len(runs) == _LISTED:
            break
    return runs


def find_run(home: str, tenant: str, name: str) -> tuple[Scope, RunSoFar] | None:
    """The run of a tenant with this name, and its scope; None if there is none at work."""
    if not re.fullmatch("[0-9a-f]{32}", name):
        return None
    lines = lines_of(os.path.join(home, "runs", f"{tenant_mark(tenant)}{name}{SUFFIX}"))
    scope = _scope(lines)
    return None if scope is None else (scope, read(lines))


def idle(home: str, before: float) -> Iterator[tuple[Scope, FileRun]]:
    """The idle runs: without a note since `before`, and not settled yet."""
    for name, entry in _run_files(home).items():
        lines = lines_of(entry.path) if last_change(entry) < before else []
        scope = _scope(lines) if _is_open(lines) else None
        if scope is not None:
            yield scope, FileRun(home, scope, "", name=name.rpartition("-")[2])


def put_aside(home: str) -> Iterator[Aside]:
    """The runs that have ended and wait for a worker, oldest first."""
    folder = os.path.join(home, "runs", ASIDE)
    entries = list(os.scandir(folder)) if os.path.isdir(folder) else []
    for entry in sorted(entries, key=last_change):
        lines = lines_of(entry.path)
        scope, ending = _scope(lines), _ending(lines)
        if scope is None or ending is None:
            _files.unlink(entry.path)
            continue
        at, outcome = ending
        name = entry.name.split("-")[1]
        yield Aside(entry.path, scope, name, read(lines), datetime.fromtimestamp(at, UTC), outcome)


def remove_aside(aside: Aside) -> None:
    """Remove the file of a run that is stored elsewhere now."""
    _files.unlink(aside.path)


def lines_of_aside(aside: Aside) -> list[str]:
    """The lines of a run that has ended, to be sent elsewhere."""
    return [line.decode("utf-8", "replace") for line in lines_of(aside.path)]


def take_in(
    home: str, scope: Scope, name: str, lines: Sequence[str], *, date: Callable[[object], object]
) -> list[bytes]:
    """Put a run of another machine where a worker looks for ended runs.

    `date` gives the times to keep for those that the other machine noted. Returns the lines of
    the run as they are kept; none if it is damaged.
    """
    kept = [_place_line(text, scope, date) for text in lines]
    raw = [text.encode() for text in kept if text]
    if not re.fullmatch(r"[0-9a-f]{32}-[0-9a-f]{1,20}", name) or _ending(raw) is None:
        return []
    folder = os.path.join(home, "runs", ASIDE)
    os.makedirs(folder, mode=0o700, exist_ok=True)
    path = os.path.join(folder, f"{tenant_mark(scope.tenant)}{name}{SUFFIX}")
    _files.replace(path, b"\n".join((*raw, b"")))
    return raw


def _place_line(text: str, scope: Scope, date: Callable[[object], object]) -> str:
    """A line of a run with the scope and times that it has here; "" if it is damaged."""
    record = parse_line(text.encode())
    if isinstance(record, dict):
        places = {key: list(scope) for key in ("of", "scope") if key in record}
        times = {key: date(record[key]) for key in ("begun", "ended") if key in record}
        return json.dumps({**record, **places, **times}, separators=(",", ":"))
    return text if isinstance(record, list) else ""


def is_due(home: str, tenant: str, now: float, *, every: float) -> bool:
    """Whether a tenant's runs are due for review; if so, marks them as reviewed now."""
    path = os.path.join(home, "runs", f"{tenant_mark(tenant)}reviewed")
    try:
        if now - os.stat(path).st_mtime < every:
            return False
    except FileNotFoundError:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    _files.replace(path, b"")
    os.utime(path, (now, now))
    return True


def forget(home: str, tenant: str) -> None:
    """Remove the runs of a tenant, and what others sent for it."""
    forget_marked(home, tenant_mark(tenant))


def forget_marked(home: str, mark: str, *, before: float = math.inf) -> None:
    """The same for the tenant with this mark, for what came `before` a time.

    Of what others sent, files that name no tenant go, too. With a time this waits for nobody: it
    is called again and again, and a folder where a worker records is left for the next call.
    """
    for folder in (os.path.join(home, "runs"), os.path.join(home, "runs", ASIDE)):
        for entry in os.scandir(folder) if os.path.isdir(folder) else ():
            if entry.name.startswith(mark) and last_change(entry) < before:
                _files.unlink(entry.path)
    for folder in (os.path.join(home, *place) for place in _SENT):
        if not os.path.isdir(folder):
            continue
        lock = _files.Lock(os.path.join(folder, LOCK))  # a worker may be recording one of them
        if not lock.acquire(wait=before == math.inf):
            continue
        try:
            for entry in [one for one in os.scandir(folder) if one.is_file() and one.name != LOCK]:
                if last_change(entry) < before and _mark_in(entry.path) in {mark, ""}:
                    _files.unlink(entry.path)
        finally:
            lock.release()


def _mark_in(path: str) -> str:
    """The mark of the tenant that a file begins with, as the first text of a list; "" for none."""
    found = _TENANT.match(_files.content(path, _HEAD).decode("utf-8", "replace"))
    name = json.loads(found[1]) if found else ""
    return tenant_mark(name) if name else ""


def _run_files(home: str, start: str = "") -> dict[str, os.DirEntry[str]]:
    """The files of runs by name; `start` is removed from the names."""
    folder = os.path.join(home, "runs")
    entries = list(os.scandir(folder)) if os.path.isdir(folder) else []
    matching = [
        entry for entry in entries if entry.name.startswith(start) and entry.name.endswith(SUFFIX)
    ]
    return {entry.name.removeprefix(start).removesuffix(SUFFIX): entry for entry in matching}


def _notes(lines: Iterable[bytes]) -> Iterator[dict[str, Any]]:
    """The notes among the lines of a run."""
    for line in lines:
        if is_note(line) and isinstance(note := parse_line(line), dict):
            yield note


def _scope(lines: Sequence[bytes]) -> Scope | None:
    """The scope of a run, from its notes; None for a file of an older version."""
    scope = None
    for note in _notes(lines):
        match note.get("of", note.get("scope")):
            case [str(tenant), str(agent), (str() | None) as project]:
                scope = Scope(tenant, agent, project)
    return scope


def _is_open(lines: Sequence[bytes]) -> bool:
    """Whether the run has notes or steps after it was last settled."""
    for line in reversed(lines):
        if is_step(line):
            return True
        for note in _notes([line]):
            return "settled" not in note
    return False


def _ending(lines: Sequence[bytes]) -> tuple[float, str] | None:
    """When the run ended and with what outcome."""
    for note in _notes(reversed(lines)):
        if "ended" in note:
            return seconds(note["ended"]), str(note.get("outcome", Ending.FAILED))
    return None
