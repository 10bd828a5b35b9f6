"""Real coding agents in a loop, by their profiles, against a scripted model."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.agents import Lab, claude_environ, program
from tests.e2e.scripted import Call, Move, scripted

pytestmark = pytest.mark.e2e


def test_claude_code_gets_there_by_what_the_first_trial_taught(tmp_path: Path) -> None:
    lab = Lab(tmp_path)
    target = lab.project / "answer"
    (lab.project / "check.sh").write_text(
        "grep -qx yes answer || { echo 'error: want yes'; exit 1; }"
    )

    def move(turn: int, request: dict[str, Any]) -> Move:
        if turn or not request.get("tools"):
            return "I wrote the answer."
        word = "yes" if "want yes" in json.dumps(request["messages"]) else "no"
        return Call("Write", {"file_path": str(target), "content": f"{word}\n"})

    with scripted([]) as model:
        model.move = move  # type: ignore[method-assign]
        path = f"{Path(program('claude')).parent}:{lab.environ['PATH']}"
        said = lab.run(
            ["hardwon", "loop", "run", "write the answer", "--actor", "claude", "--verify",
             "sh check.sh", "--id", "l", "--json"],
            {**claude_environ(model), "PATH": path},
        )  # fmt: skip

    state = json.loads(said)
    assert [trial["outcome"] for trial in state["trials"]] == ["failed", "passed"]
    record = json.loads((lab.store / "loops" / "l" / "001.json").read_text())
    steps = [action["description"] for action in record["actor_output"]["actions"]]
    assert any(step.startswith(f"wrote {target}") for step in steps)
    assert record["actor_output"]["rationale"] == "I wrote the answer."
    assert os.path.exists(target)
