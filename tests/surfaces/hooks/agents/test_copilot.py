"""GitHub Copilot CLI's events in our words, and our answers in its."""

from __future__ import annotations

from typing import Any

import pytest

from hardwon.surfaces.hooks.agents import Event, EventKind, HookReply, adapter

answer = adapter("copilot").answer
read = adapter("copilot").read


@pytest.mark.parametrize(
    ("result", "kind"),
    [
        ({"resultType": "failure", "textResultForLlm": "x"}, EventKind.FAILED),
        ({"resultType": "success", "textResultForLlm": "x"}, EventKind.WORKED),
        ({"textResultForLlm": "<command completed with exit code 3>"}, EventKind.FAILED),
        ({"textResultForLlm": "<command completed with exit code 0>"}, EventKind.WORKED),
        (
            {"textResultForLlm": "completed with exit code 3>\ncompleted with exit code 0>"},
            EventKind.WORKED,
        ),
        ("x", EventKind.WORKED),
    ],
)
def test_a_call_failed_when_its_result_says_so(result: Any, kind: str) -> None:
    event = read({"toolResult": result}, "postToolUse")
    before = read({"toolResult": result}, "preToolUse")

    assert event
    assert before
    assert (event.kind, before.kind) == (kind, EventKind.BEFORE)


def test_the_event_is_named_on_the_command_line() -> None:
    payload = {"sessionId": "s", "cwd": "/w", "initialPrompt": "do", "toolArgs": '{"a": 1}'}

    assert read(payload, "sessionStart") == Event(
        EventKind.SESSION_START, "sessionStart", "s", "/w", "do", args={"a": 1}
    )
    assert read(payload, "unknown") is None


def test_nothing_is_answered_at_the_end() -> None:
    assert answer(Event(EventKind.SESSION_END, "sessionEnd"), HookReply("x", "y")) == {}
    assert answer(Event(EventKind.PROMPT, "x"), HookReply()) == {}
