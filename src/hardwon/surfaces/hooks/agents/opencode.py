"""opencode: its events come from our own plugin (see `install`), so they need no translation."""

from __future__ import annotations

from typing import Any

from hardwon.surfaces.hooks.events import Event, EventKind, HookReply
from hardwon.surfaces.hooks.payload import arguments, text, words

KINDS = {
    EventKind.SESSION_START,
    EventKind.PROMPT,
    EventKind.BEFORE,
    EventKind.WORKED,
    EventKind.FAILED,
    EventKind.STOP,
    EventKind.SESSION_END,
    EventKind.COMPACTION,
}


def read(payload: dict[str, Any], name: str = "") -> Event | None:
    """The event as the plugin wrote it."""
    kind = text(payload, "kind") or name
    if kind not in KINDS:
        return None
    return Event(
        kind=kind,
        name=kind,
        session=text(payload, "session"),
        cwd=text(payload, "cwd"),
        text=text(payload, "text"),
        tool=text(payload, "tool"),
        args=arguments(payload, "args"),
        output=words(payload.get("output")),
        is_nested=payload.get("nested") is True,
        can_be_asked=kind == EventKind.STOP,
    )


def answer(event: Event, reply: HookReply) -> dict[str, Any]:
    """The reply unchanged; the plugin shows the line for the person."""
    fields = reply._asdict()
    return {key: value for key, value in fields.items() if value}
