"""What the actor is told before a trial."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import hardwon
from hardwon.learn.trials.values import (
    ActorOutput,
)
from hardwon.models.scripted import Scripted
from tests.learn.trials.credited import EMPTY, MEAN, TAX, edit, judged


def test_the_prompt_tells_the_errors_of_the_last_trial_whatever_is_in_the_window(
    tmp_path: Path,
) -> None:
    """By relevance an older, surer reflection on the same failure may be the only one in view."""
    prompts: list[str] = []
    answers = [
        json.dumps(
            {
                "reflection_text": f"Attempt {number}: the `mean` of the cart is off. " * 4,
                "credit_assignment": {"root_cause": "the sum of the cart starts at `one`"},
                "actionable_insights": ["Start the sum of the cart at `zero`."],
                "confidence": confidence,
            }
        )
        for number, confidence in ((1, 1.0), (2, 0.5))
    ]
    verdicts = iter((judged(0.5, MEAN), judged(0.5, MEAN._replace(message="assert 7 == 2"))))

    def act(prompt: str) -> ActorOutput:
        prompts.append(prompt)
        return ActorOutput((edit("cart.py"),))

    with hardwon.open(tmp_path / "home", model=Scripted(answers)) as hw:
        hw.agent("coder").loops.run(
            "Write average()",
            actor=act,
            evaluate=lambda said: next(verdicts, True),
            omega=1,
            policy="relevance_weighted",
        )

    window, _, failing = prompts[-1].partition("## What the tools said last")
    assert "Attempt 1" in window
    assert "assert 7 == 2" in failing


def test_only_the_newest_reflection_names_lines(coder: hardwon.Agent) -> None:
    prompts: list[str] = []
    verdicts = iter((judged(0.5, EMPTY), judged(0.5, TAX), judged(0.5, MEAN)))

    def act(prompt: str) -> ActorOutput:
        prompts.append(prompt)
        return ActorOutput((edit("cart.py"),))

    limits: Any = {"max_trials": 3, "omega": 3}
    coder.loops.run("Write average()", actor=act, evaluate=lambda said: next(verdicts), **limits)

    _, first, second = prompts[-1].split("### Trial ")
    assert "division by zero (cart.py)" in first
    assert "cart.py:2" not in first
    assert "tax.py:9" in second
