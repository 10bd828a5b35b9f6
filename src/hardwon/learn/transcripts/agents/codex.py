"""Codex CLI: rollouts, `sessions/YYYY/MM/DD/rollout-<time>-<id>.jsonl`."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from typing import Any

from hardwon.learn.transcripts.transcript import (
    AGENT,
    USER,
    Event,
    Message,
    Result,
    SessionInfo,
    SessionPlace,
    ToolCall,
    inside,
    place,
    text_of,
)

NAME, FOLDER = "codex", ".codex"
_IGNORED = {"turn_context", "event_msg", "world_state", "token_usage_record", "compacted"}
_MACHINE = ("<environment_context>", "<user_instructions>", "# AGENTS.md instructions", "<INSTR")
_EXIT = re.compile(r"(?:Process exited with code|Exit code:?|exit_code\"?:) ?(-?\d{1,5})")


def find(home: str) -> Iterator[SessionPlace]:
    """Every rollout, archived ones too."""
    base = os.environ.get("CODEX_HOME") or os.path.join(home, FOLDER)
    for pattern in (
        ("sessions", "*", "*", "*", "rollout-*.jsonl"),
        ("sessions", "rollout-*.jsonl"),
        ("archived_sessions", "rollout-*.jsonl"),
    ):
        for path in inside(base, *pattern):
            yield place(NAME, path, base=base, id=_id(path))


def _id(path: str) -> str:
    stem = os.path.basename(path).removeprefix("rollout-").removesuffix(".jsonl")
    match = re.search(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$", stem)
    return match.group() if match else stem


class Parser:
    """Calls and outputs are response items; the output's text states the exit code."""

    def take(self, record: Any, line: int) -> list[Event] | None:
        kind, payload = record.get("type"), record.get("payload")
        if kind == "session_meta":
            return [SessionInfo(payload.get("id", ""), payload.get("cwd", ""), record["timestamp"])]
        if kind == "response_item":
            return [SessionInfo(at=record.get("timestamp", "")), *_item(payload, line)]
        return [] if kind in _IGNORED else None


def _item(item: Any, line: int) -> Iterator[Event]:
    kind = item["type"]
    if kind == "message":
        yield from _words(item, line)
    elif kind in {"function_call", "custom_tool_call"}:
        name = "bash" if item["name"] in _SHELLS else item["name"]
        yield ToolCall(line, item["call_id"], name, _args(item))
    elif kind == "local_shell_call":
        yield ToolCall(line, item["call_id"], "bash", _command_line(item["action"]["command"]))
    elif kind in {"function_call_output", "custom_tool_call_output"}:
        output = item["output"]
        text = text_of(output if not isinstance(output, dict) else output.get("content"))
        yield Result(line, item["call_id"], _unwrap(text), _has_failed(text, output))


_SHELLS = {"shell", "shell_command", "exec_command", "local_shell", "container.exec"}


def _words(item: Any, line: int) -> Iterator[Event]:
    text = text_of(item["content"])
    if item["role"] == "assistant":
        yield Message(line, AGENT, text)
    elif item["role"] == "user" and not text.startswith(_MACHINE):
        yield Message(line, USER, text)


def _args(item: Any) -> Any:
    raw = item.get("arguments", item.get("input", ""))
    try:
        args = json.loads(raw)
    except ValueError:
        return raw
    if isinstance(args, dict) and isinstance(args.get("command", args.get("cmd")), list):
        return {**args, "command": _command_line(args.get("command", args.get("cmd")))}
    return args


def _command_line(command: Any) -> str:
    """The command line of an argument list; `["bash", "-lc", "make test"]` gives `make test`."""
    if len(command) == 3 and command[1] in {"-c", "-lc"}:
        return str(command[2])
    return " ".join(map(str, command))


def _unwrap(text: str) -> str:
    """The output without the envelope `{"output": …, "metadata": {"exit_code": 1}}`."""
    if not text.startswith('{"output"'):
        return text
    try:
        return str(json.loads(text)["output"])
    except ValueError:
        return text


def _has_failed(text: str, output: Any) -> bool:
    if isinstance(output, dict) and isinstance(output.get("success"), bool):
        return not output["success"]
    code = _EXIT.search(text[:400]) or _EXIT.search(text[-400:])
    return bool(code and code[1] != "0") or text.startswith(("execution error", "failed to "))
