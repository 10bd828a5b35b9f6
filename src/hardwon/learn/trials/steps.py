"""Steps out of an actor's output: the event streams of coding agents, or plain JSON lines.

Understood are `claude --output-format stream-json`, `codex exec --json`, and for any other program
lines of the form `{"tool": …, "args": …, "output": …, "failed": …}`.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from hardwon.failures.call_keys import canonical
from hardwon.learn.trials.values import Action, ActionType
from hardwon.text.clean import clean, clip, clip_middle, one_line

_MOST_STEPS = 200
_OUTPUT_KEPT = 1000
_EDITS = {"edit", "write", "multiedit", "notebookedit", "apply_patch", "str_replace", "file_change"}
_SHELLS = {"bash", "shell", "run", "exec", "terminal", "command_execution"}
_TESTS = ("pytest", "unittest", "npm test", "jest", "vitest", "go test", "cargo test")


class Told(NamedTuple):
    """The steps an actor reported, and its closing words."""

    actions: tuple[Action, ...]
    words: str


class _Reader:
    def __init__(self) -> None:
        self.actions: list[Action] = []
        self.places: dict[str, int] = {}
        self.words = ""

    def step(self, tool: str, args: Any, key: str = "") -> None:
        if len(self.actions) < _MOST_STEPS:
            self.places[key] = len(self.actions)
            self.actions.append(_action(tool, args))

    def ended(self, key: str, output: Any, failed: bool) -> None:
        at = self.places.get(key)
        if at is not None:
            kept = clip_middle(clean(_text(output)), _OUTPUT_KEPT)
            self.actions[at] = self.actions[at]._replace(output=kept, failed=failed)


def told(output: str) -> Told | None:
    """What the actor reported; None when its output is no stream of events."""
    reader = _Reader()
    events = 0
    for line in output.splitlines():
        event = _event(line)
        if event is not None and _read(event, reader):
            events += 1
    return Told(tuple(reader.actions), reader.words) if events else None


def _event(line: str) -> dict[str, Any] | None:
    if not line.startswith("{"):
        return None
    try:
        event = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return event if isinstance(event, dict) else None


def _read(event: dict[str, Any], reader: _Reader) -> bool:
    """Whether the event was understood."""
    if isinstance(event.get("message"), dict):
        return _claude(event["message"], reader)
    if isinstance(event.get("item"), dict):
        return _codex(event, reader)
    if isinstance(event.get("tool"), str):
        reader.step(event["tool"], event.get("args", ""), key="last")
        reader.ended("last", event.get("output", ""), event.get("failed") is True)
        return True
    if isinstance(event.get("result"), str):
        reader.words = event["result"]
        return True
    return False


def _claude(message: dict[str, Any], reader: _Reader) -> bool:
    content = message.get("content")
    parts = (
        [part for part in content if isinstance(part, dict)] if isinstance(content, list) else []
    )
    for part in parts:
        kind = part.get("type")
        if kind == "tool_use":
            reader.step(str(part.get("name")), part.get("input"), key=str(part.get("id")))
        elif kind == "tool_result":
            key = str(part.get("tool_use_id"))
            reader.ended(key, part.get("content"), part.get("is_error") is True)
        elif kind == "text" and message.get("role") == "assistant":
            reader.words = str(part.get("text"))
    return bool(parts)


def _codex(event: dict[str, Any], reader: _Reader) -> bool:
    item = event["item"]
    if event.get("type") != "item.completed":
        return False
    if item.get("type") == "agent_message":
        reader.words = str(item.get("text"))
    elif item.get("type") == "command_execution":
        reader.step("bash", {"command": str(item.get("command"))}, key="last")
        failed = item.get("exit_code") not in (0, None)
        reader.ended("last", item.get("aggregated_output"), failed)
    elif item.get("type") == "file_change":
        reader.step("edit", item.get("changes"), key="last")
    return True


def _action(tool: str, args: Any) -> Action:
    call = canonical(args if args is not None else "")
    path = args.get("file_path") if isinstance(args, dict) else None
    kind = _kind(tool.lower(), call)
    is_run = kind in ("command_execution", "test_execution")
    return Action(
        kind,
        one_line(f"{tool}: {call}", 300),
        file_path=clip(str(path), 500) if path else None,
        command=clip_middle(call, 1000) if is_run else None,
    )


def _kind(tool: str, call: str) -> ActionType:
    if tool in _EDITS:
        return "file_creation" if tool == "write" else "code_modification"
    if tool in _SHELLS:
        return "test_execution" if any(t in call for t in _TESTS) else "command_execution"
    return "api_call" if tool.startswith("mcp__") else "other"


def _text(output: Any) -> str:
    if isinstance(output, list):
        parts = [part.get("text", "") if isinstance(part, dict) else part for part in output]
        return "\n".join(str(part) for part in parts)
    return "" if output is None else str(output)
