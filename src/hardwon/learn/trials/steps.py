"""Read steps from an actor's output: event streams of coding agents, or plain JSON lines.

Understood are `claude --output-format stream-json`, `codex exec --json`, and for any other program
lines of the form `{"tool": …, "args": …, "output": …, "failed": …, "thought": …}`,
`{"thought": …}`, `{"rationale": …}` and `{"strategy": …}`.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from hardwon.core.text.clean import clean, clip, clip_middle, one_line
from hardwon.core.text.protocol import documents
from hardwon.knowledge.reading.authored import path_in
from hardwon.knowledge.reading.call_keys import canonical
from hardwon.learn.trials.values import Action, ActionType

_MOST_STEPS = 200
_OUTPUT_KEPT, _THOUGHT_KEPT = 1000, 1000
_EDITS = {"edit", "write", "multiedit", "notebookedit", "apply_patch", "str_replace", "file_change"}
_SHELLS = {"bash", "shell", "run", "exec", "terminal", "command_execution"}
_TESTS = ("pytest", "unittest", "npm test", "jest", "vitest", "go test", "cargo test")

_PLAIN_FIELDS = ("strategy", "rationale", "thought", "tool")
_VERBS = {"code_modification": "edited", "file_creation": "wrote"}
_DEPTH = 6
_DOCUMENTS = 2000
_FENCE = r"(?m)^\s{0,3}```\w{0,20}\s*$\n?"
_FIELD = r"\"\w{1,60}\"\s{0,9}:"
_BROKEN = re.compile(rf"\{{\s{{0,40}}{_FIELD}")
_STRING = re.compile(rf"{_FIELD}\s{{0,9}}\"((?:[^\"\\]|\\.){{1,4000}})")
_START = re.compile(r"(?m)^[ \t]{0,20}(?=[\[{])")
# Fields in which programs put their answer, the likeliest first.
_ANSWERS = ("result", "response", "answer", "text", "content", "message", "rationale", "thought",
            "output")  # fmt: skip


class ReportedSteps(NamedTuple):
    """The steps that an actor reported, its words (closing ones if any), and its strategy."""

    actions: tuple[Action, ...]
    words: str
    strategy: str = ""


class _Reader:
    def __init__(self) -> None:
        self.actions: list[Action] = []
        self.words = self.strategy = ""
        self.reasons: list[str] = []  # every thought, and every line that is no event
        self._places: dict[str, int] = {}
        self._thoughts: list[str] = []

    def says(self, text: str) -> None:
        """Words: the thought before the next step, or the closing words."""
        self.words = text
        self.thinks(text)

    def thinks(self, text: str) -> None:
        if thought := clean(text).strip():
            self._thoughts.append(thought)
            self.reasons.append(thought)

    def step(self, tool: str, args: Any, key: str = "") -> None:
        thought = clip_middle("\n".join(self._thoughts), _THOUGHT_KEPT) or None
        self._thoughts.clear()
        if not self.actions and not self.strategy:  # the thought before the first step
            self.strategy = one_line(thought or "", 500)
        if len(self.actions) < _MOST_STEPS:
            self._places[key] = len(self.actions)
            self.actions.append(_action(tool, args)._replace(thought=thought))

    def end(self, key: str, output: Any, failed: bool) -> None:
        at = self._places.get(key)
        if at is not None:
            if isinstance(output, list):
                output = "\n".join(
                    str(part.get("text", "") if isinstance(part, dict) else part) for part in output
                )
            text = clip_middle(clean("" if output is None else str(output)), _OUTPUT_KEPT)
            self.actions[at] = self.actions[at]._replace(output=text, failed=failed)


def read_steps(output: str) -> ReportedSteps | None:
    """What the actor reported; None when its output is not a stream of events."""
    reader = _Reader()
    events = 0
    for line in output.splitlines():
        event: dict[str, Any] = next(documents(line), {}) if line.startswith("{") else {}
        if event and _read(event, reader):
            events += 1
        elif not event and line.strip():
            reader.reasons.append(line.strip())
    words = reader.words or "\n".join(reader.reasons)
    return ReportedSteps(tuple(reader.actions), words, reader.strategy) if events else None


def _read(event: dict[str, Any], reader: _Reader) -> bool:
    """Whether the event was understood; in any other program's lines, what they name."""
    if isinstance(event.get("message"), dict):
        return _read_claude(event["message"], reader)
    if isinstance(event.get("item"), dict):
        return _read_codex(event, reader)
    if isinstance(event.get("result"), str):
        reader.words = event["result"]
        return True
    present = [name for name in _PLAIN_FIELDS if isinstance(event.get(name), str)]
    if "strategy" in present:
        reader.strategy = one_line(event["strategy"], 500)
    if "rationale" in present:
        reader.words = event["rationale"]
    if "thought" in present:
        reader.thinks(event["thought"])
    if "tool" in present:
        reader.step(event["tool"], event.get("args", ""), key="last")
        reader.end("last", event.get("output", ""), event.get("failed") is True)
    return bool(present)


