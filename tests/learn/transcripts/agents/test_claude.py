"""Transcripts of Claude Code."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hardwon import Step
from hardwon.learn.transcripts.transcript import AGENT, USER
from tests.learn.transcripts.one_session import FAILED, only, said, steps, write
from tests.learn.transcripts.transcripts import SESSION, Claude, tool_result


def test_claude_code_lines_become_words_and_steps(tmp_path: Path) -> None:
    talk = Claude(cwd="/home/me/shop").says("run the tests").agent("I will.")
    talk.act("Bash", {"command": "make test"}, "Exit code 2\n" + FAILED.output, failed=True)
    talk.raw('{"type":"attachment"}').raw('{"type":"brand-new"}').raw('"text"')
    talk.write(tmp_path)

    found, moments, skipped = only(tmp_path, "claude")

    assert found.id == SESSION
    assert found.folder == "-home-me-shop"
    assert said(moments) == [(USER, "run the tests"), (AGENT, "I will.")]
    assert steps(moments) == [Step("Bash", "make test", "Exit code 2\n" + FAILED.output, True)]
    assert skipped == {"unknown": 1, "odd": 1}


def test_what_a_machine_wrote_in_the_users_name_is_no_prompt(tmp_path: Path) -> None:
    talk = Claude().says("<command-name>/clear</command-name>").says("real words")
    talk.raw(json.dumps({"type": "user", "isMeta": True, "message": {"content": "meta"}}))
    talk.raw(json.dumps({"type": "user", "isSidechain": True, "message": {"content": "to helper"}}))
    talk.write(tmp_path)

    _, moments, _ = only(tmp_path, "claude")

    assert said(moments) == [(USER, "real words"), (AGENT, "to helper")]


def test_results_in_another_order_than_their_calls_are_joined_by_id(tmp_path: Path) -> None:
    calls = [
        {"type": "tool_use", "id": key, "name": "Bash", "input": {"command": f"run {key}"}}
        for key in "abc"
    ]
    results = [tool_result(key, f"out {key}", False) for key in "cab"]
    lines: list[Any] = [{"type": "assistant", "message": {"content": [call]}} for call in calls]
    lines += [{"type": "user", "message": {"content": [one]}} for one in results]
    lines.append({"type": "user", "message": {"content": [tool_result("zz", "?", False)]}})
    write(tmp_path / ".claude" / "projects" / "-p" / "s.jsonl", lines)

    _, moments, skipped = only(tmp_path, "claude")

    assert [(one.args, one.output) for one in steps(moments)] == [
        ("run c", "out c"),
        ("run a", "out a"),
        ("run b", "out b"),
    ]
    assert skipped == {"unasked": 1}
