"""Trials that were judged."""

from __future__ import annotations

from typing import Any

from hardwon import Scope
from hardwon.learn.trials.reflect import FailedTrial, reflect_by_rules, signature_of
from hardwon.learn.trials.values import (
    Action,
    ActorOutput,
    Changes,
    EvaluatorOutput,
    LoopState,
    MemoryMetadata,
    Options,
    PerformanceDelta,
    Record,
    SelfReflection,
    StructuredError,
    Trial,
)


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


def edit(path: str, diff: str = "") -> Action:
    return Action("code_modification", f"changed {path} (+1 -1)", path, Changes(1, 1, diff))


def record(*errors: StructuredError, number: int = 0) -> Record:
    judged = failed(*errors)
    return Record(
        "l", number, "2026-01-01T00:00:00+00:00",
        ActorOutput((edit("docs.md"), edit("cart.py"))), judged, SelfReflection(""),
        MemoryMetadata(), "Write average()", signature=signature_of(judged),
    )  # fmt: skip


def failure(*errors: StructuredError, earlier: tuple[Record, ...] = ()) -> FailedTrial:
    return FailedTrial(record(*errors, number=len(earlier)), earlier)


def as_record(*errors: StructuredError) -> Record:
    """A first trial with its reflection."""
    return record(*errors)._replace(self_reflection=reflect_by_rules(failure(*errors)))


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
