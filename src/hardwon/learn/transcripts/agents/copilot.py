"""GitHub Copilot CLI: `session-state/<id>/events.jsonl`."""

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
)

NAME, FOLDER = "copilot", ".copilot"
_IGNORED = (
    *("hook.", "session.", "assistant.turn", "assistant.reasoning", "assistant.intent", "skill."),
    *("assistant.usage", "tool.user", "tool.execution_partial", "tool.execution_progress"),
    *("subagent.", "system.", "abort", "permission.", "user_input.", "elicitation."),
)
_EXIT = re.compile(r"completed with exit code (-?\d{1,5})")


def find(home: str) -> Iterator[SessionPlace]:
    """Every session that has recorded events."""
    base = os.path.join(home, FOLDER)
    for path in inside(base, "session-state", "*", "events.jsonl"):
        yield place(NAME, path, base=base, id=os.path.basename(os.path.dirname(path)))


class Parser:
    """Calls start and complete as events of their own."""

    def take(self, record: Any, line: int) -> list[Event] | None:
        kind, data = str(record.get("type", "")), record.get("data") or {}
        if kind in _READERS:
            return [SessionInfo(at=record.get("timestamp", "")), *_READERS[kind](data, line)]
        return [] if kind.startswith(_IGNORED) else None


def _start(data: Any, line: int) -> Iterator[Event]:
    context = data.get("context") or {}
    yield SessionInfo(data.get("sessionId", ""), context.get("cwd", ""))


def _user(data: Any, line: int) -> Iterator[Event]:
    yield Message(line, USER, data["content"])


def _agent(data: Any, line: int) -> Iterator[Event]:
    if data.get("content"):
        yield Message(line, AGENT, data["content"])


def _call(data: Any, line: int) -> Iterator[Event]:
    yield ToolCall(line, data["toolCallId"], data["toolName"], data.get("arguments"))


def _result(data: Any, line: int) -> Iterator[Event]:
    result, error = data.get("result") or {}, data.get("error") or {}
    output = result.get("content") if isinstance(result, dict) else str(result)
    output = output or error.get("message") or ""
    code = (data.get("shellExecution") or {}).get("exitCode")
    stated = _EXIT.search(output[-400:])
    failed = data.get("success") is False or code not in {None, 0}
    yield Result(line, data["toolCallId"], output, failed or bool(stated and stated[1] != "0"))


_READERS = {
    "session.start": _start,
    "user.message": _user,
    "assistant.message": _agent,
    "tool.execution_start": _call,
    "tool.execution_complete": _result,
}
