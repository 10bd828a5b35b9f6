"""opencode's events come from our own plugin and are taken as they are."""

from __future__ import annotations

from hardwon.surfaces.hooks.agents import Event, EventKind, HookReply, adapter

answer = adapter("opencode").answer
read = adapter("opencode").read


def test_an_event_is_read_as_the_plugin_wrote_it() -> None:
    payload = {"kind": "prompt", "session": "s", "cwd": "/w", "text": "do", "nested": True}

    assert read(payload, "stop") == Event(
        EventKind.PROMPT, "prompt", "s", "/w", "do", is_nested=True
    )
    assert read({**payload, "nested": 1}) == Event(EventKind.PROMPT, "prompt", "s", "/w", "do")
    assert read({"kind": "unknown"}) is None
    assert read({}, "stop") == Event(EventKind.STOP, "stop", can_be_asked=True)


def test_only_what_is_said_is_answered() -> None:
    event = Event(EventKind.STOP, "stop")

    assert answer(event, HookReply()) == {}
    assert answer(event, HookReply("x", note="n")) == {"context": "x", "note": "n"}
