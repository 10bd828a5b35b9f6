"""Agents that keep sessions in a SQLite database, which is only read."""

from __future__ import annotations

import json
import os
import sqlite3
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, suppress
from datetime import UTC, datetime
from importlib import import_module
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from hardwon.core.errors import MissingExtra, StorageError
from hardwon.learn.transcripts.transcript import (
    AGENT,
    DOCUMENT_LIMIT,
    USER,
    Event,
    Message,
    Result,
    SessionInfo,
    SessionPlace,
    ToolCall,
    parse_json,
    text_of,
)

zstd: Any = None
with suppress(ImportError):  # of the extra `sessions` before Python 3.14
    zstd = import_module("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd")
_ZSTD_ERRORS = (zstd.ZstdError,) if zstd else ()
CONFIG = (".config", os.path.join("Library", "Application Support"))  # where editors keep theirs
_OPENCODE = """
SELECT s.id, s.directory, s.time_updated,
       (SELECT coalesce(sum(length(p.data)), 0) FROM part AS p WHERE p.session_id = s.id)
FROM session AS s
"""
_GOOSE = """
SELECT s.id, s.working_dir, max(m.created_timestamp), coalesce(sum(length(m.content_json)), 0)
FROM sessions AS s JOIN messages AS m ON m.session_id = s.id GROUP BY s.id
"""
_CURSOR = """
SELECT substr(c.key, 14), '', json_extract(c.value, '$.lastUpdatedAt'),
       (SELECT coalesce(sum(length(b.value)), 0) FROM cursorDiskKV AS b
        WHERE b.key >= 'bubbleId:' || substr(c.key, 14) || ':'
          AND b.key < 'bubbleId:' || substr(c.key, 14) || ';')
FROM cursorDiskKV AS c WHERE c.key >= 'composerData:' AND c.key < 'composerData;'
  AND json_valid(c.value) AND json_array_length(c.value, '$.fullConversationHeadersOnly') > 0
"""
_ZED = """
SELECT id, substr({0}, 1, instr({0} || char(10), char(10)) - 1),
       CAST(strftime('%s', updated_at) AS REAL), length(data)
FROM threads
"""
# What a session holds: one row for each part or message, in order.
_HELD = {
    "opencode": """
        SELECT m.data, p.data FROM part AS p JOIN message AS m ON m.id = p.message_id
        WHERE p.session_id = ? ORDER BY m.time_created, m.id, p.id""",
    "goose": """
        SELECT json_object('role', role, 'at', created_timestamp), content_json FROM messages
        WHERE session_id = ? ORDER BY created_timestamp, id""",
    "cursor": """
        SELECT '{}', b.value FROM cursorDiskKV AS c,
               json_each(c.value, '$.fullConversationHeadersOnly') AS head, cursorDiskKV AS b
        WHERE c.key = 'composerData:' || ?1
          AND b.key = 'bubbleId:' || ?1 || ':' || json_extract(head.value, '$.bubbleId')
        ORDER BY CAST(head.key AS INTEGER)""",
}


def rows(path: str, sql: str, *values: str) -> Iterator[Any]:
    """The rows of a query in a database of another program."""
    try:
        with closing(sqlite3.connect(f"file:{quote(path)}?mode=ro", uri=True)) as database:
            yield from database.execute(sql, values)
    except sqlite3.Error as error:
        raise StorageError(path, str(error), "check that it is a database of sessions") from error


def records(session: SessionPlace, skipped: Counter[str]) -> Iterator[tuple[int, Any]]:
    """The numbered rows of one session; unreadable ones are counted."""
    held = rows(session.path, _HELD[session.agent], session.id)
    for number, (head, content) in enumerate(held, 1):
        try:
            yield number, (json.loads(head), json.loads(content), session)
        except (ValueError, TypeError):
            skipped["broken"] += 1


def zed_records(session: SessionPlace, skipped: Counter[str]) -> Iterator[tuple[int, Any]]:
    """The numbered messages of a thread, which is one JSON value, as a rule compressed."""
    sql = "SELECT data_type, data FROM threads WHERE id = ?"
    for kind, data in rows(session.path, sql, session.id):
        try:
            if kind != "json":
                data = zstd.ZstdDecompressor().decompress(data, DOCUMENT_LIMIT + 1)
            if len(data) > DOCUMENT_LIMIT:
                skipped["too long"] += 1
                continue
            thread = json.loads(data)
            snapshot = thread.get("initial_project_snapshot") or {}
            folders = [tree["worktree_path"] for tree in snapshot.get("worktree_snapshots") or ()]
            session = session._replace(cwd=session.cwd or "".join(folders[:1]))
            numbered = [*enumerate(thread["messages"], 1)]
        except (ValueError, TypeError, LookupError, AttributeError, *_ZSTD_ERRORS):
            skipped["broken"] += 1
            continue
        yield from ((number, (message, session)) for number, message in numbered)


