"""The loop: act, verify, reflect, try again."""

from __future__ import annotations

import hardwon
from tests.learn.trials.looped import TASK, reads_the_prompt, wants_42


def test_the_second_trial_succeeds_by_what_the_first_taught(coder: hardwon.Agent) -> None:
    done = coder.loops.run(TASK, actor=reads_the_prompt, evaluate=wants_42)

    assert done.passed
    assert done.rewards == [0.0, 1.0]
    assert done.reason == "all verifications passed in trial 2"
    assert [t.outcome for t in done.trials] == ["failed", "passed"]
    assert done.trials[1].window == (0,)
    assert len(coder.loops.reflections(done.loop_id)) == 1  # none on success


def test_without_injection_the_same_actor_does_not_get_there(coder: hardwon.Agent) -> None:
    done = coder.loops.run(TASK, actor=reads_the_prompt, evaluate=wants_42, inject=False)

    assert not done.passed
    assert done.reason.startswith("the same failure 3 times in a row: want 42, got 41")


def test_a_crash_of_the_actor_ends_the_loop_with_an_error_reflection(
    coder: hardwon.Agent,
) -> None:
    def actor(prompt: str) -> str:
        raise RuntimeError("out of credit")

    done = coder.loops.run(TASK, actor=actor, evaluate=wants_42)
    reflection = coder.loops.reflections(done.loop_id)[0]

    assert done.reason == "critical error: the actor raised RuntimeError: out of credit"
    assert done.trials[0].outcome == "critical"
    assert "out of credit" in reflection.self_reflection.reflection_text


def test_a_crash_may_be_tried_again(coder: hardwon.Agent) -> None:
    calls: list[str] = []

    def actor(prompt: str) -> str:
        calls.append(prompt)
        if len(calls) == 1:
            raise RuntimeError("once")
        return "42"

    assert coder.loops.run(TASK, actor=actor, evaluate=wants_42, on_critical="retry").passed
