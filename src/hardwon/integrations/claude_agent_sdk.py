"""Claude Agent SDK: `ClaudeAgentOptions(hooks=hooks(agent))`; turns, actions and errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from claude_agent_sdk import HookMatcher

from hardwon import Agent
from hardwon.integrations.recorder import Recorder


def hooks(agent: Agent) -> dict[str, list[HookMatcher]]:
    """The hooks of one client; do not share them between clients."""
    run = Recorder(agent)

    def before(event: Any) -> dict[str, str]:
        known = run.before(event["tool_name"], event["tool_input"])
        if not known.denied:
            return _context(known.text)
        return {"permissionDecision": "deny", "permissionDecisionReason": known.text}

    def after(event: Any) -> dict[str, str]:
        tool, args = event["tool_name"], event["tool_input"]
        if event["hook_event_name"] == "PostToolUseFailure":
            return _context(run.failed(tool, args, event.get("error", "")))
        return _context(run.worked(tool, args, event.get("tool_response", "")))

    def stop(event: Any) -> dict[str, str]:
        run.end(event.get("last_assistant_message", ""))
        return {}

    answers = {
        "UserPromptSubmit": lambda event: _context(run.start(event["prompt"])),
        "PreToolUse": before,
        "PostToolUse": after,
        "PostToolUseFailure": after,
        "Stop": stop,
    }
    return {name: [HookMatcher(hooks=[_hook(answer)])] for name, answer in answers.items()}


def _hook(answer: Callable[[Any], dict[str, str]]) -> Any:
    """A hook of the SDK that answers an event, if there is something to say."""

    async def hook(event: Any, tool_use_id: str | None, context: Any) -> dict[str, Any]:
        output = answer(event)
        named = {"hookEventName": event["hook_event_name"], **output}
        return {"hookSpecificOutput": named} if output else {}

    return hook


def _context(text: str) -> dict[str, str]:
    return {"additionalContext": text} if text else {}
