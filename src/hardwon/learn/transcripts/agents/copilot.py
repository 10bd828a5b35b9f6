"""GitHub Copilot CLI: `session-state/<id>/events.jsonl`."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any

from hardwon.learn.transcripts.location import Place, inside, place
from hardwon.learn.transcripts.transcript import AGENT, USER, About, Call, Event, Result, Said

if TYPE_CHECKING:
    from collections.abc import Iterator

NAME, FOLDER = "copilot", ".copilot"
_DULL = (
    *("hook.", "session.", "assistant.turn", "assistant.reasoning", "assistant.intent", "skill."),
    *("assistant.usage", "tool.user", "tool.execution_partial", "tool.execution_progress"),
    *("subagent.", "system.", "abort", "permission.", "user_input.", "elicitation."),
)
_EXIT = re.compile(r"completed with exit code (-?\d{1,5})")


def find(home: str) -> Iterator[Place]:
    """Every session that has recorded events."""
    base = os.path.join(home, FOLDER)
    for path in inside(base, "session-state", "*", "events.jsonl"):
        yield place(NAME, path, base=base, id=os.path.basename(os.path.dirname(path)))


class Parser:
    """Calls start and complete as events of their own."""

    def take(self, record: Any, line: int) -> list[Event] | None:
        kind, told = str(record.get("type", "")), record.get("data") or {}
        if kind in _TAKEN:
            return [About(at=record.get("timestamp", "")), *_TAKEN[kind](told, line)]
        return [] if kind.startswith(_DULL) else None


def _start(told: Any, line: int) -> Iterator[Event]:
    context = told.get("context") or {}
    yield About(told.get("sessionId", ""), context.get("cwd", ""))


def _user(told: Any, line: int) -> Iterator[Event]:
    yield Said(line, USER, told["content"])


def _agent(told: Any, line: int) -> Iterator[Event]:
    if told.get("content"):
        yield Said(line, AGENT, told["content"])


def _call(told: Any, line: int) -> Iterator[Event]:
    yield Call(line, told["toolCallId"], told["toolName"], told.get("arguments"))


def _result(told: Any, line: int) -> Iterator[Event]:
    result, error = told.get("result") or {}, told.get("error") or {}
    output = result.get("content") if isinstance(result, dict) else str(result)
    output = output or error.get("message") or ""
    code = (told.get("shellExecution") or {}).get("exitCode")
    said = _EXIT.search(output[-400:])
    failed = told.get("success") is False or code not in {None, 0}
    yield Result(line, told["toolCallId"], output, failed or bool(said and said[1] != "0"))


_TAKEN = {
    "session.start": _start,
    "user.message": _user,
    "assistant.message": _agent,
    "tool.execution_start": _call,
    "tool.execution_complete": _result,
}
