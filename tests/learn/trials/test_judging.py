"""Rewards, signatures, categories, reflections by rule, and what analytics make of them."""

from __future__ import annotations

from typing import Any

import pytest

from hardwon import Scope
from hardwon.errors import InvalidInput
from hardwon.learn.trials.analytics import analyze, correlation
from hardwon.learn.trials.chart import plot, spark
from hardwon.learn.trials.credit import FailedTrial
from hardwon.learn.trials.failures import category, name_of
from hardwon.learn.trials.reflect import problems
from hardwon.learn.trials.reward import reward
from hardwon.learn.trials.rules import reflect
from hardwon.learn.trials.search import patterns
from hardwon.learn.trials.state import LoopState, Options, Trial
from hardwon.learn.trials.tools.report import ToolReport
from hardwon.learn.trials.values import (
    Action,
    ActorOutput,
    Changes,
    EvaluatorOutput,
    MemoryMetadata,
    PerformanceDelta,
    Record,
    SelfReflection,
    StructuredError,
    VerificationMetrics,
    VerificationResult,
)


def result(kind: Any, status: Any = "pass", tests: tuple[int, int] | None = None) -> Any:
    metrics = VerificationMetrics()
    if tests:
        good, ran = tests
        metrics = VerificationMetrics(good, ran - good, ran)
    return VerificationResult(kind, status, kind=kind), ToolReport((), metrics)


@pytest.mark.parametrize(
    ("judged", "expected"),
    [
        ([result("unit_tests", "fail", (3, 5))], 0.6),
        ([result("unit_tests", "fail", (3, 5)), result("type_check"), result("lint")], 0.8),
        ([result("unit_tests"), result("type_check", "fail"), result("lint")], 0.7),
        ([result("unit_tests"), result("type_check"), result("lint", "fail")], 0.8),
        ([result("unit_tests", "fail", (1, 2)), result("type_check")], 0.6875),
        ([result("lint", "fail")], 0.0),
        ([result("heuristic"), result("heuristic", "fail")], 0.5),
        ([result("unit_tests", "fail", (5, 5))], 0.833333),
        ([result("unit_tests", "pass", (5, 5)), result("type_check"), result("lint")], 1.0),
        ([], 0.0),
    ],
)
def test_the_reward_counts_what_was_verified(judged: list[Any], expected: float) -> None:
    assert reward(judged) == expected


def failed(*errors: StructuredError) -> EvaluatorOutput:
    return EvaluatorOutput(False, "unit_tests", errors=errors)


EMPTY = StructuredError(
    "test_failure", "ZeroDivisionError: division by zero", "cart.py", 2, tool="pytest",
    test="test_cart.py::test_empty",
)  # fmt: skip
TYPE = StructuredError(
    "type_error", 'Incompatible return value type (got "None")', "cart.py", 3, tool="mypy",
    rule="return-value",
)  # fmt: skip


def test_a_failure_has_one_name_whatever_the_order_and_the_place() -> None:
    moved = EMPTY._replace(line=99)

    assert name_of(failed(EMPTY, TYPE)) == name_of(failed(TYPE, moved))
    assert name_of(failed(EMPTY)) != name_of(failed(TYPE))
    assert name_of(failed(EMPTY)) != name_of(failed(EMPTY._replace(test="test_cart.py::other")))


@pytest.mark.parametrize(
    ("message", "kind", "expected"),
    [
        ("ModuleNotFoundError: No module named 'x'", "runtime_error", "configuration_error"),
        ("AttributeError: module 'os' has no attribute 'foo'", "test_failure", "hallucination"),
        ("NotImplementedError", "test_failure", "incomplete_implementation"),
        ("IndexError: list index out of range", "test_failure", "edge_case_miss"),
        ("ConnectionRefusedError: [Errno 111]", "test_failure", "integration_error"),
        ("pytest did not end within its time limit (5 s)", "timeout", "inefficient_planning"),
        ("assert 3 == 4", "test_failure", "logic_error"),
        ("Argument 1 has incompatible type", "type_error", "incorrect_assumption"),
        ("something else", "other", "other"),
    ],
)
def test_the_kind_of_failure_is_told_without_a_model(
    message: str, kind: Any, expected: str
) -> None:
    assert category(StructuredError(kind, message)) == expected


