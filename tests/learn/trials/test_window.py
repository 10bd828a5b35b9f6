"""Which reflections are in view."""

from __future__ import annotations

from typing import Any

import pytest

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
