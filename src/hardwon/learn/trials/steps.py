"""Read steps from an actor's output: event streams of coding agents, or plain JSON lines.

Understood are lines of the form `{"tool": …, "args": …, "output": …, "failed": …, "thought": …}`,
`{"thought": …}`, `{"rationale": …}` and `{"strategy": …}`. The events of `claude --output-format
stream-json` and `codex exec --json` are brought into that form; they also have `says`, words that
are a thought and perhaps the last ones, and the `id` of a call whose result comes later.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from hardwon.core.text.clean import as_text, clean, clip, clip_middle, one_line
from hardwon.core.text.protocol import documents
from hardwon.knowledge.reading.authored import path_in
from hardwon.knowledge.reading.call_keys import canonical
from hardwon.learn.trials.values import Action, ActionType

_MOST_STEPS = 200
_OUTPUT_KEPT, _THOUGHT_KEPT = 1000, 1000
_EDITS = {"edit", "write", "multiedit", "notebookedit", "apply_patch", "str_replace", "file_change"}
_SHELLS = {"bash", "shell", "run", "exec", "terminal", "command_execution"}
_TESTS = ("pytest", "unittest", "npm test", "jest", "vitest", "go test", "cargo test")

_TEXTS = ("strategy", "rationale", "says", "thought", "tool")
_PLAIN = ("strategy", "rationale", "thought", "tool", "args", "output", "failed")
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

    def take(self, line: dict[str, Any]) -> None:
        """Keep what a line names."""
        said = {name: line[name] for name in _TEXTS if isinstance(line.get(name), str)}
        if "strategy" in said:
            self.strategy = one_line(said["strategy"], 500)
        self.words = said.get("rationale", said.get("says", self.words))
        for name in ("says", "thought"):
            if thought := clean(said.get(name, "")).strip():
                self._thoughts.append(thought)
                self.reasons.append(thought)
        if "tool" in said:
            thought = clip_middle("\n".join(self._thoughts), _THOUGHT_KEPT)
            self._thoughts.clear()
            if not self.actions and not self.strategy:  # the thought before the first step
                self.strategy = one_line(thought, 500)
            if len(self.actions) < _MOST_STEPS:
                self._places[line.get("id", "")] = len(self.actions)
                action = _action(said["tool"], line.get("args", ""))
                self.actions.append(action._replace(thought=thought or None))
        if ("tool" in said) != ("id" in line):
            self._end(line.get("id", ""), line.get("output", ""), line.get("failed") is True)

    def _end(self, key: str, output: Any, failed: bool) -> None:
        at = self._places.get(key)
        if at is not None:
            parts = output if isinstance(output, list) else [output]
            texts = (
                part.get("text", "") if isinstance(part, dict) and parts is output else part
                for part in parts
            )
            text = clip_middle(clean("\n".join(map(as_text, texts))), _OUTPUT_KEPT)
            self.actions[at] = self.actions[at]._replace(output=text, failed=failed)


def read_steps(output: str) -> ReportedSteps | None:
    """What the actor reported; None when its output is not a stream of events."""
    reader, is_stream = _Reader(), False
    for line in output.splitlines():
        event: dict[str, Any] = next(documents(line), {}) if line.startswith("{") else {}
        if not event and line.strip():
            reader.reasons.append(line.strip())
        for plain in _plain_lines(event):
            reader.take(plain)
            is_stream = True
    words = reader.words or "\n".join(reader.reasons)
    return ReportedSteps(tuple(reader.actions), words, reader.strategy) if is_stream else None


def _plain_lines(event: dict[str, Any]) -> list[dict[str, Any]]:
    """An event as lines of the plain form; none if it is of no known program."""
    message, item = event.get("message"), event.get("item")
    if isinstance(message, dict):
        content = message.get("content")
        parts = content if isinstance(content, list) else []
        role = message.get("role")
        return [_of_claude(part, role) for part in parts if isinstance(part, dict)]
    if isinstance(item, dict):
        return [_of_codex(item)] if event.get("type") == "item.completed" else []
    if isinstance(event.get("result"), str):
        return [{"rationale": event["result"]}]
    plain = {name: event[name] for name in _PLAIN if name in event}
    return [plain] if any(isinstance(plain.get(name), str) for name in _TEXTS) else []


def _of_claude(part: dict[str, Any], role: Any) -> dict[str, Any]:
    match part.get("type"):
        case "tool_use":
            call = {"tool": str(part.get("name")), "args": part.get("input")}
            return {**call, "id": str(part.get("id"))}
        case "tool_result":
            failed = part.get("is_error") is True
            key = str(part.get("tool_use_id"))
            return {"id": key, "output": part.get("content"), "failed": failed}
        case "thinking":
            return {"thought": str(part.get("thinking") or "")}
        case "text" if role == "assistant":
            return {"says": str(part.get("text"))}
    return {}


def _of_codex(item: dict[str, Any]) -> dict[str, Any]:
    match item.get("type"):
        case "agent_message":
            return {"says": str(item.get("text"))}
        case "reasoning":
            return {"thought": str(item.get("text") or "")}
        case "command_execution":
            failed, output = item.get("exit_code") not in (0, None), item.get("aggregated_output")
            args = {"command": str(item.get("command"))}
            return {"tool": "bash", "args": args, "output": output, "failed": failed}
        case "file_change":
            return {"tool": "edit", "args": item.get("changes"), "id": ""}  # without an output
    return {}


def _action(tool: str, args: Any) -> Action:
    call = canonical(args if args is not None else "")
    entries = args if isinstance(args, list) else [args]
    named = (path_in(entry) for entry in entries if isinstance(entry, dict))
    paths = [path for path in dict.fromkeys(named) if path]
    name = tool.lower()
    kind: ActionType = "other"
    if name in _EDITS:
        kind = "file_creation" if name == "write" else "code_modification"
    elif name in _SHELLS:
        kind = "test_execution" if any(test in call for test in _TESTS) else "command_execution"
    elif name.startswith("mcp__"):
        kind = "api_call"
    is_run = name in _SHELLS
    words = call if isinstance(args, str) or is_run else phrase(args)
    is_edit = kind in _VERBS and paths
    description = f"{_VERBS[kind]} {', '.join(paths[:5])}" if is_edit else f"{tool}: {words}"
    return Action(
        kind,
        one_line(description, 300),
        file_path=clip(paths[0], 500) if paths else None,
        command=clip_middle(call, 1000) if is_run else None,
    )


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
