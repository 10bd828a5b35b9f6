"""Who acts and who judges."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

import hardwon
from hardwon.core.errors import InvalidInput
from hardwon.learn.trials.values import EvaluatorOutput
from tests.learn.trials.looped import TASK, reads_the_prompt, wants_42


def test_async_functions_run_on_the_callers_event_loop(tmp_path: Path) -> None:
    async def journey() -> Any:
        own = asyncio.get_running_loop()

        async def actor(prompt: str) -> str:
            assert asyncio.get_running_loop() is own
            return reads_the_prompt(prompt)

        async def evaluate(answer: str) -> object:
            assert asyncio.get_running_loop() is own
            return wants_42(answer)

        async with hardwon.aopen(tmp_path / "home") as hw:
            return await hw.agent("coder").loops.run(TASK, actor=actor, evaluate=evaluate)

    assert asyncio.run(journey()).passed


def test_plain_functions_do_not_hold_up_an_event_loop(tmp_path: Path) -> None:
    async def journey() -> Any:
        async with hardwon.aopen(tmp_path / "home") as hw:
            agent = hw.agent("coder")
            return await agent.loops.run(TASK, actor=reads_the_prompt, evaluate=wants_42)

    assert asyncio.run(journey()).passed


@pytest.mark.parametrize("answer", [True, 1.0, 1, EvaluatorOutput(True, "manual_review")])
def test_what_counts_as_a_pass(coder: hardwon.Agent, answer: object) -> None:
    done = coder.loops.run(TASK, actor=lambda prompt: "x", evaluate=lambda said: answer)

    assert done.passed


@pytest.mark.parametrize("answer", [False, 0.5, 0, "it is wrong", ValueError("wrong")])
def test_what_counts_as_a_failure(coder: hardwon.Agent, answer: object) -> None:
    done = coder.loops.run(
        TASK, actor=lambda prompt: "x", evaluate=lambda said: answer, max_trials=1
    )

    assert not done.passed
    assert done.trials[0].outcome == "final"
    assert done.reason == "max trials reached (1)"
    assert len(coder.loops.reflections(done.loop_id)) == 1  # a final reflection


def test_an_assertion_is_a_judgement(coder: hardwon.Agent) -> None:
    def evaluate(answer: str) -> bool:
        assert answer == "42", f"want 42, got {answer}"
        return True

    assert coder.loops.run(TASK, actor=reads_the_prompt, evaluate=evaluate).passed


@pytest.mark.parametrize("answer", [None, 2.0, object()])
def test_an_answer_without_meaning_is_refused(coder: hardwon.Agent, answer: object) -> None:
    with pytest.raises(InvalidInput):
        coder.loops.run(TASK, actor=lambda prompt: "x", evaluate=lambda said: answer)


def test_a_loop_needs_someone_to_act_and_someone_to_judge(coder: hardwon.Agent) -> None:
    with pytest.raises(InvalidInput, match="no verifier"):
        coder.loops.run(TASK, actor=reads_the_prompt)
    with pytest.raises(InvalidInput, match="no actor"):
        coder.loops.run(TASK, actor="", evaluate=wants_42)