def find_opencode(home: str) -> Iterator[SessionPlace]:
    """Every session in the store of opencode."""
    path = os.path.join(_data_home(home), "opencode", "opencode.db")
    return _find("opencode", path, _OPENCODE, os.path.join(home, ".opencode"))


def find_goose(home: str) -> Iterator[SessionPlace]:
    """Every session in the store of Goose."""
    path = os.path.join(_data_home(home), "goose", "sessions", "sessions.db")
    return _find("goose", path, _GOOSE, os.path.join(home, ".goose"))


def find_cursor(home: str) -> Iterator[SessionPlace]:
    """Every conversation in the global store of Cursor."""
    for config in CONFIG:
        path = os.path.join(home, config, "Cursor", "User", "globalStorage", "state.vscdb")
        yield from _find("cursor", path, _CURSOR, os.path.join(home, ".cursor"))


def find_zed(home: str) -> Iterator[SessionPlace]:
    """Every thread of the agent panel of Zed; an old store does not name their folders."""
    has_folders = "SELECT 1 FROM pragma_table_info('threads') WHERE name = 'folder_paths'"
    for folder in (
        os.path.join(_data_home(home), "zed"),
        os.path.join(home, "Library", "Application Support", "Zed"),
    ):
        path = os.path.join(folder, "threads", "threads.db")
        if os.path.isfile(path):
            column = "folder_paths" if any(rows(path, has_folders)) else "''"
            compressed = "SELECT id FROM threads WHERE data_type <> 'json'"
            unreadable = set() if zstd else {str(id_) for (id_,) in rows(path, compressed)}
            for found in _find("zed", path, _ZED.format(column), os.path.join(home, ".zed")):
                problem = str(MissingExtra("sessions")) if found.id in unreadable else ""
                yield found._replace(problem=problem)


def _data_home(home: str) -> str:
    return os.environ.get("XDG_DATA_HOME") or os.path.join(home, ".local", "share")


def _find(agent: str, path: str, sql: str, base: str) -> Iterator[SessionPlace]:
    if os.path.isfile(path):
        for id_, folder, updated, size in rows(path, sql):
            at = _seconds(updated)
            yield SessionPlace(agent, str(id_), path, size, at, base=base, cwd=folder or "")


def _seconds(stamp: Any) -> float:
    """A time in seconds, which is stored in seconds or milliseconds; 0.0 if it is none."""
    try:
        at = float(stamp or 0)
    except (ValueError, TypeError):
        return 0.0
    return at / 1000 if at > 1e11 else at


def _iso(stamp: Any) -> str:
    return datetime.fromtimestamp(_seconds(stamp), UTC).isoformat()


def read_opencode(record: Any, line: int) -> list[Event] | None:
    """A tool part holds the call and its end together."""
    message, part, session = record
    kind, state = part.get("type"), part.get("state") or {}
    stamp = (state.get("time") or {}).get("end") or (message.get("time") or {}).get("created")
    about = SessionInfo(session.id, session.cwd, _iso(stamp) if stamp else "")
    if kind == "text":
        who = USER if message.get("role") == "user" else AGENT
        return [about, *([] if part.get("synthetic") else [Message(line, who, part["text"])])]
    if kind != "tool":
        return [] if kind in _OPENCODE_IGNORED else None
    if state["status"] not in {"completed", "error"}:
        return []
    key = part.get("callID") or str(line)
    code = (state.get("metadata") or {}).get("exit")
    failed = state["status"] == "error" or code not in {None, 0}
    output = state.get("output") or state.get("error") or ""
    call = ToolCall(line, key, part["tool"], state.get("input"))
    return [about, call, Result(line, key, output, failed)]


_OPENCODE_IGNORED = {
    *("step-start", "step-finish", "reasoning", "snapshot", "patch", "file", "agent", "retry"),
}


