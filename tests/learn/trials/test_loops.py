"""Loops of an agent: begun, run, kept and read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import hardwon
from hardwon.core.errors import InvalidInput, NotFound
from hardwon.learn.trials.analytics import analyze, correlation
from hardwon.learn.trials.files import LoopFolder
from hardwon.learn.trials.values import ActorOutput
from tests.learn.trials.judged import loop
from tests.learn.trials.looped import TASK, reads_the_prompt, wants_42


@pytest.mark.parametrize("loop_id", ["a/b", "..", "", "x" * 200, "a\0b", "ü"])
def test_a_loop_id_that_is_no_file_name_is_refused(coder: hardwon.Agent, loop_id: str) -> None:
    with pytest.raises(InvalidInput):
        coder.loops.run(TASK, actor=reads_the_prompt, evaluate=wants_42, loop_id=loop_id)
    with pytest.raises(InvalidInput):
        coder.loops.get(loop_id)


def test_an_id_is_used_once(coder: hardwon.Agent) -> None:
    coder.loops.run(TASK, actor=reads_the_prompt, evaluate=wants_42, loop_id="mine")

    with pytest.raises(InvalidInput, match="exists"):
        coder.loops.run(TASK, actor=reads_the_prompt, evaluate=wants_42, loop_id="mine")


def test_no_other_agent_sees_the_loop(hw: hardwon.Hardwon, coder: hardwon.Agent) -> None:
    coder.loops.run(TASK, actor=reads_the_prompt, evaluate=wants_42, loop_id="mine")

    for stranger in (
        hw.agent("writer", project="acme"),
        hw.agent("coder", project="acme", tenant="other"),
        hw.agent("coder", project="web"),
    ):
        assert stranger.loops.list() == []
        assert stranger.loops.search() == []
        assert stranger.loops.analyze().loops == 0
        with pytest.raises(NotFound):
            stranger.loops.get("mine")
    assert len(hw.agent("coder").loops.list()) == 1  # the agent without a project sees all its own


@pytest.mark.parametrize(
    "wrong",
    [
        {"max_trials": 0},
        {"omega": 11},
        {"omega": "many"},
        {"policy": "random"},
        {"no_such_option": 1},
        {"cwd": "/nonexistent"},
        {"window_tokens": 0},
    ],
)
def test_options_without_sense_are_refused(coder: hardwon.Agent, wrong: dict) -> None:
    with pytest.raises(InvalidInput):
        coder.loops.run(TASK, actor=reads_the_prompt, evaluate=wants_42, **wrong)
    with pytest.raises(InvalidInput):
        coder.loops.run("", actor=reads_the_prompt, evaluate=wants_42)


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


def test_a_loop_in_memory_leaves_no_files(tmp_path: Path) -> None:
    with hardwon.open("memory:") as hw:
        done = hw.agent("coder").loops.run(TASK, actor=reads_the_prompt, evaluate=wants_42)
        root = Path(hw.agent("coder").loops.root)
        assert (root / done.loop_id).is_dir()
    del hw

    assert done.passed
    assert not str(root).startswith(str(Path.home()))


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


SCHEMA = Path(hardwon.__file__).parent / "learn" / "trials" / "schema.json"


def folder(coder: hardwon.Agent, loop_id: str) -> LoopFolder:
    return coder.loops.folder(loop_id)


def test_every_reflection_validates_against_the_shipped_schema(coder: hardwon.Agent) -> None:
    validator = Draft202012Validator(json.loads(SCHEMA.read_text()))
    Draft202012Validator.check_schema(validator.schema)
    failing = ActorOutput(rationale="I tried", strategy="guess")
    answers = iter([failing, "b", RuntimeError("boom")])

    def actor(prompt: str) -> object:
        answer = next(answers)
        if isinstance(answer, Exception):
            raise answer
        return answer

    done = coder.loops.run(TASK, actor=actor, evaluate=lambda said: f"no {said}", max_trials=3)

    own = folder(coder, done.loop_id)
    assert own.record_names() == ["001.json", "002.json", "003.json"]
    for name in own.record_names():
        problems = list(validator.iter_errors(json.loads(Path(own.at(name)).read_text())))
        assert problems == []


def test_a_plateau_ends_the_loop(coder: hardwon.Agent) -> None:
    answers = iter([0.2, 0.5, 0.4, 0.5, 0.3, 0.9])
    done = coder.loops.run(
        TASK, actor=lambda p: "x", evaluate=lambda said: next(answers), max_trials=9, repeats=0
    )

    assert done.rewards == [0.2, 0.5, 0.4, 0.5, 0.3]
    assert done.reason == "plateau: no reward gain in 3 trials"
    assert done.best
    assert (done.best.number, done.best.reward) == (1, 0.5)


def test_a_loop_goes_on_while_it_gains(coder: hardwon.Agent) -> None:
    answers = iter([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 1.0])
    done = coder.loops.run(
        TASK, actor=lambda p: "x", evaluate=lambda said: next(answers), max_trials=9, patience=2
    )

    assert done.passed
    assert [t.delta.is_improvement for t in done.trials if t.delta] == [True] * 7


def test_an_analysis_counts_rates_curves_and_reuse() -> None:
    found = analyze(
        [
            loop("l1", [0.0, 0.5, 1.0], confidence=0.9),
            loop("l2", [0.2, 0.2], confidence=0.1),
            loop("l3", [1.0], lessons=2),
        ]
    )

    assert (found.loops, found.succeeded, found.trials) == (3, 2, 6)
    assert found.success_rate == 0.6667
    assert found.trials_to_success == 2.0
    assert found.seconds_to_success == 4.0
    assert found.learning_rate == pytest.approx((1 / 3) / 3, abs=1e-3)
    assert found.breakthroughs == 2
    assert found.reward_curve == (0.4, 0.35, 1.0)
    assert found.categories == (("logic_error", 4),)
    assert found.confidence_correlation == 1.0
    assert found.lesson_reuse_rate == 0.3333
    assert (found.success_with_lessons, found.success_without_lessons) == (1.0, 0.5)
    assert [(t.loops, t.first_trials, t.last_trials) for t in found.repeated] == [(3, 3.0, 1.0)]


def test_a_correlation_without_meaning_is_none() -> None:
    assert correlation([]) is None
    assert correlation([(0.5, True)] * 9) is None
