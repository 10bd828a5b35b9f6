"""GitHub Copilot CLI: the event is named on the command line, exit codes stand in the text."""

from __future__ import annotations

from hardwon._cold import re
from hardwon.surfaces.hooks.events import Event, Kind, Reply
from hardwon.surfaces.hooks.payload import arguments, group, text, words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

KINDS = {
    "sessionStart": Kind.SESSION_START,
    "userPromptSubmitted": Kind.PROMPT,
    "preToolUse": Kind.BEFORE,
    "postToolUse": Kind.WORKED,
    "postToolUseFailure": Kind.FAILED,
    "agentStop": Kind.STOP,
    "subagentStop": Kind.STOP,
    "sessionEnd": Kind.SESSION_END,
    "preCompact": Kind.COMPACTION,
}
TAKES_CONTEXT = {Kind.SESSION_START, Kind.PROMPT, Kind.BEFORE, Kind.WORKED, Kind.FAILED}
_EXIT_CODE = r"completed with exit code (\d{1,5})>"


def read(payload: dict[str, Any], name: str = "") -> Event | None:
    """The event; a command that ended with a code other than 0 has failed."""
    kind = KINDS.get(name)
    if kind is None:
        return None
    result = group(payload, "toolResult")
    output = words(payload.get("error") or result.get("textResultForLlm"))
    if kind == Kind.WORKED and (result.get("resultType") == "failure" or _exit_code(output)):
        kind = Kind.FAILED
    return Event(
        kind=kind,
        name=name,
        session=text(payload, "sessionId"),
        cwd=text(payload, "cwd"),
        text=text(payload, "prompt", "initialPrompt"),
        tool=text(payload, "toolName"),
        args=arguments(payload, "toolArgs"),
        output=output,
    )


def answer(event: Event, reply: Reply) -> dict[str, Any]:
    """Context at every door, a denial before an action."""
    if event.kind not in TAKES_CONTEXT:
        return {}
    said = {"additionalContext": reply.context} if reply.context else {}
    if reply.denial:
        said |= {"permissionDecision": "deny", "permissionDecisionReason": reply.denial}
    return said


def _exit_code(output: str) -> int:
    found = re.findall(_EXIT_CODE, output)
    return int(found[-1]) if found else 0
