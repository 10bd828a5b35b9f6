"""GitHub Copilot CLI: the event is named on the command line, exit codes are in the text."""

from __future__ import annotations

import re
from typing import Any

from hardwon.surfaces.hooks.events import Event, EventKind, HookReply
from hardwon.surfaces.hooks.payload import arguments, group, text, words

KINDS = {
    "sessionStart": EventKind.SESSION_START,
    "userPromptSubmitted": EventKind.PROMPT,
    "preToolUse": EventKind.BEFORE,
    "postToolUse": EventKind.WORKED,
    "postToolUseFailure": EventKind.FAILED,
    "agentStop": EventKind.STOP,
    "subagentStop": EventKind.STOP,
    "sessionEnd": EventKind.SESSION_END,
    "preCompact": EventKind.COMPACTION,
}
TAKES_CONTEXT = {
    EventKind.SESSION_START,
    EventKind.PROMPT,
    EventKind.BEFORE,
    EventKind.WORKED,
    EventKind.FAILED,
}
_EXIT_CODE = r"completed with exit code (\d{1,5})>"


def read(payload: dict[str, Any], name: str = "") -> Event | None:
    """The event; a command that ended with a code other than 0 has failed."""
    kind = KINDS.get(name)
    if kind is None:
        return None
    result = group(payload, "toolResult")
    output = words(payload.get("error") or result.get("textResultForLlm"))
    if kind == EventKind.WORKED and (result.get("resultType") == "failure" or _exit_code(output)):
        kind = EventKind.FAILED
    return Event(
        kind=kind,
        name=name,
        session=text(payload, "sessionId"),
        cwd=text(payload, "cwd"),
        text=text(payload, "prompt", "source", "initialPrompt"),
        tool=text(payload, "toolName"),
        args=arguments(payload, "toolArgs"),
        output=output,
        can_be_asked=name == "agentStop" and payload.get("stop_hook_active") is not True,
    )


def answer(event: Event, reply: HookReply) -> dict[str, Any]:
    """Context at every door, a denial before an action, a request when it stops."""
    if reply.request:
        return {"decision": "block", "reason": reply.request}
    if event.kind not in TAKES_CONTEXT:
        return {}
    output = {"additionalContext": reply.context} if reply.context else {}
    if reply.denial:
        output |= {"permissionDecision": "deny", "permissionDecisionReason": reply.denial}
    return output


def _exit_code(output: str) -> int:
    codes = re.findall(_EXIT_CODE, output)
    return int(codes[-1]) if codes else 0
