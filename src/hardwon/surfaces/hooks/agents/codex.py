"""Codex: Claude Code's format without a failure event; exit codes are in the rollout file."""

from __future__ import annotations

import json
import os
from typing import Any

from hardwon.surfaces.hooks.agents import claude_code
from hardwon.surfaces.hooks.events import Event, EventKind
from hardwon.surfaces.hooks.payload import group, text

_TAIL = 256 * 1024
answer = claude_code.answer


def read(payload: dict[str, Any], name: str = "") -> Event | None:
    """The event; a finished action counts as failed when the rollout says so."""
    event = claude_code.read(payload, name)
    if event is None:
        return None
    event = event._replace(takes_permission=False)
    rollout = text(payload, "transcript_path")
    if event.kind == EventKind.WORKED and _has_failed(rollout, text(payload, "tool_use_id")):
        return event._replace(kind=EventKind.FAILED)
    return event


def _has_failed(rollout: str, call: str) -> bool:
    """Whether the call failed; its line is on disk before the hook runs."""
    for line in reversed(_last_lines(rollout) if call else []):
        if call.encode() in line:
            item = _item(line)
            if item.get("id") == call:
                return item.get("status") == "failed" or bool(item.get("exit_code"))
    return False


def _item(line: bytes) -> dict[str, Any]:
    try:
        parsed = json.loads(line)
    except ValueError:
        return {}
    return group(group(parsed, "payload"), "item") if isinstance(parsed, dict) else {}


def _last_lines(path: str) -> list[bytes]:
    if not path.endswith(".jsonl") or not os.path.isfile(path):
        return []
    with open(path, "rb") as file:
        file.seek(max(0, os.path.getsize(path) - _TAIL))
        return file.read(_TAIL).splitlines()
