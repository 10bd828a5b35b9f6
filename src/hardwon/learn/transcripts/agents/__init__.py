"""One small file for each coding agent: where its transcripts are and how to read them."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from hardwon.learn.transcripts import lines
from hardwon.learn.transcripts.agents import (
    claude,
    codex,
    copilot,
    gemini,
    goose,
    messages,
    opencode,
)
from hardwon.learn.transcripts.transcript import Parser, Reading, SessionPlace


def _lines(session: SessionPlace, skipped: Counter[str]) -> Iterator[tuple[int, Any]]:
    return lines.records(session.path, skipped)


def _length(session: SessionPlace) -> int:
    return lines.count(session.path)


class TranscriptKind(NamedTuple):
    """A coding agent whose transcripts can be read."""

    name: str
    folder: str  # below the user's home, and below a project
    find: Callable[[str], Iterator[SessionPlace]]
    parser: Callable[[], Parser]
    records: Callable[[SessionPlace, Counter[str]], Iterator[tuple[int, Any]]] = _lines
    length: Callable[[SessionPlace], int] = _length  # how many records there are


KINDS = {
    kind.name: kind
    for kind in (
        TranscriptKind(claude.NAME, claude.FOLDER, claude.find, claude.Parser),
        TranscriptKind(codex.NAME, codex.FOLDER, codex.find, codex.Parser),
        TranscriptKind(gemini.NAME, gemini.FOLDER, gemini.find, gemini.Parser),
        TranscriptKind(copilot.NAME, copilot.FOLDER, copilot.find, copilot.Parser),
        TranscriptKind(
            opencode.NAME,
            opencode.FOLDER,
            opencode.find,
            opencode.Parser,
            opencode.records,
            opencode.length,
        ),
        TranscriptKind(
            goose.NAME, goose.FOLDER, goose.find, goose.Parser, goose.records, goose.length
        ),
        TranscriptKind(
            messages.NAME,
            messages.FOLDER,
            messages.find,
            messages.Parser,
            messages.records,
            messages.length,
        ),
    )
}


def read(session: SessionPlace, *, tell: Callable[[], None] | None = None) -> Reading:
    """A reading of one session; its `moments()` are the content. Each record calls `tell`."""
    kind = KINDS[session.agent]
    skipped: Counter[str] = Counter()
    records = kind.records(session, skipped)
    return Reading(kind.parser(), _tell_each(records, tell) if tell else records, skipped)


def length(session: SessionPlace) -> int:
    """How many records a session has, the unreadable ones included."""
    return KINDS[session.agent].length(session)


def _tell_each(
    records: Iterator[tuple[int, Any]], tell: Callable[[], None]
) -> Iterator[tuple[int, Any]]:
    for record in records:
        tell()
        yield record


def kind_of(path: str) -> str:
    """Which agent wrote the transcript at this path, by its folder and name."""
    parts = os.path.abspath(path).split(os.sep)
    if parts[-1].startswith("rollout-"):
        return codex.NAME
    if parts[-1] == "api_conversation_history.json" or parts[-1].endswith(".messages.json"):
        return messages.NAME
    if parts[-1] == "events.jsonl":
        return copilot.NAME
    if "chats" in parts[:-1] and parts[-1].startswith("session-"):
        return gemini.NAME
    return claude.NAME
