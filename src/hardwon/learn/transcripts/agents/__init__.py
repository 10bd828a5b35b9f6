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
    shells: tuple[str, ...] = ()  # its names for the shell, which is `bash` here, as in hooks


_ROWS = databases.records
_CODEX = ("shell", "shell_command", "exec_command", "local_shell", "container.exec")
_CURSOR = ("run_terminal_cmd", "run_terminal_command", "run_terminal_command_v2", "Shell")
_GEMINI = ("run_shell_command",)
KINDS = {
    logs.CLAUDE: TranscriptKind(logs.find_claude, logs.read_claude),
    "codex": TranscriptKind(logs.find_codex, logs.read_codex, shells=_CODEX),
    "gemini": TranscriptKind(logs.find_gemini, logs.read_gemini, logs.gemini_records, _GEMINI),
    "qwen": TranscriptKind(logs.find_qwen, logs.read_qwen, shells=_GEMINI),
    "copilot": TranscriptKind(logs.find_copilot, logs.read_copilot),
    "opencode": TranscriptKind(databases.find_opencode, databases.read_opencode, _ROWS),
    "goose": TranscriptKind(databases.find_goose, databases.read_goose, _ROWS, shells=("shell",)),
    "cline": TranscriptKind(
        logs.find_cline, logs.read_cline, logs.cline_records, shells=("execute_command",)
    ),
    "cursor": TranscriptKind(databases.find_cursor, databases.read_cursor, _ROWS, shells=_CURSOR),
    "zed": TranscriptKind(
        databases.find_zed, databases.read_zed, databases.zed_records, shells=("terminal",)
    ),
    "pi": TranscriptKind(logs.find_pi, logs.read_pi),
    "kimi": TranscriptKind(logs.find_kimi, logs.read_kimi, shells=("Shell",)),
}


def folder_of(agent: str) -> str:
    """The folder of an agent below the user's home, and below a project."""
    return f".{agent}"


def read(session: SessionPlace, *, tell: Callable[[], None] = lambda: None) -> Reading:
    """A reading of one session; its `moments()` are the content. Each record calls `tell`."""
    kind, skipped = KINDS[session.agent], Counter[str]()
    return Reading(kind.read, kind.records(session, skipped), skipped, tell, kind.shells)


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
    if parts[-4:-3] == ["projects"] and parts[-2] == "chats":
        return "qwen"
    if "chats" in parts[-3:-1]:
        return "gemini"
    if parts[-1] == "context.jsonl":
        return "kimi"
    return "pi" if ".pi" in parts[:-1] else logs.CLAUDE
