"""The global store of Cursor: conversations and their bubbles in a table of keys."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

from hardwon.learn.transcripts.agents import length
from hardwon.learn.transcripts.transcript import AGENT, USER
from tests.learn.transcripts.one_session import FAILED, only, said, steps


def tool(name: str, args: Any, result: Any, **more: Any) -> dict[str, Any]:
    call = {"name": name, "rawArgs": json.dumps(args), "result": json.dumps(result)}
    return {"type": 2, "toolFormerData": {"status": "completed", **call, **more}}


def test_cursor_conversations_are_read_in_the_order_of_their_headers(tmp_path: Path) -> None:
    path = tmp_path / ".config" / "Cursor" / "User" / "globalStorage" / "state.vscdb"
    path.parent.mkdir(parents=True)
    bubbles = [
        {"type": 1, "text": "test", "workspaceUris": ["file:///home/me/my%20shop"]},
        {"type": 2, "text": "I will."},
        tool(
            "run_terminal_cmd", {"command": "make test"}, {"output": FAILED.output, "exitCode": 2}
        ),
        tool("run_terminal_cmd", {"command": "make check"}, {"output": "12 passed", "exitCode": 0}),
        tool("edit_file", {"target_file": "a.py"}, "", status="error", error="no such file"),
        tool("read_file", {"target_file": "b.py"}, {"contents": "x = 1"}),
        {"type": 2, "toolFormerData": {"additionalData": {"status": "error"}}, "text": "Done."},
        {"type": 2},
    ]
    names = [f"b{9 - number}" for number in range(len(bubbles))]
    heads = [{"bubbleId": name, "type": 2} for name in [*names, "pruned"]]
    rows: dict[str, Any] = {f"bubbleId:c1:{n}": b for n, b in zip(names, bubbles, strict=True)}
    rows["bubbleId:c2:b1"] = {"type": 1, "text": "of another conversation"}
    rows["composerData:c1"] = {"fullConversationHeadersOnly": heads, "lastUpdatedAt": 1.7e12}
    rows["composerData:empty"] = {"fullConversationHeadersOnly": []}
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE cursorDiskKV (key TEXT UNIQUE, value BLOB)")
        for key, value in rows.items():
            database.execute("INSERT INTO cursorDiskKV VALUES (?, ?)", (key, json.dumps(value)))
        database.execute("INSERT INTO cursorDiskKV VALUES ('composerData:torn', '{')")
    database.close()

    found, moments, skipped = only(tmp_path, "cursor")

    assert (found.id, found.changed, length(found)) == ("c1", 1.7e9, len(bubbles))
    assert said(moments) == [(USER, "test"), (AGENT, "I will."), (AGENT, "Done.")]
    assert [(step.args, step.output, step.failed) for step in steps(moments)] == [
        ("make test", FAILED.output, True),
        ("make check", "12 passed", False),
        ('{"target_file": "a.py"}', "no such file", True),
        ('{"target_file": "b.py"}', '{"contents": "x = 1"}', False),
    ]
    assert not skipped
