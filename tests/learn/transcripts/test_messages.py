"""Message logs, trajectories and the sessions of agents that keep such logs."""

from __future__ import annotations

import json
import os
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import hardwon
from hardwon import Step
from hardwon.learn.transcripts.transcript import AGENT, USER
from tests.learn.transcripts.one_session import only, said, steps

ERROR = "kiosk: error: not logged in\nExit code: 2"
USE = {"type": "tool_use", "id": "t1", "name": "bash", "input": {"command": "kiosk stock"}}
RESULT = {"type": "tool_result", "tool_use_id": "t1", "is_error": True, "content": ERROR}
FUNCTION = {"name": "bash", "arguments": '{"command": "kiosk stock"}'}
CWD = "<environment_details>\n# Current Working Directory (/home/me/shop) Files\n"
FAILED = Step("bash", "kiosk stock", ERROR, failed=True)

ANTHROPIC: list[dict[str, Any]] = [
    {"role": "user", "content": "Count the stock"},
    {"role": "assistant", "content": [{"type": "text", "text": "I look."}, USE]},
    {"role": "user", "content": [RESULT]},
]
OPENAI = [
    {"role": "system", "content": "You are an agent."},
    {"role": "user", "content": "Count the stock"},
    {"role": "assistant", "content": "I look.", "tool_calls": [{"id": "t1", "function": FUNCTION}]},
    {"role": "tool", "tool_call_id": "t1", "content": ERROR},
]
RESPONSES = [
    {"role": "user", "content": "Count the stock"},
    {"type": "function_call", "call_id": "t1", **FUNCTION},
    {"type": "function_call_output", "call_id": "t1", "output": ERROR},
]
HARBOR = [
    {"step_id": 1, "source": "user", "message": "Count the stock"},
    {
        "step_id": 2,
        "source": "agent",
        "timestamp": "2026-11-02T09:00:00Z",
        "tool_calls": [{"tool_call_id": "t1", "function_name": "bash", "arguments": USE["input"]}],
        "observation": {"results": [{"source_call_id": "t1", "content": ERROR}]},
    },
]
SWE_AGENT = [{"action": "kiosk stock\n", "observation": ERROR, "thought": "I look."}]
IMPORTED = {
    "anthropic.json": ANTHROPIC,
    "openai.jsonl": {"id": "a", "messages": OPENAI},
    "responses.jsonl": {"id": "b", "messages": RESPONSES},
    "trajectory.json": {"schema_version": "ATIF-v1.4", "session_id": "c", "steps": HARBOR},
    "run.traj": {"trajectory": SWE_AGENT, "info": {}},
}