def edit(path: str, diff: str = "") -> Action:
    return Action("code_modification", f"changed {path} (+1 -1)", path, Changes(1, 1, diff))


def failure(*errors: StructuredError, earlier: tuple[Record, ...] = ()) -> FailedTrial:
    actor = ActorOutput((edit("docs.md"), edit("cart.py")))
    judged = failed(*errors)
    return FailedTrial("Write average()", len(earlier), actor, judged, name_of(judged), earlier)


def as_record(one: FailedTrial) -> Record:
    return Record(
        "l", one.number, "2026-01-01T00:00:00+00:00", one.actor, one.evaluation, reflect(one),
        MemoryMetadata(), signature=one.signature,
    )  # fmt: skip


def test_rules_write_a_reflection_that_passes_the_gate() -> None:
    words = reflect(failure(EMPTY))

    assert problems(words, failure(EMPTY)) == []
    assert words.reflection_text.startswith("In trial 1 I changed docs.md")
    assert "division by zero (cart.py:2)" in words.reflection_text
    assert words.credit_assignment
    assert words.credit_assignment.failing_action_indices == (1,)  # docs.md is not to blame
    assert words.credit_assignment.failure_category == "edge_case_miss"
    assert words.actionable_insights[0].startswith("Make test_cart.py::test_empty pass")


def test_rules_notice_that_a_failure_came_back() -> None:
    first = as_record(failure(EMPTY))
    again = failure(EMPTY, earlier=(first,))
    words = reflect(again)

    assert "the failure of trial 1 once more" in words.reflection_text
    assert words.related_reflections == (0,)
    assert words.confidence < first.self_reflection.confidence
    assert problems(words, again) == []


def test_rules_notice_what_the_last_change_broke() -> None:
    first = as_record(failure(EMPTY))
    words = reflect(failure(TYPE, earlier=(first,)))

    assert "My last change caused what is new" in words.reflection_text
    assert any("is new" in step for step in words.actionable_insights)


def test_patterns_are_what_several_reflections_say_alike() -> None:
    records = [
        as_record(failure(EMPTY))._replace(
            loop_id=f"l{n}",
            self_reflection=SelfReflection(
                "x", lessons_learned=(f"Check line {n} for `empty`",), actionable_insights=("Go",)
            ),
        )
        for n in range(3)
    ]

    found = patterns(records, min_frequency=3, parts=["lessons_learned"])

    assert [(one.frequency, one.loops) for one in found] == [(3, ("l0", "l1", "l2"))]
    assert patterns(records, min_frequency=4) == []
    with pytest.raises(InvalidInput):
        patterns(records, parts=["notes"])


def loop(
    name: str, rewards: list[float], *, lessons: int = 0, confidence: float = 0.5
) -> LoopState:
    trials = []
    for number, value in enumerate(rewards):
        gain = value - rewards[number - 1] if number else 0.0
        trials.append(
            Trial(
                number, "passed" if value == 1 else "failed", "", value, int(value < 1), 2.0,
                category=None if value == 1 else "logic_error",
                confidence=None if value == 1 else confidence,
                delta=PerformanceDelta(gain, 0, gain > 0) if number else None,
                lessons_used=lessons,
            )
        )  # fmt: skip
    status: Any = "succeeded" if rewards[-1] == 1 else "failed"
    return LoopState(
        name, Scope(), Options(f"fix bug {name[-1]}"), f"2026-01-0{name[-1]}", status=status,
        trials=tuple(trials),
    )  # fmt: skip


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


def test_curves_are_drawn() -> None:
    assert spark([0, 0.5, 1], high=1) == "▁▅█"
    assert spark([]) == ""
    drawn = plot([0.0, 0.5, 1.0], height=2, high=1.0)
    assert [line.count("●") for line in drawn] == [1, 1, 1, 0]
    assert drawn[-1].split() == ["1", "2", "3"]
