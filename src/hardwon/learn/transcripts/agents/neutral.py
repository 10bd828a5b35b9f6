"""The neutral run format: one JSON object per run, with its task and its commands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hardwon.learn.transcripts.transcript import USER, Event, Message, Result, SessionInfo, ToolCall

if TYPE_CHECKING:
    from collections.abc import Iterator


class Parser:
    """A record is a whole run; the numbers of its steps stand for lines, the task is line 0."""

    def take(self, record: Any, line: int) -> list[Event]:
        about = SessionInfo(str(record["run"]), str(record.get("repo") or ""))
        return [about, Message(0, USER, str(record.get("task") or "")), *_steps(record["steps"])]


def _steps(steps: Any) -> Iterator[Event]:
    for number, step in enumerate(steps, 1):
        key, tool = str(number), str(step.get("tool") or "bash")
        yield ToolCall(number, key, tool, step["command"])
        yield Result(number, key, str(step.get("output") or ""), bool(step.get("returncode")))
