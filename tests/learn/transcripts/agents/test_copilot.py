"""Events of GitHub Copilot CLI."""

from __future__ import annotations

from pathlib import Path

from hardwon.learn.transcripts.transcript import AGENT, USER
from tests.learn.transcripts.one_session import FAILED, only, said, steps, write
from tests.learn.transcripts.transcripts import SESSION, TIME


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
    write(tmp_path / ".copilot" / "session-state" / SESSION / "events.jsonl", records)

    found, moments, skipped = only(tmp_path, "copilot")

    assert found.id == SESSION
    assert said(moments) == [(USER, "test"), (AGENT, "I will.")]
    assert steps(moments) == [FAILED._replace(output=text)]
    assert skipped == {"unknown": 1}
