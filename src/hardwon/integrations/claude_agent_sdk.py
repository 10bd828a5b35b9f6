"""Claude Agent SDK: `ClaudeAgentOptions(hooks=hooks(agent))`; turns, actions and errors."""

from __future__ import annotations

from typing import Any

from claude_agent_sdk import HookMatcher

from hardwon import Agent
from hardwon.integrations.recorder import Recorder


def hooks(agent: Agent) -> dict[str, list[HookMatcher]]:
    """The hooks of one client; do not share them between clients."""
    run = _Run(agent)
    handlers = {
        "UserPromptSubmit": run.prompt,
        "PreToolUse": run.before,
        "PostToolUse": run.after,
        "PostToolUseFailure": run.after_failure,
        "Stop": run.stop,
    }
    return {event: [HookMatcher(hooks=[handler])] for event, handler in handlers.items()}


class _Run:
    """Passes the SDK's events to a recorder."""

    def __init__(self, agent: Agent) -> None:
        self._run = Recorder(agent)

    async def prompt(self, event: Any, tool_use_id: str | None, context: Any) -> dict[str, Any]:
        return _context(event, self._run.start(event["prompt"]))

    async def before(self, event: Any, tool_use_id: str | None, context: Any) -> dict[str, Any]:
        known = self._run.before(event["tool_name"], event["tool_input"])
        if not known.denied:
            return _context(event, known.text)
        denied = {"permissionDecision": "deny", "permissionDecisionReason": known.text}
        return {"hookSpecificOutput": {"hookEventName": event["hook_event_name"], **denied}}

    async def after(self, event: Any, tool_use_id: str | None, context: Any) -> dict[str, Any]:
        tool, args = event["tool_name"], event["tool_input"]
        return _context(event, self._run.worked(tool, args, event.get("tool_response", "")))

    async def after_failure(
        self, event: Any, tool_use_id: str | None, context: Any
    ) -> dict[str, Any]:
        tool, args = event["tool_name"], event["tool_input"]
        return _context(event, self._run.failed(tool, args, event.get("error", "")))

    async def stop(self, event: Any, tool_use_id: str | None, context: Any) -> dict[str, Any]:
        self._run.end(event.get("last_assistant_message", ""))
        return {}


def _context(event: Any, text: str) -> dict[str, Any]:
    if not text:
        return {}
    output = {"hookEventName": event["hook_event_name"], "additionalContext": text}
    return {"hookSpecificOutput": output}
