"""Each agent's transcript becomes the same words."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon import Step
from hardwon.learn.transcripts.agents import KINDS, read
from hardwon.learn.transcripts.location import SessionPlace
from hardwon.learn.transcripts.transcript import AGENT, USER, FinishedCall, Message, Moment, Reading
from tests.learn.transcripts.transcripts import SESSION, TIME, Claude, tool_result

FAILED = Step("bash", "make test", "make: *** No rule to make target 'test'.  Stop.", failed=True)


def _only(home: Path, agent: str) -> tuple[SessionPlace, list[Moment], Counter[str]]:
    (found,) = KINDS[agent].find(str(home))
    reading = read(found)
    moments = list(reading.moments())
    return found, moments, reading.skipped


def _write(path: Path, records: list[Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(one) + "\n" for one in records), encoding="utf-8")


def _said(moments: list[Moment]) -> list[tuple[str, str]]:
    return [(one.who, one.text) for one in moments if isinstance(one, Message)]


def _steps(moments: list[Moment]) -> list[Step]:
    return [one.step for one in moments if isinstance(one, FinishedCall)]


def test_claude_code_lines_become_words_and_steps(tmp_path: Path) -> None:
    talk = Claude(cwd="/home/me/shop").says("run the tests").agent("I will.")
    talk.act("Bash", {"command": "make test"}, "Exit code 2\n" + FAILED.output, failed=True)
    talk.raw('{"type":"attachment"}').raw('{"type":"brand-new"}').raw('"text"')
    talk.write(tmp_path)

    found, moments, skipped = _only(tmp_path, "claude")

    assert found.id == SESSION
    assert found.folder == "-home-me-shop"
    assert _said(moments) == [(USER, "run the tests"), (AGENT, "I will.")]
    assert _steps(moments) == [Step("Bash", "make test", "Exit code 2\n" + FAILED.output, True)]
    assert skipped == {"unknown": 1, "odd": 1}


def test_what_a_machine_wrote_in_the_users_name_is_no_prompt(tmp_path: Path) -> None:
    talk = Claude().says("<command-name>/clear</command-name>").says("real words")
    talk.raw(json.dumps({"type": "user", "isMeta": True, "message": {"content": "meta"}}))
    talk.raw(json.dumps({"type": "user", "isSidechain": True, "message": {"content": "to helper"}}))
    talk.write(tmp_path)

    _, moments, _ = _only(tmp_path, "claude")

    assert _said(moments) == [(USER, "real words"), (AGENT, "to helper")]


def test_results_in_another_order_than_their_calls_are_joined_by_id(tmp_path: Path) -> None:
    calls = [
        {"type": "tool_use", "id": key, "name": "Bash", "input": {"command": f"run {key}"}}
        for key in "abc"
    ]
    results = [tool_result(key, f"out {key}", False) for key in "cab"]
    lines: list[Any] = [{"type": "assistant", "message": {"content": [call]}} for call in calls]
    lines += [{"type": "user", "message": {"content": [one]}} for one in results]
    lines.append({"type": "user", "message": {"content": [tool_result("zz", "?", False)]}})
    _write(tmp_path / ".claude" / "projects" / "-p" / "s.jsonl", lines)

    _, moments, skipped = _only(tmp_path, "claude")

    assert [(one.args, one.output) for one in _steps(moments)] == [
        ("run c", "out c"),
        ("run a", "out a"),
        ("run b", "out b"),
    ]
    assert skipped == {"unasked": 1}


def test_the_older_place_and_the_sub_agents_are_found_too(tmp_path: Path) -> None:
    Claude().says("old").write(tmp_path, session="old", older=True)
    base = tmp_path / ".claude"
    _write(base / "projects" / "-p" / SESSION / "subagents" / "agent-1.jsonl", [])
    _write(base / "sessions" / "user-level.jsonl", [])

    found = {one.id: one for one in KINDS["claude"].find(str(tmp_path))}

    assert set(found) == {"old", "agent-1", "user-level"}
    assert found["agent-1"].is_subagent
    assert found["user-level"].folder == ""


def test_a_link_that_leads_out_of_the_tree_is_not_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside.jsonl"
    outside.write_text("{}\n", encoding="utf-8")
    folder = tmp_path / "home" / ".claude" / "projects" / "-p"
    folder.mkdir(parents=True)
    (folder / "leak.jsonl").symlink_to(outside)

    assert not list(KINDS["claude"].find(str(tmp_path / "home")))


def test_codex_rollouts_tell_failures_by_their_exit_code(tmp_path: Path) -> None:
    def item(**payload: Any) -> dict[str, Any]:
        return {"timestamp": TIME, "type": "response_item", "payload": payload}

    shell = json.dumps({"command": ["bash", "-lc", "make test"]})
    output = f"Chunk ID: 1\nProcess exited with code 2\nOutput:\n{FAILED.output}"
    path = tmp_path / ".codex" / "sessions" / "2026" / "11" / "15" / f"rollout-x-{SESSION}.jsonl"
    meta = {"id": SESSION, "cwd": "/home/me/shop"}
    context = {"type": "input_text", "text": "<environment_context>x</environment_context>"}
    _write(
        path,
        [
            {"timestamp": TIME, "type": "session_meta", "payload": meta},
            item(type="message", role="user", content=[context]),
            item(type="message", role="user", content=[{"type": "input_text", "text": "test"}]),
            item(type="function_call", name="shell", arguments=shell, call_id="1"),
            item(type="function_call_output", call_id="1", output=output),
            item(type="message", role="assistant", content=[{"type": "output_text", "text": "ok"}]),
            {"timestamp": TIME, "type": "event_msg", "payload": {}},
        ],
    )

    found, moments, skipped = _only(tmp_path, "codex")

    assert found.id == SESSION
    assert _said(moments) == [(USER, "test"), (AGENT, "ok")]
    assert _steps(moments) == [FAILED._replace(output=output)]
    assert not skipped


def test_gemini_messages_that_grow_are_told_once(tmp_path: Path) -> None:
    call = {"id": "c1", "name": "run_shell_command", "args": {"command": "make test"}}
    answer = {"functionResponse": {"response": {"output": f"{FAILED.output}\nExit Code: 2"}}}
    ended = {**call, "status": "success", "result": [answer]}
    message = {"id": "m2", "timestamp": TIME, "type": "gemini", "content": "I will."}
    folder = tmp_path / ".gemini" / "tmp" / "shop"
    _write(
        folder / "chats" / "session-1.jsonl",
        [
            {"sessionId": SESSION, "projectHash": "x", "startTime": TIME},
            {"id": "m1", "timestamp": TIME, "type": "user", "content": [{"text": "test"}]},
            {**message, "toolCalls": [{**call, "status": "executing"}]},
            {**message, "toolCalls": [ended]},
            {**message, "toolCalls": [ended]},
            {"$set": {"lastUpdated": TIME}},
        ],
    )
    (folder / ".project_root").write_text("/home/me/shop", encoding="utf-8")

    found, moments, skipped = _only(tmp_path, "gemini")

    assert found.cwd == "/home/me/shop"
    assert _said(moments) == [(USER, "test"), (AGENT, "I will.")]
    assert [(step.args, step.failed) for step in _steps(moments)] == [("make test", True)]
    assert not skipped


def test_copilot_events_are_joined_by_the_call(tmp_path: Path) -> None:
    start = {"toolCallId": "1", "toolName": "bash", "arguments": {"command": "make test"}}
    text = f"{FAILED.output}\n<shellId: 0 completed with exit code 2>"
    end = {"toolCallId": "1", "success": True, "result": {"content": text}}
    begin = {"sessionId": SESSION, "context": {"cwd": "/home/me/shop"}}
    told = [
        ("session.start", begin),
        ("user.message", {"content": "test"}),
        ("assistant.message", {"content": "I will.", "toolRequests": []}),
        ("tool.execution_start", start),
        ("hook.start", {}),
        ("tool.execution_complete", end),
        ("from.the.future", {}),
    ]
    records = [{"type": kind, "data": data, "timestamp": TIME} for kind, data in told]
    _write(tmp_path / ".copilot" / "session-state" / SESSION / "events.jsonl", records)

    found, moments, skipped = _only(tmp_path, "copilot")

    assert found.id == SESSION
    assert _said(moments) == [(USER, "test"), (AGENT, "I will.")]
    assert _steps(moments) == [FAILED._replace(output=text)]
    assert skipped == {"unknown": 1}


@pytest.mark.parametrize("folder", ["home", "odd #1? home"])
def test_opencode_sessions_are_read_from_its_database(tmp_path: Path, folder: str) -> None:
    tmp_path = tmp_path / folder
    path = tmp_path / ".local" / "share" / "opencode" / "opencode.db"
    path.parent.mkdir(parents=True)
    state = {
        "status": "completed",
        "input": {"command": "make test"},
        "output": FAILED.output,
        "metadata": {"exit": 2},
    }
    parts = [
        ("m1", {"type": "text", "text": "test"}),
        ("m2", {"type": "step-start"}),
        ("m2", {"type": "tool", "tool": "bash", "callID": "c1", "state": state}),
        ("m2", {"type": "text", "text": "It failed."}),
    ]
    with sqlite3.connect(path) as database:
        database.executescript(
            "CREATE TABLE session (id, directory, time_updated);"
            "CREATE TABLE message (id, session_id, time_created, data);"
            "CREATE TABLE part (id, message_id, session_id, data);"
        )
        database.execute("INSERT INTO session VALUES ('ses_1', '/home/me/shop', 1700000000000)")
        for at, (key, role) in enumerate((("m1", "user"), ("m2", "assistant"))):
            row = (key, "ses_1", at, json.dumps({"role": role}))
            database.execute("INSERT INTO message VALUES (?, ?, ?, ?)", row)
        for at, (key, part) in enumerate(parts):
            row = (f"p{at}", key, "ses_1", json.dumps(part))  # type: ignore[assignment]
            database.execute("INSERT INTO part VALUES (?, ?, ?, ?)", row)
    database.close()

    found, moments, skipped = _only(tmp_path, "opencode")

    assert (found.id, found.cwd) == ("ses_1", "/home/me/shop")
    assert _said(moments) == [(USER, "test"), (AGENT, "It failed.")]
    assert _steps(moments) == [FAILED]
    assert not skipped


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=10),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["type", "message", "content", "payload", "data", "id", "toolCalls", "role", "text"]
            ),
            inner
            | st.sampled_from(["user", "assistant", "tool_use", "tool_result", "response_item"]),
            max_size=5,
        )
    ),
    max_leaves=12,
)


@pytest.mark.parametrize("agent", sorted(KINDS))
@given(records=st.lists(JSON, max_size=5))
def test_no_record_of_another_shape_breaks_a_parser(agent: str, records: list[Any]) -> None:
    reading = Reading(KINDS[agent].parser(), enumerate(records, 1), Counter())

    list(reading.moments())

    assert reading.lines == len(records)
