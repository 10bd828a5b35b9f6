"""Rollouts of Codex."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hardwon.learn.transcripts.transcript import AGENT, USER
from tests.learn.transcripts.one_session import FAILED, only, said, steps, write
from tests.learn.transcripts.transcripts import SESSION, TIME


def test_codex_rollouts_tell_failures_by_their_exit_code(tmp_path: Path) -> None:
    def item(**payload: Any) -> dict[str, Any]:
        return {"timestamp": TIME, "type": "response_item", "payload": payload}

    shell = json.dumps({"command": ["bash", "-lc", "make test"]})
    output = (
        f"Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 2\nOutput:\n{FAILED.output}"
    )
    path = tmp_path / ".codex" / "sessions" / "2026" / "11" / "15" / f"rollout-x-{SESSION}.jsonl"
    meta = {"id": SESSION, "cwd": "/home/me/shop"}
    context = {"type": "input_text", "text": "<environment_context>x</environment_context>"}
    write(
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

    found, moments, skipped = only(tmp_path, "codex")

    assert found.id == SESSION
    assert said(moments) == [(USER, "test"), (AGENT, "ok")]
    assert steps(moments) == [FAILED]
    assert not skipped
