"""Qwen Code speaks as Claude Code does, with the tools of Gemini CLI."""

from __future__ import annotations

from typing import Any

import pytest

from hardwon.surfaces.hooks.agents import Event, EventKind, HookReply, adapter

answer = adapter("qwen").answer
read = adapter("qwen").read

REPORT = "Command: make\nDirectory: (root)\nOutput: line 1\nline 2\nError: (none)\nExit Code: 1"


def event(name: str, **more: Any) -> Event:
    found = read({"hook_event_name": name, "session_id": "s", **more})
    assert found is not None
    return found


def test_an_unknown_event_is_none() -> None:
    assert read({"hook_event_name": "Future"}) is None


@pytest.mark.parametrize(("prompt", "kind"), [("do it", EventKind.PROMPT), ("", EventKind.BATCH)])
def test_a_prompt_without_words_is_the_result_of_tools(prompt: str, kind: str) -> None:
    assert event("UserPromptSubmit", prompt=prompt).kind == kind


def test_a_command_is_known_by_what_it_printed() -> None:
    ran = event("PostToolUse", tool_name="run_shell_command", tool_response=REPORT)
    bare = event("PostToolUse", tool_name="run_shell_command", tool_response="done")
    other = event("PostToolUse", tool_name="read_file", tool_response=REPORT)

    assert (ran.tool, ran.output) == ("bash", "line 1\nline 2")
    assert (bare.tool, bare.output) == ("bash", "done")
    assert (other.tool, other.output) == ("read_file", REPORT)


def test_before_an_action_only_a_denial_is_told() -> None:
    before, after = event("PreToolUse", tool_name="x"), event("PostToolUse", tool_name="x")

    assert answer(before, HookReply("context")) == {}
    denied = answer(before, HookReply("context", "no"))["hookSpecificOutput"]
    assert denied["permissionDecisionReason"] == "no"
    assert "additionalContext" not in denied
    assert answer(after, HookReply("context"))["hookSpecificOutput"]["additionalContext"]
