"""Gemini CLI: `tmp/<project>/chats/session-*.jsonl`; a line replaces earlier ones of its id."""

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

NAME, FOLDER = "gemini", ".gemini"
_IGNORED = {"info", "error", "warning"}
_EXIT = re.compile(r"Exit Code: (-?\d{1,5})")
_SHELLS = {"run_shell_command"}


def find(home: str) -> Iterator[SessionPlace]:
    """Every recorded chat."""
    base = os.path.join(home, FOLDER)
    for path in inside(base, "tmp", "*", "chats", "session-*.jsonl"):
        yield place(NAME, path, base=base, cwd=_root(path))


def _root(path: str) -> str:
    """The directory of a project, which Gemini notes next to the chats."""
    note = os.path.join(os.path.dirname(os.path.dirname(path)), ".project_root")
    try:
        with open(note, encoding="utf-8") as file:
            return file.read(4096).strip()
    except (OSError, UnicodeDecodeError):
        return ""


class Parser:
    """Messages are repeated while they grow; each part is reported once."""

    def __init__(self) -> None:
        self._reported: set[tuple[str, str]] = set()

    def take(self, record: Any, line: int) -> list[Event] | None:
        if "sessionId" in record:
            return [SessionInfo(record["sessionId"], at=record.get("startTime", ""))]
        if record.get("type") in {"user", "gemini"}:
            return list(self._message(record, line))
        return [] if "$set" in record or record.get("type") in _IGNORED else None

    def _message(self, record: Any, line: int) -> Iterator[Event]:
        message_id = str(record.get("id", line))
        text = text_of(record.get("content"))
        yield SessionInfo(at=record.get("timestamp", ""))
        if text and self._is_new(message_id, "text"):
            yield Message(line, USER if record["type"] == "user" else AGENT, text)
        for call in record.get("toolCalls") or ():
            if call.get("status") in _ENDED and self._is_new(message_id, str(call.get("id"))):
                yield from _tool(call, line, f"{message_id}/{call.get('id')}")

    def _is_new(self, message: str, part: str) -> bool:
        key = (message, part)
        if key in self._reported:
            return False
        self._reported.add(key)
        return True


_ENDED = {"success", "error", "cancelled"}


def _tool(call: Any, line: int, key: str) -> Iterator[Event]:
    name = "bash" if call["name"] in _SHELLS else call["name"]
    output = _output(call.get("result"))
    code = _EXIT.search(output)
    yield ToolCall(line, key, name, call.get("args"))
    yield Result(line, key, output, call["status"] == "error" or bool(code and code[1] != "0"))


def _output(result: Any) -> str:
    """The text in `[{functionResponse: {response: {output | error}}}]`, or in a plain string."""
    if isinstance(result, str):
        return result
    parts = []
    for part in result or ():
        answer = part.get("functionResponse", {}).get("response", {})
        parts.append(answer.get("output") or answer.get("error") or part.get("text") or "")
    return "\n".join(map(str, parts))
