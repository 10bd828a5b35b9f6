"""Claude Code. Failures have their own event; context is accepted at every door."""

from __future__ import annotations

from typing import Any

from hardwon.surfaces.hooks.events import Event, EventKind, HookReply
from hardwon.surfaces.hooks.payload import arguments, text, words

KINDS = {
    "SessionStart": EventKind.SESSION_START,
    "UserPromptSubmit": EventKind.PROMPT,
    "PreToolUse": EventKind.BEFORE,
    "PostToolUse": EventKind.WORKED,
    "PostToolUseFailure": EventKind.FAILED,
    "PostToolBatch": EventKind.BATCH,
    "Stop": EventKind.STOP,
    "SubagentStop": EventKind.STOP,
    "SessionEnd": EventKind.SESSION_END,
    "PreCompact": EventKind.COMPACTION,
}
TAKES_CONTEXT = {
    EventKind.SESSION_START,
    EventKind.PROMPT,
    EventKind.BEFORE,
    EventKind.WORKED,
    EventKind.FAILED,
    EventKind.BATCH,
}


def read(payload: dict[str, Any], name: str = "") -> Event | None:
    """The event; `agent_id` is present only in a sub-agent, which has its own run."""
    name = text(payload, "hook_event_name") or name
    kind = KINDS.get(name)
    if kind is None:
        return None
    nested = text(payload, "agent_id")
    return Event(
        kind=kind,
        name=name,
        session=text(payload, "session_id") + (f".{nested}" if nested else ""),
        cwd=text(payload, "cwd"),
        text=text(payload, "prompt", "last_assistant_message", "source"),
        tool=text(payload, "tool_name"),
        args=arguments(payload, "tool_input"),
        output=words(payload.get("error") or payload.get("tool_response")),
        is_nested=bool(nested),
        can_be_asked=name == "Stop" and payload.get("stop_hook_active") is not True,
        takes_permission=True,
    )


def answer(event: Event, reply: HookReply) -> dict[str, Any]:
    """Context where the agent accepts it; at a stop only a request, which makes it continue."""
    if reply.request:
        return {"decision": "block", "reason": reply.request}
    if event.kind not in TAKES_CONTEXT:
        return {}
    output: dict[str, str] = {}
    if reply.denial:
        output |= {"permissionDecision": "deny", "permissionDecisionReason": reply.denial}
    elif reply.is_allowed:
        output["permissionDecision"] = "allow"
    if reply.context:
        output["additionalContext"] = reply.context
    note = {"systemMessage": reply.note} if reply.note else {}
    return note | ({"hookSpecificOutput": {"hookEventName": event.name} | output} if output else {})
