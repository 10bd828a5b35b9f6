"""opencode: sessions in a SQLite database, a row for each part of a message."""

from __future__ import annotations

import json
import os
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from typing import Any
from urllib.parse import quote

from hardwon.core.errors import StorageError
from hardwon.learn.transcripts.transcript import (
    AGENT,
    USER,
    Event,
    Message,
    Result,
    SessionInfo,
    SessionPlace,
    ToolCall,
)

NAME, FOLDER = "opencode", ".opencode"
_SESSIONS = """
SELECT s.id, s.directory, s.time_updated,
       (SELECT coalesce(sum(length(p.data)), 0) FROM part AS p WHERE p.session_id = s.id)
FROM session AS s
"""
_PARTS = """
SELECT m.data, p.data FROM part AS p JOIN message AS m ON m.id = p.message_id
WHERE p.session_id = ? ORDER BY m.time_created, m.id, p.id
"""
_COUNT = "SELECT count(*) FROM part WHERE session_id = ?"
_IGNORED = {"step-start", "step-finish", "reasoning", "snapshot", "patch", "file", "agent", "retry"}


def find(home: str) -> Iterator[SessionPlace]:
    """Every session in the store."""
    data_home = os.environ.get("XDG_DATA_HOME") or os.path.join(home, ".local", "share")
    path = os.path.join(data_home, "opencode", "opencode.db")
    if not os.path.isfile(path):
        return
    base = os.path.join(home, FOLDER)
    for id_, directory, updated, size in rows(path, _SESSIONS):
        moment = (updated or 0) / 1000
        yield SessionPlace(
            NAME, id_, path, size=size, changed=moment, base=base, cwd=directory or ""
        )


def records(session: SessionPlace, skipped: Counter[str]) -> Iterator[tuple[int, Any]]:
    """The numbered parts of one session, in order; unreadable ones are counted."""
    for number, (message, part) in enumerate(rows(session.path, _PARTS, session.id), 1):
        try:
            yield number, (json.loads(message), json.loads(part), session)
        except ValueError:
            skipped["broken"] += 1


def length(session: SessionPlace) -> int:
    """How many parts the session has."""
    ((parts,),) = rows(session.path, _COUNT, session.id)
    return int(parts)


def rows(path: str, sql: str, *values: str) -> Iterator[Any]:
    """The rows of a query in a database of another program, which is only read."""
    try:
        with closing(sqlite3.connect(f"file:{quote(path)}?mode=ro", uri=True)) as database:
            yield from database.execute(sql, values)
    except sqlite3.Error as error:
        raise StorageError(path, str(error), "check that it is a database of sessions") from error


class Parser:
    """A tool part holds the call and its end together."""

    def take(self, record: Any, line: int) -> list[Event] | None:
        message, part, session = record
        kind = part.get("type")
        if kind == "text":
            who = USER if message.get("role") == "user" else AGENT
            spoken = [] if part.get("synthetic") else [Message(line, who, part["text"])]
            return [SessionInfo(session.id, session.cwd), *spoken]
        if kind == "tool":
            return _tool(part, line)
        return [] if kind in _IGNORED else None


def _tool(part: Any, line: int) -> list[Event]:
    state = part["state"]
    if state["status"] not in {"completed", "error"}:
        return []
    key = part.get("callID") or str(line)
    code = (state.get("metadata") or {}).get("exit")
    failed = state["status"] == "error" or code not in {None, 0}
    output = state.get("output") or state.get("error") or ""
    return [
        ToolCall(line, key, part["tool"], state.get("input")),
        Result(line, key, output, failed),
    ]