def _read_claude(message: dict[str, Any], reader: _Reader) -> bool:
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
            reader.end(key, part.get("content"), part.get("is_error") is True)
        elif kind == "thinking":
            reader.thinks(str(part.get("thinking") or ""))
        elif kind == "text" and message.get("role") == "assistant":
            reader.says(str(part.get("text")))
    return bool(parts)


def _read_codex(event: dict[str, Any], reader: _Reader) -> bool:
    item = event["item"]
    if event.get("type") != "item.completed":
        return False
    if item.get("type") == "agent_message":
        reader.says(str(item.get("text")))
    elif item.get("type") == "reasoning":
        reader.thinks(str(item.get("text") or ""))
    elif item.get("type") == "command_execution":
        reader.step("bash", {"command": str(item.get("command"))}, key="last")
        failed = item.get("exit_code") not in (0, None)
        reader.end("last", item.get("aggregated_output"), failed)
    elif item.get("type") == "file_change":
        reader.step("edit", item.get("changes"), key="last")
    return True


def _action(tool: str, args: Any) -> Action:
    call = canonical(args if args is not None else "")
    entries = args if isinstance(args, list) else [args]
    named = (path_in(entry) for entry in entries if isinstance(entry, dict))
    paths = [path for path in dict.fromkeys(named) if path]
    kind = _kind(tool.lower(), call)
    is_run = kind in ("command_execution", "test_execution")
    words = call if isinstance(args, str) or is_run else phrase(args)
    is_edit = kind in _VERBS and paths
    description = f"{_VERBS[kind]} {', '.join(paths[:5])}" if is_edit else f"{tool}: {words}"
    return Action(
        kind,
        one_line(description, 300),
        file_path=clip(paths[0], 500) if paths else None,
        command=clip_middle(call, 1000) if is_run else None,
    )


def _kind(tool: str, call: str) -> ActionType:
    if tool in _EDITS:
        return "file_creation" if tool == "write" else "code_modification"
    if tool in _SHELLS:
        return "test_execution" if any(t in call for t in _TESTS) else "command_execution"
    return "api_call" if tool.startswith("mcp__") else "other"


def prose_of(text: str) -> str:
    """The text with every JSON document replaced by the texts in it."""
    parts: list[str] = []
    at = 0
    text = re.sub(_FENCE, "", clean(text))
    for start in itertools.islice(_START.finditer(text), _DOCUMENTS):
        if start.end() < at:
            continue
        try:
            value, end = json.JSONDecoder().raw_decode(text, start.end())
        except (ValueError, RecursionError):
            if not _BROKEN.match(text, start.end()):
                continue
            value = [{}, *_STRING.findall(text, start.end())]  # it was cut off
            end = len(text)
        if isinstance(value, dict) or any(isinstance(item, dict) for item in value):
            parts += [text[at : start.start()], "\n".join(_texts(value))]
            at = end  # else it is prose: `[1]` may be a footnote
    parts.append(text[at:])
    return "\n".join(part for part in (part.strip() for part in parts) if part)


def phrase(value: Any) -> str:
    """A JSON value without brackets and quotes: `path a.py, limit 10`."""
    if isinstance(value, dict):
        return ", ".join(f"{key} {phrase(item)}" for key, item in list(value.items())[:20])
    if isinstance(value, list):
        return ", ".join(map(phrase, value[:20]))
    return "" if value is None else str(value)


def _texts(value: Any, depth: int = 0) -> Iterator[str]:
    """The texts of a value: those of the answer's field if there is one, else all."""
    if isinstance(value, str):
        yield value.strip()
    if isinstance(value, dict):
        named = [value[name] for name in _ANSWERS if isinstance(value.get(name), str | dict | list)]
        value = named[:1] or list(value.values())
    if depth < _DEPTH and isinstance(value, list):
        for item in value[:200]:
            yield from _texts(item, depth + 1)
