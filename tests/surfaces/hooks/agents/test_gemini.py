"""Gemini CLI's events in our words, and our answers in its."""

from __future__ import annotations

from typing import Any

import pytest

from hardwon.surfaces.hooks.agents import Event, EventKind, HookReply, adapter

answer = adapter("gemini").answer
read = adapter("gemini").read


def done(response: Any, name: str = "AfterTool", tool: str = "run_shell_command") -> Event:
    event = read({"hook_event_name": name, "tool_name": tool, "tool_response": response})
    assert event
    return event


@pytest.mark.parametrize(
    ("response", "kind", "output"),
    [
        ({"llmContent": "Output: x\nExit Code: 2"}, EventKind.FAILED, "Output: x\nExit Code: 2"),
        ({"llmContent": "Output: x\nExit Code: 0"}, EventKind.WORKED, "Output: x\nExit Code: 0"),
        ({"llmContent": "see Exit Code: 2 there"}, EventKind.WORKED, "see Exit Code: 2 there"),
        ({"llmContent": "a", "error": "no"}, EventKind.FAILED, "no"),
        ({"llmContent": "a", "returnDisplay": "b"}, EventKind.WORKED, "b"),
    ],
)
def test_a_command_failed_when_its_text_names_a_code(response: Any, kind: str, output: str) -> None:
    event = done(response)

    assert (event.kind, event.output, event.tool) == (kind, output, "bash")
    assert done(response, tool="read_file").tool == "read_file"
    assert done(response, name="BeforeTool").kind == EventKind.BEFORE


def test_what_we_injected_is_no_part_of_the_prompt() -> None:
    event = read({"prompt": "do it <hook_context>ours\n</hook_context>"}, "BeforeAgent")

    assert event
    assert event.text == "do it"
    assert read({}, "Unknown") is None


def test_context_is_taken_at_some_events_only() -> None:
    reply = HookReply("x", "", "n")

    assert answer(Event(EventKind.BEFORE, "BeforeTool"), reply) == {}
    assert answer(Event(EventKind.STOP, "AfterAgent"), reply) == {}
    assert answer(Event(EventKind.PROMPT, "BeforeAgent"), reply) == {
        "systemMessage": "n",
        "hookSpecificOutput": {"hookEventName": "BeforeAgent", "additionalContext": "x"},
    }
    assert answer(Event(EventKind.PROMPT, "BeforeAgent"), HookReply()) == {}
