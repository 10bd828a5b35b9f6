"""Cursor, by its documentation: context at the start and after actions, a reason with a denial."""

from __future__ import annotations

from typing import Any

from hardwon.surfaces.hooks.events import Event, EventKind, HookReply
from hardwon.surfaces.hooks.payload import arguments, text, words

KINDS = {
    "sessionStart": EventKind.SESSION_START,
    "beforeSubmitPrompt": EventKind.PROMPT,
    "preToolUse": EventKind.BEFORE,
    "postToolUse": EventKind.WORKED,
    "postToolUseFailure": EventKind.FAILED,
    "stop": EventKind.STOP,
    "subagentStop": EventKind.STOP,
    "sessionEnd": EventKind.SESSION_END,
    "preCompact": EventKind.COMPACTION,
}
TAKES_CONTEXT = {EventKind.SESSION_START, EventKind.WORKED, EventKind.FAILED}


def read(payload: dict[str, Any], name: str = "") -> Event | None:
    """The event; the folder is the first root of the workspace unless one is named."""
    name = text(payload, "hook_event_name") or name
    kind = KINDS.get(name)
    if kind is None:
        return None
    roots = payload.get("workspace_roots")
    first = roots[0] if isinstance(roots, list) and roots and isinstance(roots[0], str) else ""
    tool = text(payload, "tool_name")
    return Event(
        kind=kind,
        name=name,
        session=text(payload, "conversation_id", "session_id"),
        cwd=text(payload, "cwd") or first,
        text=text(payload, "prompt"),
        tool="bash" if tool == "Shell" else tool,
        args=arguments(payload, "tool_input"),
        output=words(payload.get("error_message") or payload.get("tool_output")),
    )


def answer(event: Event, reply: HookReply) -> dict[str, Any]:
    """Context where Cursor accepts it; a denial has its reason."""
    if event.kind == EventKind.BEFORE and reply.denial:
        return {"permission": "deny", "agent_message": reply.denial}
    if event.kind in TAKES_CONTEXT and reply.context:
        return {"additional_context": reply.context}
    return {}
