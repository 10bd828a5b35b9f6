"""Codex tells in its rollout file whether a call failed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hardwon.surfaces.hooks.agents import adapter

read = adapter("codex").read


def kind(rollout: Path, name: str = "PostToolUse", call: str = "c1") -> str:
    payload = {"hook_event_name": name, "transcript_path": str(rollout), "tool_use_id": call}
    event = read(payload)
    return event.kind if event else ""


def written(place: Path, *items: Any, name: str = "a.jsonl") -> Path:
    lines = (json.dumps({"payload": {"item": item}}) for item in items)
    (place / name).write_text("\n".join(lines))
    return place / name


@pytest.mark.parametrize(
    ("item", "found"),
    [
        ({"id": "c1", "status": "failed"}, "action_failed"),
        ({"id": "c1", "status": "completed", "exit_code": 2}, "action_failed"),
        ({"id": "c1", "status": "completed", "exit_code": 0}, "action_worked"),
        ({"id": "c2", "status": "failed", "note": "c1"}, "action_worked"),
        ("c1", "action_worked"),
    ],
)
def test_a_call_failed_when_its_item_says_so(tmp_path: Path, item: Any, found: str) -> None:
    assert kind(written(tmp_path, item)) == found


def test_the_last_item_of_a_call_counts(tmp_path: Path) -> None:
    bad, good = {"id": "c1", "status": "failed"}, {"id": "c1", "status": "completed"}

    assert kind(written(tmp_path, bad, good)) == "action_worked"
    assert kind(written(tmp_path, good, bad)) == "action_failed"


def test_only_finished_actions_are_looked_up(tmp_path: Path) -> None:
    rollout = written(tmp_path, {"id": "c1", "status": "failed"})

    assert kind(rollout, "PreToolUse") == "before_action"
    assert kind(rollout, "Unknown") == ""
    assert kind(rollout, call="") == "action_worked"
    other = written(tmp_path, {"id": "c1", "status": "failed"}, name="a.txt")
    assert kind(other) == "action_worked"


def test_the_end_of_a_long_rollout_is_read(tmp_path: Path) -> None:
    failed = {"id": "c1", "status": "failed"}
    filler = {"id": "x", "text": "y" * 300_000}

    assert kind(written(tmp_path, filler, failed)) == "action_failed"
    assert kind(written(tmp_path, failed, filler)) == "action_worked"