@pytest.mark.parametrize("name", IMPORTED)
def test_logs_and_trajectories_are_recorded_once(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(json.dumps(IMPORTED[name], indent=None if name.endswith("jsonl") else 2))
    skipped: Counter[str] = Counter()
    with hardwon.open(tmp_path / "hw") as hw:
        agent = hw.agent("coder", project="acme/shop")

        learnt = [run for _ in range(2) for run in agent.sessions.import_runs(str(path), skipped)]

        (lesson,) = agent.lessons.list(status="all")
    assert [(run.status, run.steps, run.failed) for run in learnt] == [
        ("learnt", 1, 1),
        ("known", 0, 0),
    ]
    assert "kiosk" in lesson.situation
    assert not skipped


def write_task(home: Path, extension: str, log: list[Any], editor: str = ".config/Code") -> None:
    folder = home / editor / "User" / "globalStorage" / extension / "tasks" / "170"
    folder.mkdir(parents=True)
    (folder / "api_conversation_history.json").write_text(json.dumps(log))


@pytest.mark.parametrize("editor", [".config/Code", ".vscode-server/data"])
def test_cline_keeps_messages_in_one_file(tmp_path: Path, editor: str) -> None:
    task = [{"type": "text", "text": "<task>\nCount the stock\n</task>"}]
    first = {"role": "user", "content": [*task, {"type": "text", "text": CWD}]}
    log = [first, ANTHROPIC[1] | {"ts": 1_793_600_000_000}, ANTHROPIC[2]]
    write_task(tmp_path, "saoudrizwan.claude-dev", log, editor)

    found, moments, skipped = only(tmp_path, "cline")

    assert (found.id, steps(moments)) == ("170", [FAILED])
    assert said(moments) == [(USER, "Count the stock"), (AGENT, "I look.")]
    assert not skipped


def test_cline_without_tool_blocks_tells_calls_in_texts(tmp_path: Path) -> None:
    texts = (
        "[execute_command for 'kiosk stock'] Result:",
        f"Command executed.\nOutput:\n{ERROR}",
        CWD,
    )
    result = [{"type": "text", "text": text} for text in texts]
    agent = {"role": "assistant", "content": "<execute_command>…"}
    log = [ANTHROPIC[0], agent, {"role": "user", "content": result}]
    write_task(tmp_path, "rooveterinaryinc.roo-cline", log)

    _, moments, _ = only(tmp_path, "cline")

    (step,) = steps(moments)
    assert (step.tool, step.args) == ("bash", "kiosk stock")
    assert said(moments)[:1] == [(USER, "Count the stock")]


def test_a_call_of_cline_with_several_commands_is_several_calls(tmp_path: Path) -> None:
    folder = tmp_path / ".cline" / "data" / "sessions" / "1793600000000_a"
    folder.mkdir(parents=True)
    (folder / "1793600000000_a.json").write_text('{"cwd": "/home/me/shop"}')
    entries = [
        {"query": "kiosk list", "result": "north", "success": True},
        {"query": "kiosk stock", "result": "", "error": ERROR, "success": False},
    ]
    made = {"commands": ["kiosk list", {"command": "kiosk stock"}]}
    calls = [
        {"type": "tool_use", "id": "t1", "name": "run_commands", "input": made},
        {"type": "tool_use", "id": "t2", "name": "run_commands", "input": {"commands": ["ls"]}},
    ]
    results = [
        {"type": "tool_result", "tool_use_id": "t1", "content": json.dumps(entries)},
        {"type": "tool_result", "tool_use_id": "t2", "content": "a.py", "is_error": False},
    ]
    log = [
        ANTHROPIC[0],
        {"role": "assistant", "content": calls},
        {"role": "user", "content": results},
    ]
    (folder / "1793600000000_a.messages.json").write_text(json.dumps({"messages": log}))

    found, moments, skipped = only(tmp_path, "cline")

    assert (found.id, found.cwd) == ("1793600000000_a", "/home/me/shop")
    assert steps(moments) == [
        Step("bash", "kiosk list", "north", failed=False),
        FAILED,
        Step("bash", "ls", "a.py", failed=False),
    ]
    assert not skipped


def test_goose_keeps_sessions_in_a_database(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    path = tmp_path / ".local" / "share" / "goose" / "sessions" / "sessions.db"
    path.parent.mkdir(parents=True)
    call = {"status": "success", "value": {"name": "developer__bash", "arguments": USE["input"]}}
    result = {"status": "error", "error": ERROR}
    rows: list[tuple[str, dict[str, Any]]] = [
        ("user", {"type": "text", "text": "Count the stock"}),
        ("assistant", {"type": "toolRequest", "id": "t1", "toolCall": call}),
        ("user", {"type": "toolResponse", "id": "t1", "toolResult": result}),
    ]
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("CREATE TABLE sessions (id TEXT, working_dir TEXT)")
        database.execute(
            "CREATE TABLE messages (id INTEGER PRIMARY KEY, session_id TEXT, role TEXT,"
            " content_json TEXT, created_timestamp INTEGER)"
        )
        database.execute("INSERT INTO sessions VALUES ('s1', '/home/me/shop')")
        for at, (role, part) in enumerate(rows):
            values = (at, "s1", role, json.dumps([part]), 1_793_600_000 + at)
            database.execute("INSERT INTO messages VALUES (?, ?, ?, ?, ?)", values)

    found, moments, skipped = only(tmp_path, "goose")

    assert (found.cwd, found.changed) == ("/home/me/shop", 1_793_600_002.0)
    assert steps(moments) == [FAILED]
    assert said(moments) == [(USER, "Count the stock")]
    assert not skipped


def test_a_document_that_is_too_long_or_broken_is_counted(tmp_path: Path) -> None:
    path = tmp_path / "broken.json"
    path.write_text('{"messages": [')
    skipped: Counter[str] = Counter()
    with hardwon.open(tmp_path / "hw") as hw:
        sessions = hw.agent("coder").sessions
        assert not list(sessions.import_runs(str(path), skipped))
        os.truncate(path, 65 * 1024 * 1024)
        assert not list(sessions.import_runs(str(path), skipped))
    assert skipped == {"torn": 1, "too long": 1}
