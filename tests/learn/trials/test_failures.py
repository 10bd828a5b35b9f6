"""A failed trial has a name and a kind."""

from __future__ import annotations

from typing import Any

import pytest

from hardwon.learn.trials.reflect import category, signature_of
from hardwon.learn.trials.values import (
    StructuredError,
)
from tests.learn.trials.judged import EMPTY, TYPE, failed


def test_a_failure_has_one_name_whatever_the_order_and_the_place() -> None:
    moved = EMPTY._replace(line=99)

    assert signature_of(failed(EMPTY, TYPE)) == signature_of(failed(TYPE, moved))
    assert signature_of(failed(EMPTY)) != signature_of(failed(TYPE))
    assert signature_of(failed(EMPTY, TYPE)) != signature_of(
        failed(EMPTY, EMPTY._replace(test="other"))
    )
    assert signature_of(failed(EMPTY)) != signature_of(
        failed(EMPTY._replace(test="test_cart.py::other"))
    )


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
