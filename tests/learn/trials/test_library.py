"""The loops of an agent are read."""

from __future__ import annotations

from typing import Any

import hardwon
from tests.learn.trials.looped import TASK, wants_42


def test_the_window_holds_the_last_omega_reflections_in_order(coder: hardwon.Agent) -> None:
    prompts: list[Any] = []

    def actor(prompt: str) -> str:
        prompts.append(prompt)
        return f"answer {len(prompts)}"

    coder.loops.run(
        TASK,
        actor=actor,
        evaluate=lambda said: f"not {said}",
        max_trials=6,
        omega=2,
        patience=0,
        repeats=0,
    )

    assert [[r.iteration for r in p.reflections] for p in prompts] == [
        [], [0], [0, 1], [1, 2], [2, 3], [3, 4],
    ]  # fmt: skip
    assert "### Trial 4" in prompts[5]
    assert "### Trial 3" not in prompts[5]


def test_the_reflections_in_the_window_can_be_loaded(coder: hardwon.Agent) -> None:
    done = coder.loops.run(
        TASK, actor=lambda prompt: "41", evaluate=wants_42, max_trials=4, repeats=0, omega=2
    )

    assert [record.iteration for record in coder.loops.active(done.loop_id)] == [2, 3]
    assert len(coder.loops.reflections(done.loop_id)) == 4
