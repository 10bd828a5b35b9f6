"""Chats of Gemini CLI."""

from __future__ import annotations

import json
from pathlib import Path

from hardwon.learn.transcripts.agents import KINDS, kind_of, read
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


def test_chats_of_older_programs_and_of_sub_agents_are_found(tmp_path: Path) -> None:
    told = f"<untrusted_context>\nOutput: {FAILED.output}\nExit Code: 2\n</untrusted_context>"
    call = {
        "id": "c1",
        "name": "run_shell_command",
        "args": {"command": "make test"},
        "status": "success",
        "result": [{"functionResponse": {"response": {"output": told}}}],
        "resultDisplay": FAILED.output,
    }
    messages = [
        {"id": "m1", "timestamp": TIME, "type": "user", "content": "test"},
        {
            "id": "m2",
            "timestamp": TIME,
            "type": "gemini",
            "content": "I will.",
            "toolCalls": [call],
        },
    ]
    head = {"sessionId": SESSION, "projectHash": "x", "startTime": TIME}
    chats = tmp_path / ".gemini" / "tmp" / "shop" / "chats"
    write(chats / SESSION / "helper.jsonl", [head, *messages])
    (chats / "session-1.json").write_text(json.dumps({**head, "messages": messages}, indent=2))
    (chats.parent / ".project_root").write_text("/home/me/shop")

    found = [*KINDS["gemini"].find(str(tmp_path))]

    assert [one.is_subagent for one in found] == [False, True]
    for one in found:
        reading = read(one)
        moments = list(reading.moments())
        assert (one.cwd, reading.about.id, kind_of(one.path)) == (
            "/home/me/shop",
            SESSION,
            "gemini",
        )
        assert said(moments) == [(USER, "test"), (AGENT, "I will.")]
        assert steps(moments) == [FAILED]
        assert not reading.skipped
