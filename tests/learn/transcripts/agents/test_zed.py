"""The threads of Zed's agent panel: one compressed JSON value a row."""

from __future__ import annotations

import json
import sqlite3
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from hardwon.core.errors import MissingExtra
from hardwon.learn.transcripts.agents import KINDS, databases
from hardwon.learn.transcripts.transcript import AGENT, USER
from tests.learn.transcripts.one_session import FAILED, only, said, steps

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

_OLD = """
CREATE TABLE threads (id TEXT PRIMARY KEY, summary TEXT NOT NULL, updated_at TEXT NOT NULL,
data_type TEXT NOT NULL, data BLOB NOT NULL)"""
_NEW = (
    "ALTER TABLE threads ADD COLUMN parent_id TEXT",
    "ALTER TABLE threads ADD COLUMN folder_paths TEXT",
    "ALTER TABLE threads ADD COLUMN folder_paths_order TEXT",
)


def store(home: Path, data: bytes, *, kind: str = "zstd", folders: str | None = None) -> None:
    """A store with one thread; one of an old Zed unless it names folders."""
    path = home / ".local" / "share" / "zed" / "threads" / "threads.db"
    path.parent.mkdir(parents=True)
    with sqlite3.connect(path) as database:
        database.execute(_OLD)
        row = ("t1", "Test the shop", "2026-11-15T10:00:00.123456789+00:00", kind, data)
        database.execute("INSERT INTO threads VALUES (?, ?, ?, ?, ?)", row)
        for statement in _NEW if folders is not None else ():
            database.execute(statement)
        if folders is not None:
            database.execute("UPDATE threads SET folder_paths = ?", (folders,))
    database.close()


def packed(messages: list[Any], **more: Any) -> bytes:
    return zstd.compress(json.dumps({"version": "0.3.0", "messages": messages, **more}).encode())


def called(key: str, name: str, args: Any, result: Any, *, failed: bool = False) -> Any:
    """A message of the agent with one call and its result."""
    use = {"id": key, "name": name, "raw_input": "", "input": args, "is_input_complete": True}
    answer = {"tool_use_id": key, "tool_name": name, "is_error": failed, "content": result}
    return {"Agent": {"content": [{"ToolUse": use}], "tool_results": {key: answer}}}


def run(key: str, command: str, result: str) -> Any:
    return called(key, "terminal", {"command": command, "cd": "shop"}, [{"Text": result}])


def test_zed_threads_hold_calls_with_their_results(tmp_path: Path) -> None:
    fenced = f"```\n{FAILED.output}\n```"
    mention = {"Mention": {"uri": {"File": {"abs_path": "/a"}}, "content": "x = 1"}}
    messages = [
        {"User": {"id": "u1", "content": [{"Text": "test"}, mention]}},
        {
            "Agent": {
                "content": [{"Text": "I will."}, {"RedactedThinking": "x"}],
                "tool_results": {},
            }
        },
        run("c1", "make test", f'Command "make test" failed with exit code 2.\n\n{fenced}'),
        "Resume",
        run("c2", 'echo "a"', "```\n12 passed\n```"),
        run("c3", "true", "Command executed successfully."),
        run("c4", "false", 'Command "false" failed with exit code 1.'),
        run("c5", "top", 'Command "top" timed out. Output captured before timeout:\n\n```\n1\n```'),
        called("c6", "edit_file", {"path": "a.py"}, {"Text": "No such file"}, failed=True),
        called("c7", "read_file", {"path": "b.py"}, "x = 1"),
        {"Summary": {"content": []}},
    ]
    store(tmp_path, packed(messages), folders="/home/me/my shop\n/home/me/other")

    found, moments, skipped = only(tmp_path, "zed")

    assert (found.id, found.cwd, found.changed) == ("t1", "/home/me/my shop", 1794736800.0)
    assert said(moments) == [(USER, "test"), (AGENT, "I will.")]
    assert [(step.output, step.failed) for step in steps(moments)] == [
        (FAILED.output, True),
        ("12 passed", False),
        ("", False),
        ("", True),
        ("1", True),
        ("No such file", True),
        ("x = 1", False),
    ]
    assert skipped == {"unknown": 1}


def test_zed_threads_of_the_older_format_name_their_folder_inside(tmp_path: Path) -> None:
    call = {"id": "c1", "name": "terminal", "input": {"command": "make test"}}
    result = {"tool_use_id": "c1", "is_error": True, "content": FAILED.output, "output": None}
    messages = [
        {"id": 0, "role": "user", "segments": [{"type": "text", "text": "test"}]},
        {
            "id": 1,
            "role": "assistant",
            "segments": [{"type": "thinking", "text": "hm"}, {"type": "text", "text": "I will."}],
            "tool_uses": [call],
            "tool_results": [result],
        },
    ]
    snapshot = {"worktree_snapshots": [{"worktree_path": "/home/me/shop", "git_state": None}]}
    thread = {"version": "0.2.0", "messages": messages, "initial_project_snapshot": snapshot}
    store(tmp_path, json.dumps(thread).encode(), kind="json")

    found, moments, skipped = only(tmp_path, "zed")

    assert said(moments) == [(USER, "test"), (AGENT, "I will.")]
    assert [(step.args, step.output, step.failed) for step in steps(moments)] == [
        ("make test", FAILED.output, True)
    ]
    reading = databases.zed_records(found, skipped)
    assert {record[1].cwd for _, record in reading} == {"/home/me/shop"}
    assert not skipped


NO_FOLDER = {"worktree_snapshots": [{"worktree_path": None}]}


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"no zstd", "broken"),
        (zstd.compress(b"{"), "broken"),
        (zstd.compress(b"[1]"), "broken"),
        (zstd.compress(b'{"messages": null}'), "broken"),
        (packed([], initial_project_snapshot=NO_FOLDER), "broken"),
        (zstd.compress(b" " * (64 * 1024 * 1024 + 9)), "too long"),
    ],
)
def test_a_thread_that_cannot_be_read_is_counted(tmp_path: Path, data: bytes, reason: str) -> None:
    store(tmp_path, data)

    _, moments, skipped = only(tmp_path, "zed")

    assert (moments, skipped) == ([], {reason: 1})


@pytest.mark.parametrize("data", [b"{", b'{"messages": []}'])
def test_without_the_extra_only_a_compressed_thread_says_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, data: bytes
) -> None:
    store(tmp_path, data, kind="json")
    with sqlite3.connect(tmp_path / ".local/share/zed/threads/threads.db") as database:
        for number in range(3):
            values = (f"z{number}", "", "2026-11-15T10:00:00+00:00", "zstd", packed([]))
            database.execute("INSERT INTO threads VALUES (?, ?, ?, ?, ?)", values)
    database.close()
    monkeypatch.setattr(databases, "zstd", None)
    monkeypatch.setattr(databases, "_ZSTD_ERRORS", ())

    plain, *others = KINDS["zed"].find(str(tmp_path))

    assert not plain.problem
    skipped = Counter[str]()
    assert list(databases.zed_records(plain, skipped)) == []
    assert skipped == ({"broken": 1} if data == b"{" else {})
    assert {other.problem for other in others} == {str(MissingExtra("sessions"))}
