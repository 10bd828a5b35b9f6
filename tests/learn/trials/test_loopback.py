"""The demonstration again, with reflections worded by a model server on loopback."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hardwon.surfaces.cli import run
from tests.learn.trials.shop import PYTEST, TASK, actor, open_shop
from tests.models import server

ANSWER = {
    "reflection_text": "I divided by the number of prices without thinking of an empty cart. The"
    " test of the empty cart raised ZeroDivisionError in cart.py line 2. I will return 0.0 first"
    " when there are no prices; no Incompatible return value type can come of that.",
    "credit_assignment": {
        "failing_action_indices": [0],
        "root_cause": "average() divides by len(prices), which is 0 for an empty cart",
        "failure_category": "edge_case_miss",
    },
    "causal_reasoning": "An empty list has length 0, and dividing by it raises.",
    "actionable_insights": ["Return 0.0 before dividing when the list is empty."],
    "lessons_learned": ["A mean needs a case for the empty list."],
    "confidence": 0.9,
    "related_reflections": [],
}


def test_a_real_model_server_words_the_reflection(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = open_shop(tmp_path)
    monkeypatch.setenv("HARDWON_HOME", str(tmp_path / "home"))
    poor = server.Part(body=server.openai('{"reflection_text": "I should be more careful."}'))
    good = server.Part(body=server.openai(json.dumps(ANSWER)))
    with server.playing(poor, good) as stage:
        monkeypatch.setenv("HARDWON_MODEL_NAME", f"openai:tiny@{stage.address}/v1")
        code = run(
            ["loop", "run", TASK, "--actor", actor(tmp_path), "--verify", PYTEST,
             "--cwd", str(shop), "--id", "shop"]
        )  # fmt: skip

    capsys.readouterr()
    run(["loop", "show", "shop", "--json"])
    told = json.loads(capsys.readouterr().out)
    words = told["reflections"][0]["self_reflection"]
    assert code == 0
    assert len(told["loop"]["trials"]) == 2  # one reflection was enough, and success has none
    assert words["actionable_insights"] == ANSWER["actionable_insights"]
    assert words["quality"] == "good"
    first, second = (call["body"]["messages"][-1]["content"] for call in stage.asked)
    assert "ZeroDivisionError" in first
    assert "Reply lacks quality (no credit assignment; " in second
