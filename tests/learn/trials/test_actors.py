"""Any command may act."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.learn.trials.commanded import Capture, data

pytestmark = pytest.mark.usefixtures("place")


@pytest.mark.parametrize("profile", ["claude", "codex", "gemini", "copilot", "opencode"])
def test_a_profile_hands_the_prompt_to_the_agent(
    capsys: Capture, place: Path, profile: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = place / "bin" / profile
    program.parent.mkdir()
    program.write_text('#!/bin/sh\n{ echo "$@"; cat; } > got\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")

    data(capsys, "run", "fix it", "--actor", profile, "--verify", "grep -q 'fix it' got")


def test_a_cot_actor_has_no_steps(capsys: Capture) -> None:
    line = json.dumps({"tool": "bash", "args": "ls", "output": "x"})
    data(capsys, "run", "x", "--actor", f"echo '{line}'", "--variant", "cot", "--verify", "false",
         "--max-trials", "1", "--id", "l", code=1)  # fmt: skip

    assert data(capsys, "show", "l")["reflections"][0]["actor_output"]["actions"] == []


@pytest.mark.parametrize(
    ("actor", "reason"),
    [
        ("kill -9 $$", "critical error: the actor was ended by signal 9"),
        ("sleep 30", "critical error: the actor did not end within its time limit"),
        ("nosuchagent", "critical error: the actor did not start"),
    ],
)
def test_a_crash_of_the_actor_is_critical(capsys: Capture, actor: str, reason: str) -> None:
    state = data(capsys, "run", "x", "--actor", actor, "--verify", "true", "--actor-timeout", "1s",
                 code=1)  # fmt: skip

    assert state["reason"].startswith(reason)
    assert state["trials"][0]["outcome"] == "critical"
