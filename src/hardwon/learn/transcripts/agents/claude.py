"""Claude Code: `projects/<folder>/<session>.jsonl`, one content block a line."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import Any

from hardwon.learn.transcripts.transcript import (
    AGENT,
    USER,
    Event,
    Message,
    Result,
    SessionInfo,
    SessionPlace,
    ToolCall,
    inside,
    place,
    text_of,
)

NAME, FOLDER = "claude", ".claude"
_MESSAGES = {"user", "assistant"}
_IGNORED = {
    *("system", "attachment", "queue-operation", "last-prompt", "cost-state", "tools-used"),
    *("mode", "api-request", "api-request-blob", "api-request-shape", "atis-latch", "summary"),
    *("file-history-snapshot", "progress", "permission-mode", "agent-name", "custom-title"),
}
_ONLY_EXIT_CODE = re.compile(r"Exit code \d{1,3}\s*")
_MACHINE = ("<command-", "<local-command-", "<system-reminder>", "[Request interrupted", "Caveat: ")


def find(home: str) -> Iterator[SessionPlace]:
    """Sessions of every project with their sub-agents, and the older `sessions/`."""
    base = os.environ.get("CLAUDE_CONFIG_DIR") or os.path.join(home, FOLDER)
    for pattern in (
        ("projects", "*", "*.jsonl"),
        ("projects", "*", "sessions", "*.jsonl"),
        ("projects", "*", "*", "subagents", "agent-*.jsonl"),
        ("sessions", "*.jsonl"),
    ):
        for path in inside(base, *pattern):
            yield place(NAME, path, base=base, folder=_folder(base, path))


def folder_name(cwd: str) -> str:
    """The folder name that Claude Code uses for a directory."""
    return re.sub(r"[^A-Za-z0-9]", "-", cwd)


def _folder(base: str, path: str) -> str:
    parts = os.path.relpath(path, base).split(os.sep)
    return parts[1] if parts[0] == "projects" else ""


class Parser:
    """Assistant lines hold text and calls; user lines hold messages and results."""

    def take(self, record: Any, line: int) -> list[Event] | None:
        kind = record.get("type")
        if kind not in _MESSAGES:
            return [] if kind in _IGNORED else None
        message = record["message"]
        events: list[Event] = [
            SessionInfo(_session(record), record.get("cwd") or "", record["timestamp"])
            if "timestamp" in record
            else SessionInfo()
        ]
        if kind == "assistant":
            _read_assistant(message["content"], line, events)
        else:
            who = AGENT if record.get("isSidechain") else USER
            is_typed = not (record.get("isMeta") or record.get("isCompactSummary"))
            _read_user(message["content"], line, events, who if is_typed else "")
        return events


def _session(record: Any) -> str:
    """The id of a session; a sub-agent has one of its own, as in hooks."""
    session, nested = record.get("sessionId") or "", record.get("agentId") or ""
    return f"{session}.{nested}" if nested else session


def _read_assistant(content: Any, line: int, events: list[Event]) -> None:
    if isinstance(content, str):
        content = [{"type": "text", "text": content}]
    for block in content:
        if block["type"] == "tool_use":
            events.append(ToolCall(line, block["id"], block["name"], block["input"]))
        elif block["type"] == "text":
            events.append(Message(line, AGENT, block["text"]))


def _read_user(content: Any, line: int, events: list[Event], who: str) -> None:
    if isinstance(content, str):
        content = [{"type": "text", "text": content}]
    for block in content:
        if block["type"] == "tool_result":
            failed = block.get("is_error") is True
            output = text_of(block["content"])
            if _ONLY_EXIT_CODE.fullmatch(output):  # written by the client, not by the program
                output = ""
            events.append(Result(line, block["tool_use_id"], output, failed))
        elif block["type"] == "text" and who and not block["text"].startswith(_MACHINE):
            events.append(Message(line, who, block["text"]))
