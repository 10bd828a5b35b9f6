"""Gemini CLI: a failed command is a finished one whose text has an exit code."""

from __future__ import annotations

import re
from typing import Any

from hardwon.surfaces.hooks.events import Event, EventKind, HookReply
from hardwon.surfaces.hooks.payload import arguments, group, text, words

KINDS = {
    "SessionStart": EventKind.SESSION_START,
    "BeforeAgent": EventKind.PROMPT,
    "BeforeTool": EventKind.BEFORE,
    "AfterTool": EventKind.WORKED,
    "AfterAgent": EventKind.STOP,
    "SessionEnd": EventKind.SESSION_END,
    "PreCompress": EventKind.COMPACTION,
}
TAKES_CONTEXT = {EventKind.SESSION_START, EventKind.PROMPT, EventKind.WORKED, EventKind.FAILED}
_EXIT_CODE = r"(?m)^Exit Code: (\d{1,5})$"
_SHELL = "run_shell_command"
_OWN_CONTEXT = r"(?s)<hook_context>(?:(?!</?hook_context>).)*</hook_context>"


def read(payload: dict[str, Any], name: str = "") -> Event | None:
    """The event; the shell is called `bash` as in every agent, so that lessons apply in all."""
    name = text(payload, "hook_event_name") or name
    kind = KINDS.get(name)
    if kind is None:
        return None
    response = group(payload, "tool_response")
    printed = words(response.get("llmContent"))
    if kind == EventKind.WORKED and (response.get("error") or _exit_code(printed)):
        kind = EventKind.FAILED
    tool = text(payload, "tool_name")
    return Event(
        kind=kind,
        name=name,
        session=text(payload, "session_id"),
        cwd=text(payload, "cwd"),
        # The prompt includes the context injected at the start of the session.
        text=re.sub(_OWN_CONTEXT, "", text(payload, "prompt_response", "prompt", "source")).strip(),
        tool="bash" if tool == _SHELL else tool,
        args=arguments(payload, "tool_input"),
        output=words(response.get("error") or response.get("returnDisplay")) or printed,
        can_be_asked=name == "AfterAgent" and payload.get("stop_hook_active") is not True,
    )


def answer(event: Event, reply: HookReply) -> dict[str, Any]:
    """Context and a line for the person where accepted; before an action only a denial."""
    if event.kind == EventKind.BEFORE:
        return {"decision": "deny", "reason": reply.denial} if reply.denial else {}
    if reply.request:
        return {"decision": "deny", "reason": reply.request}
    if event.kind not in TAKES_CONTEXT:
        return {}
    output = {"hookEventName": event.name, "additionalContext": reply.context}
    note = {"systemMessage": reply.note} if reply.note else {}
    return note | ({"hookSpecificOutput": output} if reply.context else {})


def _exit_code(output: str) -> int:
    code = re.search(_EXIT_CODE, output)
    return int(code[1]) if code else 0