def read_goose(record: Any, line: int) -> list[Event] | None:
    """Calls are in messages of the assistant, results in those of the user."""
    message, parts, session = record
    events: list[Event] = [SessionInfo(session.id, session.cwd, _iso(message["at"]))]
    for part in parts:
        if part["type"] == "text":
            who = USER if message["role"] == "user" else AGENT
            events.append(Message(line, who, part["text"]))
        elif part["type"] == "toolRequest":
            call = part["toolCall"].get("value", part["toolCall"])
            name = str(call["name"]).rpartition("__")[2]  # without its extension
            events.append(ToolCall(line, part["id"], name, call.get("arguments")))
        elif part["type"] == "toolResponse":
            result = part["toolResult"]
            value = result.get("value")
            is_wrapped = isinstance(value, dict) and "content" in value
            has_error = is_wrapped and value.get("isError") is True
            failed = True if has_error or result.get("status") == "error" else None
            text = text_of(value["content"] if is_wrapped else value)
            output = text or str(result.get("error") or "")
            events.append(Result(line, part["id"], output, failed))
    return events


def read_cursor(record: Any, line: int) -> list[Event] | None:
    """A bubble is a message, or a call with its result."""
    _, bubble, session = record
    folders = bubble.get("workspaceUris") or [""]
    cwd = unquote(urlsplit(str(folders[0])).path)
    events: list[Event] = [SessionInfo(session.id, cwd, str(bubble.get("createdAt") or ""))]
    call = bubble.get("toolFormerData") or {}
    if call.get("name"):
        key = str(call.get("toolCallId") or bubble.get("bubbleId") or line)
        events.append(
            ToolCall(line, key, call["name"], parse_json(call.get("rawArgs") or call.get("params")))
        )
        if call.get("status") in {"completed", "error", "cancelled", None}:
            result, error = parse_json(call.get("result")), call.get("error")
            held = result if isinstance(result, dict) else {"output": result}
            code, output = held.get("exitCode", held.get("exitCodeV2")), held.get("output")
            output = output if isinstance(output, str) else str(call.get("result") or "")
            failed = False if code == 0 else None
            if error or call.get("status") == "error" or code not in {None, 0}:
                output, failed = output or str(error or ""), True
            events.append(Result(line, key, output, failed))
    elif bubble.get("text"):
        events.append(Message(line, USER if bubble.get("type") == 1 else AGENT, bubble["text"]))
    return events


def read_zed(record: Any, line: int) -> list[Event] | None:
    """A message of the agent holds its calls and their results; older ones have a role."""
    message, session = record
    events: list[Event] = [SessionInfo(session.id, session.cwd)]
    if message == "Resume":
        return events
    if "role" in message:  # as before 0.3.0
        content = [{"Text": part["text"]} for part in message["segments"] if part["type"] == "text"]
        content += [{"ToolUse": call} for call in message.get("tool_uses") or ()]
        results = {result["tool_use_id"]: result for result in message.get("tool_results") or ()}
        who = "User" if message["role"] == "user" else "Agent"
        message = {who: {"content": content, "tool_results": results}}
    for part in message["User"]["content"] if "User" in message else ():
        if "Text" in part:
            events.append(Message(line, USER, part["Text"]))
    if "Agent" not in message:
        return events if "User" in message else None
    results = message["Agent"]["tool_results"]
    for part in message["Agent"]["content"]:
        if "Text" in part:
            events.append(Message(line, AGENT, part["Text"]))
        elif call := part.get("ToolUse"):
            events.append(ToolCall(line, call["id"], call["name"], call["input"]))
            if result := results.get(call["id"]):
                output, failed = _zed_output(result["content"], call["input"])
                events.append(
                    Result(line, call["id"], output, True if result["is_error"] else failed)
                )
    return events


def _zed_output(content: Any, args: Any) -> tuple[str, bool | None]:
    """What a tool printed, and whether it failed; Zed puts a sentence around a command's output."""
    parts = content if isinstance(content, list) else [content]
    texts = [
        part if isinstance(part, str) else part.get("Text") or part.get("text") for part in parts
    ]
    output = "\n".join(text for text in texts if text)
    command = args.get("command") if isinstance(args, dict) else None
    if command is None:
        return output, None
    said, fence, printed = output.partition("```\n")
    printed = printed.rpartition("\n```")[0]
    if said.startswith((f'Command "{command}" ', "Command terminated unexpectedly.")):
        return printed, True
    if (fence and not said) or said == "Command executed successfully.":
        return printed, False
    return output, None
