"""Chats of Gemini CLI."""

from __future__ import annotations

from pathlib import Path

from hardwon.learn.transcripts.transcript import AGENT, USER
from tests.learn.transcripts.one_session import FAILED, only, said, steps, write
from tests.learn.transcripts.transcripts import SESSION, TIME


def test_gemini_messages_that_grow_are_told_once(tmp_path: Path) -> None:
    call = {"id": "c1", "name": "run_shell_command", "args": {"command": "make test"}}
    answer = {"functionResponse": {"response": {"output": f"{FAILED.output}\nExit Code: 2"}}}
    ended = {**call, "status": "success", "result": [answer]}
    message = {"id": "m2", "timestamp": TIME, "type": "gemini", "content": "I will."}
    folder = tmp_path / ".gemini" / "tmp" / "shop"
    write(
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

    found, moments, skipped = only(tmp_path, "gemini")

    assert found.cwd == "/home/me/shop"
    assert said(moments) == [(USER, "test"), (AGENT, "I will.")]
    assert [(step.args, step.failed) for step in steps(moments)] == [("make test", True)]
    assert not skipped
