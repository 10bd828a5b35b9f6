"""Goose: sessions in a SQLite database, a row for each message."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from hardwon.learn.transcripts.agents.opencode import rows
from hardwon.learn.transcripts.transcript import (
    AGENT,
    USER,
    Event,
    Message,
    Result,
    SessionInfo,
    SessionPlace,
    ToolCall,
    text_of,
)

NAME, FOLDER = "goose", ".goose"
_SESSIONS = """
SELECT s.id, s.working_dir, max(m.created_timestamp), coalesce(sum(length(m.content_json)), 0)
FROM sessions AS s JOIN messages AS m ON m.session_id = s.id GROUP BY s.id
"""
_MESSAGES = """
SELECT role, content_json, created_timestamp FROM messages
WHERE session_id = ? ORDER BY created_timestamp, id
"""
_COUNT = "SELECT count(*) FROM messages WHERE session_id = ?"


def find(home: str) -> Iterator[SessionPlace]:
    """Every session in the store."""
    data_home = os.environ.get("XDG_DATA_HOME") or os.path.join(home, ".local", "share")
    path = os.path.join(data_home, "goose", "sessions", "sessions.db")
    if not os.path.isfile(path):
        return
    base = os.path.join(home, FOLDER)
    for id_, directory, updated, size in rows(path, _SESSIONS):
        at = _seconds(updated)
        yield SessionPlace(NAME, str(id_), path, size, at, base=base, cwd=directory or "")


def records(session: SessionPlace, skipped: Counter[str]) -> Iterator[tuple[int, Any]]:
    """The numbered messages of one session; unreadable ones are counted."""
    for number, (role, content, at) in enumerate(rows(session.path, _MESSAGES, session.id), 1):
        try:
            yield number, (role, json.loads(content), at, session)
        except ValueError:
            skipped["broken"] += 1


def length(session: SessionPlace) -> int:
    """How many messages the session has."""
    ((messages,),) = rows(session.path, _COUNT, session.id)
    return int(messages)


def _seconds(stamp: Any) -> float:
    """A time in seconds; it is stored in seconds or milliseconds."""
    at = float(stamp or 0)
    return at / 1000 if at > 1e11 else at


class Parser:
    """Calls are in messages of the assistant, results in those of the user."""

    def take(self, record: Any, line: int) -> list[Event] | None:
        role, parts, at, session = record
        moment = datetime.fromtimestamp(_seconds(at), UTC).isoformat()
        events: list[Event] = [SessionInfo(session.id, session.cwd, moment)]
        for part in parts:
            events += _part(part, line, USER if role == "user" else AGENT)
        return events


def _part(part: Any, line: int, who: str) -> Iterator[Event]:
    if part["type"] == "text":
        yield Message(line, who, part["text"])
    elif part["type"] == "toolRequest":
        call = part["toolCall"].get("value", part["toolCall"])
        name = str(call["name"]).rpartition("__")[2]  # without its extension
        yield ToolCall(line, part["id"], name, call.get("arguments"))
    elif part["type"] == "toolResponse":
        result = part["toolResult"]
        value = result.get("value")
        is_wrapped = isinstance(value, dict) and "content" in value
        failed = True if result.get("status") == "error" else None
        if is_wrapped and value.get("isError") is True:
            failed = True
        content = value["content"] if is_wrapped else value
        yield Result(line, part["id"], text_of(content) or str(result.get("error") or ""), failed)
