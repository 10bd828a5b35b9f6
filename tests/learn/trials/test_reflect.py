"""What a model answers about a failed trial, and the gate that it has to pass."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import hardwon
from hardwon.core.errors import TransientError
from hardwon.core.text.grounding import is_generic
from hardwon.learn.trials.values import Record, SelfReflection
from hardwon.models.scripted import Scripted
from tests.learn.trials.looped import TASK, reads_the_prompt, wants_42

GOOD: dict[str, Any] = {
    "reflection_text": "I divided by the number of prices without a look at the empty cart, so that"
    " average([]) raised ZeroDivisionError. I will return 0.0 for it.",
    "credit_assignment": {"root_cause": "average() divides by len(prices)"},
    "actionable_insights": ["Return 0.0 when prices is empty."],
    "lessons_learned": ["Guard every mean against an empty list."],
    "confidence": 0.9,
}


PADDING = " I understand now that this was my own fault and that I have to do better than that."


def answer(**changes: Any) -> str:
    return json.dumps({**GOOD, **changes})


def empty(advice: str, *, cause: str = "average() divides by len(prices)") -> str:
    """A long and sure answer whose advice says nothing."""
    return answer(
        reflection_text=f"{advice}.{PADDING}",
        credit_assignment={"root_cause": cause},
        actionable_insights=[advice],
        confidence=0.95,
    )


def records(home: Path, *answers: str, trials: int = 1) -> list[Record]:
    """What was kept of the trials of a loop whose model gives these answers."""
    with hardwon.open(home, model=Scripted(list(answers))) as hw:
        coder = hw.agent("coder")
        done = coder.loops.run(
            "Write average()",
            actor=lambda prompt: "return sum(prices) / len(prices)",
            evaluate=lambda said: "ZeroDivisionError: division by zero in cart.py",
            max_trials=trials,
        )
        return list(coder.loops.reflections(done.loop_id))


def words(home: Path, *answers: str, trials: int = 1) -> SelfReflection:
    return records(home, *answers, trials=trials)[-1].self_reflection


@pytest.mark.parametrize(
    "advice", ["Be more careful", "I will test more thoroughly", "Pay more attention to details"]
)
def test_empty_advice_is_refused_however_sure_it_is(tmp_path: Path, advice: str) -> None:
    kept = words(tmp_path, empty(advice), answer())

    assert kept.actionable_insights == ("Return 0.0 when prices is empty.",)
    assert kept.quality == "good"


def test_carelessness_is_no_root_cause(tmp_path: Path) -> None:
    careless = answer(credit_assignment={"root_cause": "carelessness"})

    kept = words(tmp_path, careless, answer())

    assert kept.credit_assignment
    assert kept.credit_assignment.root_cause == "average() divides by len(prices)"


def test_two_empty_answers_give_way_to_the_rules(tmp_path: Path) -> None:
    kept = words(tmp_path, empty("Be more careful"), empty("Test more thoroughly"))

    assert kept.author == "rules (poor answer: only advice that fits every failure)"
    assert "division by zero" in kept.reflection_text
    assert "careful" not in kept.reflection_text + " ".join(kept.actionable_insights)


def test_empty_advice_beside_a_real_one_is_dropped(tmp_path: Path) -> None:
    steps = ["Be more careful.", "Return 0.0 when prices is empty."]

    kept = words(tmp_path, answer(actionable_insights=steps, lessons_learned=["Test more."]))

    assert kept.actionable_insights == (steps[1],)


def test_an_unsure_reflection_on_a_trial_that_did_no_better_is_marked(tmp_path: Path) -> None:
    unsure = [
        answer(reflection_text=f"{GOOD['reflection_text']} Idea {n}.", confidence=0.3)
        for n in range(3)
    ]

    first, second = (
        record.self_reflection for record in records(tmp_path, *unsure, trials=2)
    )  # the second one was asked for twice

    assert (first.quality, first.quality_problems) == ("good", ())  # nothing to compare with
    assert second.author == "scripted"
    assert second.quality_problems == ("confidence under 0.5 and no improvement",)


def test_an_answer_that_was_cut_off_leaves_no_json_in_the_text(tmp_path: Path) -> None:
    cut = answer()[:150]

    (record,) = records(tmp_path, cut, cut)

    assert '"' not in record.self_reflection.reflection_text.replace('"ZeroDivisionError"', "")
    assert "reflection_text" not in record.self_reflection.reflection_text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Handle edge cases better", True),
        ("Improve code quality and follow best practices", True),
        ("I was not careful enough", True),
        ("Make sure everything works", True),
        ("Don't make mistakes", True),
        ("Add a null check before the map operation", False),
        ("Return an empty list when the API answers nothing", False),
        ("Answer 42.", False),
        ("Check `retries`", False),
        ("Check total_price", False),
    ],
)
def test_generic_advice_names_nothing_of_the_failure(text: str, expected: bool) -> None:
    assert is_generic(text) is expected


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


@pytest.mark.parametrize("reply", [None, "", "None", "{}", "I stopped at 41.\n- Answer 42\n" * 4])
def test_what_is_not_in_the_form_is_no_reflection(tmp_path: Path, reply: Any) -> None:
    with hardwon.open(tmp_path, model=lambda request: reply) as hw:
        coder = hw.agent("coder")
        done = coder.loops.run(TASK, actor=reads_the_prompt, evaluate=wants_42)
        words = coder.loops.reflections(done.loop_id)[0].self_reflection

    assert done.passed
    assert words.author.startswith("rules (poor answer: Reply lacks a")
    assert words.reflection_text.startswith("In trial 1 I changed no file.")
