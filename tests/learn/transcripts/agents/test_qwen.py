"""Chats of Qwen Code (as its source says), with the reports that its hooks were recorded with."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hardwon import Step
from hardwon.learn.transcripts.agents import KINDS, kind_of, read
from hardwon.learn.transcripts.transcript import AGENT, USER
from tests.learn.transcripts.one_session import FAILED, only, said, steps, write
from tests.learn.transcripts.transcripts import SESSION, TIME

_REPORT = (
    "Command: {}\nDirectory: (root)\nOutput: {}\nError: (none)\nExit Code: {}\nSignal: (none)\n"
    "Process Group PGID: (none)"
)


def entry(kind: str, *parts: Any, **more: Any) -> dict[str, Any]:
    common = {"sessionId": SESSION, "timestamp": TIME, "cwd": "/home/me/shop", "version": "0.24.4"}
    return {**common, "type": kind, "message": {"parts": [*parts]}, **more}


def call(key: str, command: str) -> dict[str, Any]:
    args = {"command": command, "is_background": False}
    return {"functionCall": {"id": key, "name": "run_shell_command", "args": args}}


def answer(key: str, **response: str) -> dict[str, Any]:
    return {"functionResponse": {"id": key, "name": "run_shell_command", "response": response}}


def test_qwen_chats_hold_parts_and_the_reports_of_commands(tmp_path: Path) -> None:
    report = _REPORT.format("make test", FAILED.output, 2)
    worked = _REPORT.format("make check", "12 passed", 0)
    path = tmp_path / ".qwen" / "projects" / "-home-me-shop" / "chats" / f"{SESSION}.jsonl"
    write(
        path,
        [
            entry("user", {"text": "test"}),
            {"type": "system", "subtype": "ui_telemetry", "systemPayload": {}},
            entry("assistant", {"text": "Hm", "thought": True}, {"text": "I will."}),
            entry("assistant", call("c1", "make test"), call("c2", "make check")),
            entry("tool_result", answer("c1", error=report), toolCallResult={"status": "error"}),
            entry("tool_result", answer("c2", output=worked), toolCallResult={"callId": "c2"}),
            entry("user", {"text": "A task has ended."}, subtype="notification"),
            entry("hologram"),
        ],
    )

    found, moments, skipped = only(tmp_path, "qwen")

    reading = read(found)
    list(reading.moments())
    assert (found.id, reading.about.cwd, kind_of(str(path))) == (SESSION, "/home/me/shop", "qwen")
    assert said(moments) == [(USER, "test"), (AGENT, "I will.")]
    assert steps(moments) == [FAILED, Step("bash", "make check", "12 passed", failed=False)]
    assert skipped == {"unknown": 1}


def test_a_sub_agent_of_qwen_has_a_session_of_its_own(tmp_path: Path) -> None:
    folder = tmp_path / ".qwen" / "projects" / "-home-me-shop" / "subagents" / SESSION
    told = {"isSidechain": True, "agentId": "explore-7f"}
    call_without_id = {"functionCall": {"name": "read_file", "args": {"path": "a.py"}}}
    result = {"functionResponse": {"name": "read_file", "response": {"output": "x = 1"}}}
    write(
        folder / "agent-explore-7f.jsonl",
        [
            entry("user", {"text": "Look"}, **told),
            entry("assistant", call_without_id, **told),
            entry("tool_result", result, **told),
        ],
    )

    (found,) = KINDS["qwen"].find(str(tmp_path))
    reading = read(found)
    moments = list(reading.moments())

    assert found.is_subagent
    assert reading.about.id == f"{SESSION}.explore-7f"
    assert [(step.tool, step.output) for step in steps(moments)] == [("read_file", "x = 1")]
    assert not said(moments)
