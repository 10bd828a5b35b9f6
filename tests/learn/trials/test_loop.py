"""A loop as Python code uses it: plain functions act and judge."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import hardwon
from hardwon.errors import InvalidInput, NotFound, TransientError
from hardwon.learn.trials.files import LoopFolder
from hardwon.learn.trials.values import ActorOutput, EvaluatorOutput
from hardwon.models.scripted import Scripted

TASK = "Say the answer to everything"
SCHEMA = Path(hardwon.__file__).parent / "learn" / "trials" / "schema.json"


@pytest.fixture
def hw(tmp_path: Path) -> Iterator[hardwon.Hardwon]:
    with hardwon.open(tmp_path / "home") as opened:
        yield opened


@pytest.fixture
def coder(hw: hardwon.Hardwon) -> hardwon.Agent:
    return hw.agent("coder", project="acme")


def reads_the_prompt(prompt: str) -> str:
    """Knows the answer only when the prompt says it."""
    return "42" if "want 42" in prompt else "41"


def wants_42(answer: str) -> object:
    return True if answer == "42" else f"want 42, got {answer}"


def folder(coder: hardwon.Agent, loop_id: str) -> LoopFolder:
    return coder.loops.folder(loop_id)


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
    assert own.numbered() == ["001.json", "002.json", "003.json"]
    for name in own.numbered():
        problems = list(validator.iter_errors(json.loads(Path(own.at(name)).read_text())))
        assert problems == []


def test_the_next_similar_task_starts_with_the_lesson(coder: hardwon.Agent) -> None:
    first = coder.loops.run(TASK, actor=reads_the_prompt, evaluate=wants_42)
    again = coder.loops.run(TASK, actor=reads_the_prompt, evaluate=wants_42)

    assert (len(first.trials), len(again.trials)) == (2, 1)
    assert again.trials[0].lessons_used == 1
    lesson = coder.lessons.list()[0]
    assert lesson.trigger == "verification"
    assert lesson.origin == f"trials:{first.loop_id}"
    assert "Trial 2 got over it" in lesson.correction


def test_lessons_can_be_left_to_the_queue_or_off(hw: hardwon.Hardwon, coder: hardwon.Agent) -> None:
    wrong: Any = {"actor": lambda p: "x", "evaluate": lambda said: "no", "max_trials": 1}

    coder.loops.run(TASK, **wrong, lessons="off")
    assert (coder.lessons.list(), hw.queue.waiting()) == ([], [])

    coder.loops.run(TASK, **wrong, lessons="queue")
    assert coder.lessons.list() == []
    assert [job.trigger for job in hw.queue.waiting()] == ["verification"]


def test_a_loop_in_memory_leaves_no_files(tmp_path: Path) -> None:
    with hardwon.open("memory:") as hw:
        done = hw.agent("coder").loops.run(TASK, actor=reads_the_prompt, evaluate=wants_42)
        root = Path(hw.agent("coder").loops.root)
        assert (root / done.loop_id).is_dir()
    del hw

    assert done.passed
    assert not str(root).startswith(str(Path.home()))


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


def test_a_loop_needs_someone_to_act_and_someone_to_judge(coder: hardwon.Agent) -> None:
    with pytest.raises(InvalidInput, match="no verifier"):
        coder.loops.run(TASK, actor=reads_the_prompt)
    with pytest.raises(InvalidInput, match="no actor"):
        coder.loops.run(TASK, actor="", evaluate=wants_42)


REPLY = {
    "reflection_text": "I answered 41 because I stopped one short of the number the check names."
    " In my next attempt I will answer with exactly that number: want 42.",
    "credit_assignment": {
        "failing_action_indices": [0, 99],
        "root_cause": "off by one",
        "failure_category": "logic_error",
    },
    "causal_reasoning": "Stopping early gave 41.",
    "actionable_insights": ["Answer 42."],
    "lessons_learned": ["Read the check before answering."],
    "confidence": 1.7,
    "related_reflections": [5],
}


def test_a_model_words_the_reflection(tmp_path: Path) -> None:
    model = Scripted([f"Sure:\n```json\n{json.dumps(REPLY)}\n```"])
    with hardwon.open(tmp_path, model=model) as hw:
        coder = hw.agent("coder")
        done = coder.loops.run(TASK, actor=reads_the_prompt, evaluate=wants_42)
        words = coder.loops.reflections(done.loop_id)[0].self_reflection

    assert done.passed
    assert words.author == "scripted"
    assert words.quality == "good"
    assert words.credit_assignment == ((0,), "off by one", "logic_error")
    assert (words.confidence, words.related_reflections) == (1.0, ())
    assert TASK in model.requests[0].prompt
    assert "want 42, got 41" in model.requests[0].prompt


def test_a_poor_reflection_is_asked_for_once_more(tmp_path: Path) -> None:
    model = Scripted(['{"reflection_text": "I will be more careful."}', json.dumps(REPLY)])
    with hardwon.open(tmp_path, model=model) as hw:
        coder = hw.agent("coder")
        done = coder.loops.run(TASK, actor=reads_the_prompt, evaluate=wants_42)
        words = coder.loops.reflections(done.loop_id)[0].self_reflection

    assert words.quality == "good"
    again = model.requests[1].prompt
    assert "no credit assignment; no actionable insight; under 100 characters" in again


def test_one_that_stays_poor_gives_way_to_the_rules(tmp_path: Path) -> None:
    same = json.dumps(REPLY)
    model = Scripted([same, same, same])
    with hardwon.open(tmp_path, model=model) as hw:
        coder = hw.agent("coder")
        done = coder.loops.run(TASK, actor=lambda p: "41", evaluate=wants_42, max_trials=2)
        first, second = (r.self_reflection for r in coder.loops.reflections(done.loop_id))

    assert first.author == "scripted"
    assert second.author == "rules (poor answer: repeats an earlier reflection word for word)"
    assert second.reflection_text.startswith("In trial 2 I changed no file.")
    assert coder.loops.analyze().low_quality == 1  # the rules are not sure either


def test_rules_take_over_when_the_model_fails(tmp_path: Path) -> None:
    model = Scripted([TransientError("429")])
    with hardwon.open(tmp_path, model=model) as hw:
        coder = hw.agent("coder")
        done = coder.loops.run(TASK, actor=reads_the_prompt, evaluate=wants_42)
        words = coder.loops.reflections(done.loop_id)[0].self_reflection

    assert done.passed
    assert words.author == "rules (429)"


def test_prose_is_better_than_nothing(tmp_path: Path) -> None:
    prose = "I stopped early, at 41, although the check says want 42.\n- Answer 42 next time\n" * 2
    model = Scripted([prose, prose])
    with hardwon.open(tmp_path, model=model) as hw:
        coder = hw.agent("coder")
        done = coder.loops.run(TASK, actor=reads_the_prompt, evaluate=wants_42)
        words = coder.loops.reflections(done.loop_id)[0].self_reflection

    assert done.passed
    assert words.actionable_insights[0] == "Answer 42 next time"
    assert words.quality_problems == ("no credit assignment",)
