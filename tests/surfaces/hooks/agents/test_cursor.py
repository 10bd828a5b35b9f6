"""Cursor's events in our words, and our answers in its."""

from __future__ import annotations

from typing import Any

import pytest

from hardwon.surfaces.hooks.agents import Event, EventKind, HookReply, adapter

answer = adapter("cursor").answer
read = adapter("cursor").read


@pytest.mark.parametrize(
    ("payload", "cwd"),
    [
        ({"cwd": "/w", "workspace_roots": ["/r"]}, "/w"),
        ({"workspace_roots": ["/r", "/s"]}, "/r"),
        ({"workspace_roots": []}, ""),
        ({"workspace_roots": [3]}, ""),
        ({"workspace_roots": "/r"}, ""),
    ],
)
def test_the_folder_is_the_first_root_unless_one_is_named(payload: Any, cwd: str) -> None:
    event = read(payload, "stop")

    assert event
    assert event.cwd == cwd


def test_the_shell_is_called_bash_and_an_error_comes_before_an_output() -> None:
    payload = {"tool_name": "Shell", "error_message": "no", "tool_output": "yes"}
    event = read(payload, "postToolUseFailure")

    assert event
    assert (event.kind, event.tool, event.output) == (EventKind.FAILED, "bash", "no")
    assert read({"tool_name": "Read"}, "preToolUse") == Event(
        EventKind.BEFORE, "preToolUse", tool="Read"
    )
    assert read({}, "unknown") is None


def test_a_denial_comes_before_an_action_only() -> None:
    both = HookReply("x", "y")

    assert answer(Event(EventKind.BEFORE, "e"), both) == {
        "permission": "deny",
        "agent_message": "y",
    }
    assert answer(Event(EventKind.WORKED, "e"), both) == {"additional_context": "x"}
    assert answer(Event(EventKind.BEFORE, "e"), HookReply("x")) == {}
    assert answer(Event(EventKind.PROMPT, "e"), both) == {}
    assert answer(Event(EventKind.WORKED, "e"), HookReply()) == {}
