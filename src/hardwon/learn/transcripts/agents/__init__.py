"""The coding agents whose sessions are read: where they are, and what a record of one says."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from hardwon.learn.transcripts.agents import databases, logs
from hardwon.learn.transcripts.transcript import (
    Read,
    Reading,
    SessionPlace,
    json_lines,
)


class TranscriptKind(NamedTuple):
    """A coding agent whose transcripts can be read."""

    find: Callable[[str], Iterator[SessionPlace]]
    read: Read
    records: Callable[[SessionPlace, Counter[str]], Iterator[tuple[int, Any]]] = (
        lambda session, skipped: json_lines(session.path, skipped)
    )


_ROWS = databases.records
KINDS = {
    logs.CLAUDE: TranscriptKind(logs.find_claude, logs.read_claude),
    "codex": TranscriptKind(logs.find_codex, logs.read_codex),
    "gemini": TranscriptKind(logs.find_gemini, logs.read_gemini, logs.gemini_records),
    "copilot": TranscriptKind(logs.find_copilot, logs.read_copilot),
    "opencode": TranscriptKind(databases.find_opencode, databases.read_opencode, _ROWS),
    "goose": TranscriptKind(databases.find_goose, databases.read_goose, _ROWS),
    "cline": TranscriptKind(logs.find_cline, logs.read_cline, logs.message_records),
    "cursor": TranscriptKind(databases.find_cursor, databases.read_cursor, _ROWS),
    "zed": TranscriptKind(databases.find_zed, databases.read_zed, databases.zed_records),
    "pi": TranscriptKind(logs.find_pi, logs.read_pi),
    "kimi": TranscriptKind(logs.find_kimi, logs.read_kimi),
}


def folder_of(agent: str) -> str:
    """The folder of an agent below the user's home, and below a project."""
    return f".{agent}"


def read(session: SessionPlace, *, tell: Callable[[], None] = lambda: None) -> Reading:
    """A reading of one session; its `moments()` are the content. Each record calls `tell`."""
    kind, skipped = KINDS[session.agent], Counter[str]()
    return Reading(kind.read, kind.records(session, skipped), skipped, tell)


def length(session: SessionPlace) -> int:
    """How many records of a session can be read."""
    return sum(1 for _ in KINDS[session.agent].records(session, Counter()))


def kind_of(path: str) -> str:
    """Which agent wrote the transcript at this path, by its folder and name."""
    parts = os.path.abspath(path).split(os.sep)
    if parts[-1].startswith("rollout-"):
        return "codex"
    if parts[-1] == "api_conversation_history.json" or parts[-1].endswith(".messages.json"):
        return "cline"
    if parts[-1] == "events.jsonl":
        return "copilot"
    if "chats" in parts[:-1] and parts[-1].startswith("session-"):
        return "gemini"
    if parts[-1] == "context.jsonl":
        return "kimi"
    return "pi" if ".pi" in parts[:-1] else logs.CLAUDE
