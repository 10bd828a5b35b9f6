"""What the next trial sees."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import hardwon
from hardwon.learn.trials.runner import fitting, omega, tokens, window
from hardwon.learn.trials.values import (
    ActorOutput,
    CreditAssignment,
    EvaluatorOutput,
    MemoryMetadata,
    Record,
    SelfReflection,
    StructuredError,
)
from hardwon.models.scripted import Scripted
from tests.learn.trials.credited import EMPTY, MEAN, TAX, edit, judged


def record(number: int, kind: Any = "other", **more: Any) -> Record:
    words = more.pop("words", f"In trial {number} I failed.")
    error = StructuredError("other", more.pop("message", "boom"))
    made = Record(
        "l", number, f"2026-01-01T00:00:{number:02d}+00:00", ActorOutput(),
        EvaluatorOutput(False, "unit_tests", errors=(error,)),
        SelfReflection(words, CreditAssignment((), "x", kind)), MemoryMetadata(),
        signature=more.pop("signature", str(number)),
    )  # fmt: skip
    return made._replace(**more)


def numbers(records: list[Record]) -> list[int]:
    return [one.iteration for one in records]


@pytest.mark.parametrize(
    ("kind", "size"),
    [
        ("unit_tests", 1),
        ("integration_tests", 3),
        ("type_check", 1),
        ("lint", 1),
        ("combined", 3),
        ("manual_review", 5),
        ("heuristic", 3),
    ],
)
def test_the_size_follows_what_is_verified(kind: str, size: int) -> None:
    assert omega("", kind, []) == size
    assert omega("7", kind, []) == 7


def test_varied_failures_need_a_longer_view() -> None:
    kinds = ["logic_error", "edge_case_miss", "hallucination", "integration_error", "other"]
    records = [record(at, kind) for at, kind in enumerate(kinds)]

    sizes = [omega("auto", "unit_tests", records[:n]) for n in range(6)]
    assert sizes == [1, 1, 1, 3, 3, 5]


def test_fifo_drops_the_oldest() -> None:
    records = [record(n) for n in range(12)]

    assert numbers(window(records, policy="fifo", size=3)) == [9, 10, 11]


def test_recency_prefers_the_newest_word_on_each_failure() -> None:
    records = [record(n, signature=name) for n, name in enumerate("abccc")]

    assert numbers(window(records, policy="recency", size=3)) == [0, 1, 4]
    assert numbers(window(records, policy="recency", size=4)) == [0, 1, 3, 4]


def test_relevance_brings_back_an_old_reflection_on_the_same_failure() -> None:
    records = [
        record(0, "edge_case_miss", signature="x", message="division by zero in mean"),
        record(1, "logic_error", message="wrong total"),
        record(2, "type_error", message="expected str"),
        record(3, "edge_case_miss", signature="x", message="division by zero in mean"),
    ]

    assert numbers(window(records, policy="relevance_weighted", size=2)) == [0, 3]


def test_what_does_not_fit_the_budget_is_left_out_oldest_first() -> None:
    records = [record(n, words="x" * 400) for n in range(5)]

    shown = fitting(records, 250)

    assert [one.iteration for one, _ in shown] == [3, 4]
    assert sum(tokens(text) for _, text in shown) <= 250


def test_the_newest_is_shown_even_when_it_must_be_cut() -> None:
    shown = fitting([record(0), record(1, words="x" * 9000)], 100)

    assert [one.iteration for one, _ in shown] == [1]
    assert tokens(shown[0][1]) <= 100


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
