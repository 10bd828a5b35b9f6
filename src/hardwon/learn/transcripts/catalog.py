"""The sessions on this machine: list them, choose one, and describe it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from hardwon.core.errors import InvalidInput, NotFound
from hardwon.learn.transcripts.agents import KINDS, read
from hardwon.learn.transcripts.context import at_path, find_sessions, newest
from hardwon.learn.transcripts.rules.story import Story

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime, timedelta

    from hardwon.learn.transcripts.location import SessionPlace


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
    agents: Iterable[str],
    cwd: str,
    *,
    since: timedelta | None,
    now: datetime,
    is_all: bool = False,
) -> list[SessionPlace]:
    """Sessions, those of the directory first, newest first; `is_all`: unreadable ones, too."""
    unknown = [name for name in agents if name not in KINDS]
    if unknown:
        raise InvalidInput(f"unknown agent {unknown[0]!r}; known: {', '.join(KINDS)}")
    places = find_sessions(os.path.expanduser("~"), agents=agents, cwd=cwd, is_all=is_all)
    if since is None:
        return places
    start = (now - since).timestamp()
    return [place for place in places if place.changed >= start]


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


def look(place: SessionPlace) -> Overview:
    """A session with its counts; reads the whole transcript."""
    story = Story()
    for moment in read(place).moments():
        story.see(moment)
    return Overview(place, story.turns, story.steps, story.failures, story.task)


__all__ = ["Ambiguous", "Overview", "at_path", "choose", "find", "is_path", "look"]
