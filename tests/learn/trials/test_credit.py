"""Credit assignment without a model: what a change gained, what it broke, what it left."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import hardwon
from hardwon.learn.trials.values import (
    Action,
    ActorOutput,
    Changes,
    EvaluatorOutput,
    Record,
    StructuredError,
)
from hardwon.models.scripted import Scripted

EMPTY = StructuredError(
    "test_failure", "ZeroDivisionError: division by zero", "cart.py", 2, tool="pytest",
    test="test_empty",
)  # fmt: skip
MEAN = StructuredError(
    "test_failure", "assert 3 == 2", "cart.py", 4, tool="pytest", test="test_mean"
)
TAX = StructuredError(
    "test_failure", "KeyError: 'VAT'", "tax.py", 9, tool="pytest", test="test_tax"
)
DIFF = "diff --git a/cart.py b/cart.py\n@@ -1 +1 @@\n-    return None\n+    return 0.0\n"


@pytest.fixture
def coder(tmp_path: Path) -> Iterator[hardwon.Agent]:
    with hardwon.open(tmp_path / "home") as hw:
        yield hw.agent("coder")


def edit(path: str) -> Action:
    return Action("code_modification", f"changed {path} (+1 -1)", path, Changes(1, 1, DIFF))


def judged(reward: float, *errors: StructuredError) -> EvaluatorOutput:
    return EvaluatorOutput(False, "unit_tests", errors=errors, reward_signal=reward)


def reflections(
    coder: hardwon.Agent,
    *verdicts: EvaluatorOutput,
    actions: tuple[Action, ...] = (edit("docs.md"), edit("cart.py")),
) -> list[Record]:
    """The reflections of a loop that is judged like this."""
    given = iter(verdicts)
    done = coder.loops.run(
        "Write average()",
        actor=lambda prompt: ActorOutput(actions),
        evaluate=lambda said: next(given),
        max_trials=len(verdicts),
    )
    return list(coder.loops.reflections(done.loop_id))


def blamed(record: Record) -> tuple[int, ...]:
    credit = record.self_reflection.credit_assignment
    assert credit
    return credit.failing_action_indices


def test_an_edit_that_raised_the_reward_is_progress(coder: hardwon.Agent) -> None:
    last = reflections(coder, judged(0.0, EMPTY, MEAN), judged(0.5, EMPTY))[-1]

    assert blamed(last) == ()
    words = last.self_reflection
    assert "That was progress: the reward rose from 0.00 to 0.50." in words.reflection_text
    assert "No longer reported: test_mean: assert 3 == 2" in words.reflection_text
    assert any(
        step.startswith("Keep the edit of docs.md, cart.py") for step in words.actionable_insights
    )
    assert not any("other than the last edit" in step for step in words.actionable_insights)


def test_fewer_errors_at_the_same_reward_are_progress_too(coder: hardwon.Agent) -> None:
    last = reflections(coder, judged(0.0, EMPTY, MEAN), judged(0.0, EMPTY))[-1]

    assert blamed(last) == ()
    assert "That was progress: fewer errors." in last.self_reflection.reflection_text


def test_the_edit_that_brought_a_new_error_is_blamed_even_when_the_reward_rose(
    coder: hardwon.Agent,
) -> None:
    actions = (edit("cart.py"), edit("tax.py"))

    last = reflections(coder, judged(0.0, EMPTY, MEAN), judged(0.5, EMPTY, TAX), actions=actions)[
        -1
    ]

    assert blamed(last) == (1,)


def test_old_new_and_returned_errors_are_told_apart(coder: hardwon.Agent) -> None:
    moved = EMPTY._replace(line=7, message="ZeroDivisionError: float division by zero")

    _, second, third = reflections(
        coder, judged(0.5, EMPTY), judged(0.5, moved, TAX), judged(0.5, TAX, MEAN)
    )
    fourth = reflections(coder, judged(0.5, EMPTY), judged(0.5, TAX), judged(0.5, EMPTY))[-1]

    text = second.self_reflection.reflection_text
    assert "New: test_tax: KeyError: 'VAT' (tax.py:9)." in text
    assert "Old: test_empty: ZeroDivisionError: float division by zero (cart.py:7)." in text
    assert "New: test_mean: assert 3 == 2 (cart.py:4). Old: test_tax" in (
        third.self_reflection.reflection_text
    )
    assert "Back from an earlier trial: test_empty" in fourth.self_reflection.reflection_text


def test_reading_a_file_is_no_edit(coder: hardwon.Agent) -> None:
    look = Action("other", "Read: cart.py", "cart.py")

    (first,) = reflections(coder, judged(0.0, EMPTY), actions=(look, edit("cart.py")))

    assert blamed(first) == (1,)


def test_without_an_edit_the_step_that_failed_last_is_blamed(coder: hardwon.Agent) -> None:
    steps = tuple(
        Action("command_execution", f"bash: try {n}", command=f"try {n}", failed=n < 2)
        for n in range(3)
    )

    (first,) = reflections(coder, judged(0.0, EMPTY), actions=steps)

    assert blamed(first) == (1,)


def test_what_is_learnt_is_what_the_trials_proved(coder: hardwon.Agent) -> None:
    first, helped = reflections(coder, judged(0.0, EMPTY, MEAN), judged(0.5, EMPTY))
    _, useless = reflections(coder, judged(0.5, EMPTY), judged(0.5, EMPTY))

    assert first.self_reflection.lessons_learned == ()  # an error alone proves nothing
    (lesson,) = helped.self_reflection.lessons_learned
    assert lesson.startswith("What got rid of “test_mean: assert 3 == 2 (cart.py)”: docs.md: ")
    assert "+    return 0.0" in lesson
    (lesson,) = useless.self_reflection.lessons_learned
    assert lesson.startswith("What does not help against “test_empty: ")


def test_no_lesson_keeps_a_line_that_the_next_edit_moves(coder: hardwon.Agent) -> None:
    reflections(coder, judged(0.0, EMPTY, MEAN), judged(0.5, EMPTY), judged(0.5, EMPTY))

    lessons = coder.lessons.list()
    texts = [f"{one.situation} {one.mistake} {one.correction}" for one in lessons]
    assert texts
    assert not any("cart.py:" in text.replace("cart.py: -", "") for text in texts)
    assert not any("expect pytest to say" in text for text in texts)


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


def test_a_crash_in_between_makes_no_error_new(coder: hardwon.Agent) -> None:
    outputs = iter((ActorOutput((edit("cart.py"),)), ActorOutput(crash="it fell over"),
                    ActorOutput((edit("cart.py"),))))  # fmt: skip

    done = coder.loops.run("Write average()", actor=lambda prompt: next(outputs),
                        evaluate=lambda said: judged(0.5, EMPTY), max_trials=3,
                        on_critical="retry")  # fmt: skip

    last = coder.loops.reflections(done.loop_id)[-1].self_reflection.reflection_text
    assert "Old: test_empty" in last
    assert "New:" not in last


def test_a_failure_that_was_overcome_is_proven_and_one_that_was_not_only_counts(
    coder: hardwon.Agent,
) -> None:
    reflections(coder, judged(0.0, MEAN), judged(0.5, EMPTY))

    lessons = {lesson.mistake[:9]: lesson for lesson in coder.lessons.list(status="all")}
    states = {name: lesson.status for name, lesson in lessons.items()}
    assert states == {"test_mean": "proven", "test_empt": "seen"}
    assert "test_mean" not in lessons["test_empt"].correction
