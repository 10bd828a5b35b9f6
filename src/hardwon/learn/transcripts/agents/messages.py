"""Message logs: Cline and Roo Code, and the files that `session import` reads.

A message is one of Anthropic's or OpenAI's API. An imported record is a log of messages, a
trajectory of SWE-agent or Harbor, or a run in hardwon's own neutral format.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Any

from hardwon.learn.transcripts import lines
from hardwon.learn.transcripts.agents.databases import CONFIG
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
    parse_json,
    place,
    text_of,
)

_EDITORS = ("Code", "Code - Insiders", "Cursor", "VSCodium", "Windsurf")
_EXTENSIONS = ("saoudrizwan.claude-dev", "rooveterinaryinc.roo-cline", "kilocode.kilo-code")
_CWD = re.compile(r"# Current (?:Working|Workspace) Directory \((.{1,400}?)\)")
_TYPED = re.compile(r"<(?:task|user_message|feedback)>(.*?)</(?:task|user_message|feedback)>", re.S)
_TOLD = re.compile(r"\[(\w{1,60})(?: for '(.{1,4000}?)')?\] Result:\s*", re.S)  # without tool_use
_WHOLE = (".traj", ".json")  # files that are one document


def find_cline(home: str) -> Iterator[SessionPlace]:
    """The tasks of Cline and of those that grew out of it, in every editor."""
    base = os.path.join(home, ".cline")
    for path in inside(base, "data", "sessions", "*", "*.messages.json"):
        yield place("cline", path, base=base, id=os.path.basename(os.path.dirname(path)))
    for config in CONFIG:
        for editor in _EDITORS:
            storage = os.path.join(home, config, editor, "User", "globalStorage")
            for extension in _EXTENSIONS:
                own = os.path.join(storage, extension)
                for path in inside(own, "tasks", "*", "api_conversation_history.json"):
                    task = os.path.basename(os.path.dirname(path))
                    yield place("cline", path, base=own, id=task)


def records(session: SessionPlace, skipped: Counter[str]) -> Iterator[tuple[int, Any]]:
    """The numbered messages of a file that is one JSON document."""
    document = lines.document(session.path, skipped)
    found = document.get("messages") if isinstance(document, dict) else document
    return enumerate(found if isinstance(found, list) else (), 1)


def length(session: SessionPlace) -> int:
    """How many messages there are."""
    return sum(1 for _ in records(session, Counter()))


def import_records(path: str, skipped: Counter[str]) -> Iterator[tuple[int, Any]]:
    """The numbered runs of a file: one a line, or the file as a whole."""
    if not path.endswith(_WHOLE):
        return lines.records(path, skipped)
    document = lines.document(path, skipped)
    is_log = isinstance(document, list) and any("role" in one for one in document[:1])
    return iter([] if document is None else [(1, {"messages": document} if is_log else document)])


def read_cline(record: Any, line: int) -> list[Event] | None:
    """One message after the other."""
    role, at = record["role"], record.get("ts")
    stated = datetime.fromtimestamp(at / 1000, UTC).isoformat() if at else ""
    found = _CWD.search(text_of(record.get("content"))) if role == "user" else None
    about = SessionInfo(cwd=found[1] if found else "", at=stated)
    return [about, *_with_told_calls(message_events(record, line), line)]


def read_import(record: Any, line: int) -> list[Event] | None:
    """A record is a whole run; the numbers of its steps stand for lines, the task is line 0."""
    for key, read in _SHAPES.items():
        if isinstance(record.get(key), list):
            names = record.get("run") or record.get("session_id") or record.get("id") or ""
            about = SessionInfo(str(names), str(record.get("repo") or record.get("cwd") or ""))
            task = record.get("task")
            said = [Message(0, USER, task)] if isinstance(task, str) else []
            return [about, *said, *read(record[key])]
    return None


def message_events(record: Any, line: int) -> Iterator[Event]:
    """The events of a message of Anthropic's or OpenAI's API."""
    role, content = record.get("role"), record.get("content")
    if record.get("type") == "function_call":
        yield ToolCall(line, record["call_id"], record["name"], parse_json(record["arguments"]))
    elif record.get("type") == "function_call_output":
        yield Result(line, record["call_id"], text_of(record["output"]), None)
    elif role == "tool":
        yield Result(line, record["tool_call_id"], text_of(content), record.get("is_error"))
    elif role in {"user", "assistant"}:
        yield from content_events(content, line, USER if role == "user" else AGENT)
        for call in record.get("tool_calls") or ():
            function = call["function"]
            yield ToolCall(line, call["id"], function["name"], parse_json(function["arguments"]))


def content_events(content: Any, line: int, who: str) -> Iterator[Event]:
    """The texts, calls and results in the content of a message."""
    if isinstance(content, str):
        content = [{"type": "text", "text": content}]
    for block in content or ():
        kind = block.get("type")
        if kind in {"tool_use", "toolCall"}:
            args = block.get("input", block.get("arguments"))
            yield ToolCall(line, block["id"], block["name"], args)
        elif kind == "tool_result":
            failed = block.get("is_error")
            yield Result(line, block["tool_use_id"], text_of(block.get("content")), failed)
        elif kind == "text":
            yield Message(line, who, block["text"])


def _with_told_calls(events: Iterable[Event], line: int) -> Iterator[Event]:
    """The events, with the calls that Cline may tell in texts of the user: a head, a result."""
    told = ""
    for event in events:
        if not isinstance(event, Message):
            yield event
            continue
        text = event.text
        head = _TOLD.match(text) if event.who == USER else None
        if head:
            told = f"{line}/{head.start()}/{head[2]}"
            yield ToolCall(line, told, head[1], {"command": head[2] or ""})
            text = text[head.end() :]
        if told:
            if text.strip() or not head:
                yield Result(line, told, text, None)
                told = ""
        elif event.who == AGENT or not text.startswith(("<environment_details", "[")):
            typed = _TYPED.search(text) if event.who == USER else None
            yield Message(line, event.who, typed[1].strip() if typed else text)


def _log(messages: Any) -> Iterator[Event]:
    for number, message in enumerate(messages, 1):
        yield from _with_told_calls(message_events(message, number), number)


def _steps(steps: Any) -> Iterator[Event]:
    """Steps of the neutral format, or of a trajectory of Harbor."""
    for number, step in enumerate(steps, 1):
        if "command" in step:
            key, tool = str(number), str(step.get("tool") or "bash")
            yield ToolCall(number, key, tool, step["command"])
            yield Result(number, key, str(step.get("output") or ""), bool(step.get("returncode")))
            continue
        yield SessionInfo(at=str(step.get("timestamp") or ""))
        who = {"user": USER, "agent": AGENT}.get(step["source"], "")
        if who and step.get("message"):
            yield Message(number, who, text_of(step["message"]))
        for call in step.get("tool_calls") or ():
            yield ToolCall(number, call["tool_call_id"], call["function_name"], call["arguments"])
        for result in (step.get("observation") or {}).get("results") or ():
            failed = (result.get("extra") or {}).get("is_error")
            yield Result(number, result["source_call_id"], text_of(result.get("content")), failed)


def _trajectory(steps: Any) -> Iterator[Event]:
    """Actions and observations of SWE-agent."""
    for number, step in enumerate(steps, 1):
        if action := str(step.get("action") or "").strip():
            yield ToolCall(number, str(number), "bash", action)
            yield Result(number, str(number), str(step.get("observation") or ""), None)


_SHAPES = {"trajectory": _trajectory, "messages": _log, "steps": _steps}
