"""Sessions of pi (shortened from the real program) and of Kimi CLI (as its documents say)."""

from __future__ import annotations

import json
from hashlib import md5
from pathlib import Path
from typing import Any

from hardwon.learn.transcripts.agents import kind_of, read
from hardwon.learn.transcripts.transcript import AGENT, USER
from tests.learn.transcripts.one_session import FAILED, only, said, steps, write
from tests.learn.transcripts.transcripts import SESSION, TIME


def entry(number: int, **message: Any) -> dict[str, Any]:
    return {"type": "message", "id": f"{number:08x}", "timestamp": TIME, "message": message}


def test_pi_sessions_are_read_and_what_the_person_ran_counts(tmp_path: Path) -> None:
    call = {
        "type": "toolCall",
        "id": "call_0",
        "name": "bash",
        "arguments": {"command": "make test"},
    }
    output = [{"type": "text", "text": FAILED.output}]
    answer = [{"type": "thinking", "thinking": "Hm"}, {"type": "text", "text": "It failed."}]
    path = tmp_path / ".pi" / "agent" / "sessions" / "--home-me-shop--" / f"2026_{SESSION}.jsonl"
    write(
        path,
        [
            {
                "type": "session",
                "version": 3,
                "id": SESSION,
                "timestamp": TIME,
                "cwd": "/home/me/shop",
            },
            {"type": "model_change", "id": "a", "timestamp": TIME, "provider": "own"},
            entry(1, role="user", content=[{"type": "text", "text": "test"}]),
            entry(2, role="assistant", content=[call], stopReason="toolUse"),
            entry(3, role="toolResult", toolCallId="call_0", content=output, isError=True),
            entry(4, role="bashExecution", command="make check", output="12 passed", exitCode=0),
            entry(5, role="assistant", content=answer),
            {"type": "hologram"},
        ],
    )

    found, moments, skipped = only(tmp_path, "pi")

    reading = read(found)
    list(reading.moments())
    assert (found.id, reading.about.cwd) == (SESSION, "/home/me/shop")
    assert kind_of(str(path)) == "pi"
    assert said(moments) == [(USER, "test"), (AGENT, "It failed.")]
    assert [(step.args, step.failed) for step in steps(moments)] == [
        ("make test", True),
        ("make check", False),
    ]
    assert skipped == {"unknown": 1}


def test_kimi_sessions_are_read_with_the_folder_of_its_index(tmp_path: Path) -> None:
    function = {"name": "Shell", "arguments": json.dumps({"command": "make test"})}
    call = {"type": "function", "id": "tool_0", "function": function}
    digest = md5(b"/home/me/shop", usedforsecurity=False).hexdigest()
    write(tmp_path / ".kimi" / "kimi.json", [{"work_dirs": [{"path": "/home/me/shop"}]}])
    write(
        tmp_path / ".kimi" / "sessions" / digest / SESSION / "context.jsonl",
        [
            {"role": "_system_prompt", "content": "You are"},
            {"role": "_checkpoint", "id": 0},
            {"role": "user", "content": [{"type": "text", "text": "[urgent] test"}]},
            {
                "role": "assistant",
                "content": [{"type": "text", "text": "I will."}],
                "tool_calls": [call],
            },
            {
                "role": "tool",
                "content": [{"type": "text", "text": FAILED.output}],
                "tool_call_id": "tool_0",
            },
            {"role": "_usage", "token_count": 12},
        ],
    )

    found, moments, skipped = only(tmp_path, "kimi")

    assert (found.id, found.cwd) == (SESSION, "/home/me/shop")
    assert said(moments) == [(USER, "[urgent] test"), (AGENT, "I will.")]
    assert [(step.args, step.failed) for step in steps(moments)] == [("make test", True)]
    assert not skipped
