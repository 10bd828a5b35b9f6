"""The sessions on this machine: find them, choose one, and tell where its memory is."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from datetime import datetime
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from hardwon.core.errors import InvalidInput, NotFound, StorageError
from hardwon.learn.transcripts.agents import KINDS, folder_of, kind_of, read
from hardwon.learn.transcripts.agents.logs import CLAUDE, claude_folder
from hardwon.learn.transcripts.transcript import SessionPlace, place

PROJECT, PERSON = "project-level", "user-level"
LIVE = 300.0  # seconds since its last line during which a session counts as running
_PEEKED = 400  # moments read to find out where a session ran


class Context(NamedTuple):
    """A session and the paths of its memory."""

    place: SessionPlace
    mode: str
    project_path: str  # "" when it is unknown or gone
    user_level: str
    project_level: str  # "" in user-level mode
    memory: str  # MEMORY.md; "" in user-level mode

    def plain(self) -> dict[str, str]:
        """`session-context.json`, in the words of the published format."""
        return {
            "sessionId": self.place.id,
            "sessionPath": self.place.path,
            "projectPath": self.project_path,
            "memoryMode": self.mode,
            "userLevelPath": self.user_level,
            "projectLevelPath": self.project_level,
        }


def belongs(session: SessionPlace, cwd: str) -> bool:
    """Whether the session ran in this directory, below it, or above it in the same work tree."""
    around = _around(cwd)
    if session.cwd:
        return session.cwd in around or session.cwd.startswith(cwd.rstrip("/") + "/")
    if session.agent == CLAUDE:
        return session.folder in map(claude_folder, around)
    return where(session) in around


@lru_cache(maxsize=8)
def _around(cwd: str) -> tuple[str, ...]:
    """The directory and those above it up to the top of its work tree."""
    above = [cwd]
    while not os.path.exists(os.path.join(above[-1], ".git")):
        parent = os.path.dirname(above[-1])
        if parent == above[-1]:
            return (cwd,)
        above.append(parent)
    return tuple(above)


def where(session: SessionPlace) -> str:
    """The directory a session ran in; "" if its beginning does not say."""
    if session.cwd:
        return session.cwd
    reading = read(session)
    for _ in islice(reading.moments(), _PEEKED):
        if reading.about.cwd:
            break
    return reading.about.cwd


def at_path(path: str) -> SessionPlace:
    """The session in the file at this path."""
    full = os.path.abspath(os.path.expanduser(path))
    if os.path.isdir(full):
        raise InvalidInput(f"{path!r} is a directory, not a transcript")
    if not os.path.isfile(full):
        raise NotFound("transcript", path)
    agent = kind_of(full)
    for session in KINDS[agent].find(os.path.expanduser("~")):
        if not session.problem and os.path.realpath(session.path) == os.path.realpath(full):
            return session
    own_folder = folder_of(agent)  # as `.claude`
    above, is_found, _ = full.partition(f"{os.sep}{own_folder}{os.sep}")
    base = os.path.join(above, own_folder)
    if not is_found:
        above, is_found, _ = full.partition(f"{os.sep}projects{os.sep}")
        base = above if is_found else ""
    return place(agent, full, base=base, folder=_folder(full))


def newest(sessions: list[SessionPlace], *, cwd: str, now: float) -> list[SessionPlace]:
    """The session to use when none is named; several if that is ambiguous.

    Sessions of other directories count only when this directory has none.
    """
    main_sessions = [session for session in sessions if not session.is_subagent]
    current = os.environ.get("CLAUDE_CODE_SESSION_ID")
    if named := [session for session in main_sessions if current and session.id == current]:
        return named
    local = [session for session in main_sessions if cwd and belongs(session, cwd)] or main_sessions
    live = [session for session in local if now - session.changed < LIVE]
    return live if len(live) > 1 else local[:1]


def context_of(session: SessionPlace) -> Context:
    """Mode and paths of a session."""
    own_folder = folder_of(session.agent)
    home = os.path.expanduser("~")
    base = session.base or os.path.join(home, own_folder)
    cwd = where(session)
    folder = session.folder or _folder(session.path)
    is_project = bool(folder) if session.agent == CLAUDE else cwd not in {"", home}
    if not is_project:
        return Context(session, PERSON, "", base, "", "")
    root = cwd if os.path.isdir(cwd) else ""
    own = os.path.join(root, own_folder) if root else ""
    above = os.path.join(base, "projects", folder) if session.agent == CLAUDE else own
    memory = os.path.join(above, "memory", "MEMORY.md") if above else ""
    return Context(session, PROJECT, root, base, own, memory)


def _folder(path: str) -> str:
    """`<folder>` of `…/projects/<folder>/…`."""
    parts = path.split(os.sep)
    return parts[parts.index("projects") + 1] if "projects" in parts[:-2] else ""


class Ambiguous(InvalidInput):
    """Several sessions match; `sessions` lists them."""

    def __init__(self, sessions: list[SessionPlace]) -> None:
        names = ", ".join(place.id for place in sessions[:6])
        super().__init__(f"{len(sessions)} sessions may be meant: {names}; name one")
        self.sessions = sessions


class Overview(NamedTuple):
    """A session as one row of a list."""

    place: SessionPlace
    turns: int
    steps: int
    failures: int
    prompt: str
    is_mined: bool = False


AGENTS = tuple(KINDS)  # whose sessions can be found


def find(
    agents: Iterable[str] = (),
    cwd: str = "",
    *,
    since: datetime | None = None,
    is_all: bool = False,
) -> list[SessionPlace]:
    """Every session of these agents (default: all), the directory's first, newest first.

    With `is_all` also those that must not be read.
    """
    chosen, home = list(agents) or list(KINDS), os.path.expanduser("~")
    if unknown := [name for name in chosen if name not in KINDS]:
        raise InvalidInput(f"unknown agent {unknown[0]!r}; known: {', '.join(KINDS)}")
    start = since.timestamp() if since else 0.0
    found = (place for name in chosen for place in _sessions_of(name, home))
    places = [one for one in found if one.changed >= start and (is_all or not one.problem)]
    places.sort(key=lambda place: place.changed, reverse=True)
    return sorted(places, key=lambda place: not belongs(place, cwd)) if cwd else places


def _sessions_of(agent: str, home: str) -> Iterator[SessionPlace]:
    """The sessions of an agent; a store that cannot be read is one with a problem."""
    try:
        yield from KINDS[agent].find(home)
    except StorageError as error:
        yield place(agent, error.path, base="")._replace(problem=error.problem)


def choose(name: str, sessions: list[SessionPlace], *, cwd: str, now: datetime) -> SessionPlace:
    """The session with this (beginning of an) id; without one, the newest of the directory."""
    matching = [session for session in sessions if session.id.startswith(name)]
    if not name:
        matching = newest(sessions, cwd=cwd, now=now.timestamp())
    exact = [session for session in matching if session.id == name] or matching
    if not exact:
        raise NotFound("session" if name else "session of a coding agent", name)
    if len(exact) > 1:
        raise Ambiguous(exact)
    return exact[0]


def is_path(name: str) -> bool:
    """Whether the name is a path rather than a session id."""
    return os.sep in name or name in {".", ".."} or name.endswith(".jsonl")
