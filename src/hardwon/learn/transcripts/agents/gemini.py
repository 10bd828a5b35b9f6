"""Chats of Gemini CLI, and of Qwen Code, which grew out of it."""

from __future__ import annotations

import os
from collections import Counter
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
    json_document,
    json_lines,
    note_in,
    place,
    states_failure,
    text_of,
)

_ENDED = {"success", "error", "cancelled"}
_TYPED = {None, "mid_turn_user_message"}


def find_gemini(home: str) -> Iterator[SessionPlace]:
    """Every recorded chat of Gemini CLI, with the directory that it notes next to the chats."""
    base = os.path.join(home, ".gemini")
    chats = ("session-*.jsonl", "session-*.json", "*/*.jsonl")  # now, in older releases, sub-agents
    for path in inside(base, *(f"tmp/*/chats/{one}" for one in chats)):
        note = os.path.join(path.rpartition(f"{os.sep}chats{os.sep}")[0], ".project_root")
        yield place("gemini", path, base=base, cwd=note_in(note).strip())


def gemini_records(session: SessionPlace, skipped: Counter[str]) -> Iterator[tuple[int, Any]]:
    """Messages are repeated while they grow: each with the parts that are new and have ended."""
    seen: set[tuple[str, str]] = set()
    records = json_lines(session.path, skipped)
    if session.path.endswith(".json"):  # as the program wrote them before
        document = json_document(session.path, skipped)
        messages = document.get("messages") if isinstance(document, dict) else None
        records = enumerate([document, *messages] if isinstance(messages, list) else (), 1)
    for line, record in records:
        if isinstance(record, dict) and isinstance(record.get("toolCalls"), list | None):
            key = str(record.get("id", line))
            calls = [call for call in record.get("toolCalls") or () if isinstance(call, dict)]
            ended = [call for call in calls if call.get("status") in _ENDED]
            parts = {(key, str(call.get("id"))): call for call in ended}
            new = [call for part, call in parts.items() if part not in seen]
            record = {**record, "toolCalls": new}
            if (key, "text") in seen:
                record.pop("content", None)
            seen.update(parts)
            if text_of(record.get("content")):
                seen.add((key, "text"))
        yield line, record


def read_gemini(record: Any, line: int) -> list[Event] | None:
    """A message with its calls, which have ended."""
    kind = record.get("type")
    if "sessionId" in record:
        return [SessionInfo(record["sessionId"], at=record.get("startTime", ""))]
    if kind not in {"user", "gemini"}:
        return [] if "$set" in record or kind in {"info", "error", "warning"} else None
    events: list[Event] = [SessionInfo(at=record.get("timestamp", ""))]
    if text := text_of(record.get("content")):
        events.append(Message(line, USER if kind == "user" else AGENT, text))
    for call in record["toolCalls"]:
        key, told = f"{record.get('id', line)}/{call.get('id')}", _told(call.get("result"))
        shown = call.get("resultDisplay")
        output = shown if shown and isinstance(shown, str) else told
        failed = call["status"] == "error" or states_failure(told)
        events.append(ToolCall(line, key, call["name"], call.get("args")))
        events.append(Result(line, key, output, failed))
    return events


def _told(result: Any) -> str:
    """The text in `[{functionResponse: {response: {output | error}}}]`, or in a plain string."""
    if isinstance(result, str):
        return result
    parts = []
    for part in result or ():
        answer = part.get("functionResponse", {}).get("response", {})
        parts.append(answer.get("output") or answer.get("error") or part.get("text") or "")
    return "\n".join(map(str, parts))


def find_qwen(home: str) -> Iterator[SessionPlace]:
    """Every recorded chat of Qwen Code, and those of its sub-agents."""
    base = os.environ.get("QWEN_RUNTIME_DIR") or os.path.join(home, ".qwen")
    for path in inside(base, "projects/*/chats/*.jsonl", "projects/*/subagents/*/agent-*.jsonl"):
        yield place("qwen", path, base=base)


def read_qwen(record: Any, line: int) -> list[Event] | None:
    """The parts of a message, as Gemini's API has them; results are records of their own."""
    kind, message = record.get("type"), record.get("message") or {}
    if kind not in {"user", "assistant", "tool_result"}:
        return [] if kind == "system" else None
    session = ".".join(filter(None, (record.get("sessionId"), record.get("agentId"))))
    about = SessionInfo(session, record.get("cwd") or "", record.get("timestamp") or "")
    is_typed = record.get("subtype") in _TYPED and not record.get("isSidechain")
    events: list[Event] = [about]
    for part in message.get("parts") or ():
        if call := part.get("functionCall"):
            key = str(call.get("id") or call["name"])
            events.append(ToolCall(line, key, call["name"], call.get("args")))
        elif answer := part.get("functionResponse"):
            told, key = _told([part]), str(answer.get("id") or answer["name"])
            status = (record.get("toolCallResult") or {}).get("status")
            failed = status == "error" or "error" in answer["response"] or states_failure(told)
            events.append(Result(line, key, _without_report(told), failed))
        elif part.get("text") and not part.get("thought") and (kind == "assistant" or is_typed):
            events.append(Message(line, AGENT if kind == "assistant" else USER, part["text"]))
    return events


def _without_report(text: str) -> str:
    """What a command printed, out of the report that stands around it."""
    _, is_there, printed = text.partition("\nOutput: ")
    printed, is_ended, _ = printed.rpartition("\nError: ")
    return printed if text.startswith("Command: ") and is_there and is_ended else text
