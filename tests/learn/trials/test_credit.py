"""Credit assignment without a model: what a change gained, what it broke, what it left."""

from __future__ import annotations

import hardwon
from hardwon.learn.trials.values import (
    Action,
    ActorOutput,
    Record,
    StructuredError,
)
from tests.learn.trials.credited import EMPTY, MEAN, TAX, edit, judged, reflections


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
    moved = EMPTY._replace(line=7)

    _, second, third = reflections(
        coder, judged(0.5, EMPTY), judged(0.5, moved, TAX), judged(0.5, TAX, MEAN)
    )
    fourth = reflections(coder, judged(0.5, EMPTY), judged(0.5, TAX), judged(0.5, EMPTY))[-1]

    text = second.self_reflection.reflection_text
    assert "New: test_tax: KeyError: 'VAT' (tax.py:9)." in text
    assert "Old: test_empty: ZeroDivisionError: division by zero (cart.py:7)." in text
    assert "New: test_mean: assert 3 == 2 (cart.py:4). Old: test_tax" in (
        third.self_reflection.reflection_text
    )
    assert "Back from an earlier trial: test_empty" in fourth.self_reflection.reflection_text


def test_another_failure_of_the_same_test_is_new(coder: hardwon.Agent) -> None:
    other = EMPTY._replace(message="IndexError: list index out of range")

    last = reflections(coder, judged(0.5, EMPTY), judged(0.5, other))[-1]

    assert "New: test_empty: IndexError" in last.self_reflection.reflection_text


def test_one_error_that_hides_two_others_is_no_improvement(coder: hardwon.Agent) -> None:
    broken = StructuredError("syntax_error", "SyntaxError: '(' was never closed", "cart.py", 2)

    last = reflections(coder, judged(0.0, EMPTY, MEAN), judged(0.0, broken))[-1]

    assert "No improvement: the reward stayed at 0.00." in last.self_reflection.reflection_text
    assert last.performance_delta
    assert not last.performance_delta.is_improvement


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


def test_a_crash_in_between_makes_no_error_new(coder: hardwon.Agent) -> None:
    outputs = iter((ActorOutput((edit("cart.py"),)), ActorOutput(crash="it fell over"),
                    ActorOutput((edit("cart.py"),))))  # fmt: skip

    done = coder.loops.run("Write average()", actor=lambda prompt: next(outputs),
                        evaluate=lambda said: judged(0.5, EMPTY), max_trials=3,
                        on_critical="retry")  # fmt: skip

    last = coder.loops.reflections(done.loop_id)[-1].self_reflection.reflection_text
    assert "Old: test_empty" in last
    assert "New:" not in last
