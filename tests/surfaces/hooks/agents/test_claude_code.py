"""Claude Code's events in our words, and our answers in its."""

from __future__ import annotations

from hardwon.surfaces.hooks.agents import Event, EventKind, HookReply, adapter

answer = adapter("claude-code").answer
read = adapter("claude-code").read


def test_an_event_is_read_with_all_its_fields() -> None:
    payload = {
        "hook_event_name": "PostToolUseFailure",
        "session_id": "s",
        "cwd": "/w",
        "tool_name": "Bash",
        "tool_input": {"command": "ls"},
        "error": "no",
        "tool_response": "yes",
    }

    assert read(payload) == Event(
        EventKind.FAILED,
        "PostToolUseFailure",
        "s",
        "/w",
        tool="Bash",
        args={"command": "ls"},
        output="no",
        takes_permission=True,
    )
    assert read({"hook_event_name": "Unknown"}) is None
    assert read({}, "Stop") == Event(
        EventKind.STOP, "Stop", can_be_asked=True, takes_permission=True
    )


def test_the_last_words_stand_where_there_is_no_prompt() -> None:
    stop = read({"hook_event_name": "Stop", "last_assistant_message": "done"})

    assert stop
    assert (stop.text, stop.is_nested) == ("done", False)


def test_nothing_is_answered_where_nothing_is_said() -> None:
    event = Event(EventKind.PROMPT, "UserPromptSubmit")

    assert answer(event, HookReply()) == {}
    assert answer(event, HookReply(note="n")) == {"systemMessage": "n"}
    assert answer(Event(EventKind.SESSION_END, "SessionEnd"), HookReply("x", "y", "n")) == {}


def test_context_and_denial_go_together() -> None:
    said = answer(Event(EventKind.BEFORE, "PreToolUse"), HookReply("x", "y"))

    assert said["hookSpecificOutput"] == {
        "hookEventName": "PreToolUse",
        "permissionDecision": "deny",
        "permissionDecisionReason": "y",
        "additionalContext": "x",
    }
