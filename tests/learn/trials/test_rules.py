"""Rules say what a failed trial shows."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

import hardwon
from hardwon.learn.trials.reflect import category, problems, signature_of
from hardwon.learn.trials.reflect import reflect_by_rules as reflect
from hardwon.learn.trials.values import (
    StructuredError,
)
from tests.learn.trials.judged import EMPTY, TYPE, as_record, failed, failure


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
    first = as_record(EMPTY)
    again = failure(EMPTY, earlier=(first,))
    words = reflect(again)

    assert "the failure of trial 1 once more" in words.reflection_text
    assert words.related_reflections == (0,)
    assert words.confidence < first.self_reflection.confidence
    assert problems(words, again) == []


def test_rules_notice_what_the_last_change_broke() -> None:
    first = as_record(EMPTY)
    words = reflect(failure(TYPE, earlier=(first,)))

    assert "What is new came with my last change" in words.reflection_text
    assert any("is new" in step for step in words.actionable_insights)


ATTEMPTS = {
    "total(x) / len(x)": "NameError: name 'total' is not defined (stats.py:2)",
    "sum(x / len(x)": "SyntaxError: '(' was never closed (stats.py:2)",
    "sum(x) / x": "TypeError: unsupported operand type(s) for /: 'int' and 'list' (stats.py:2)",
    "x[3]": "IndexError: list index out of range (stats.py:2)",
    "{}['a']": "KeyError: 'a' (stats.py:2)",
    "sum(x) + len(x)": "assert 9 == 2 (test_stats.py:4)",
}


def test_six_different_failures_are_told_as_six(coder: hardwon.Agent, tmp_path: Path) -> None:
    (tmp_path / "test_stats.py").write_text(
        "from stats import mean\n\n"
        "def test_mean():\n    assert mean([1, 2, 3]) == 2\n\n"
        "def test_empty():\n    assert mean([]) == 0\n"
    )
    attempts = iter(ATTEMPTS)

    def actor(prompt: str) -> str:
        answer = f"def mean(x):\n    return {next(attempts)}\n"
        (tmp_path / "stats.py").write_text(answer)
        return answer

    check = f"{sys.executable} -m pytest -q -p no:cacheprovider -p no:xdist"
    done = coder.loops.run("Write mean()", actor=actor, verify=(check,), cwd=str(tmp_path),
                           max_trials=6, patience=0)  # fmt: skip

    records = coder.loops.reflections(done.loop_id)
    texts = [record.self_reflection.reflection_text for record in records]
    assert not [text for text in texts if "once more" in text]
    assert all(error in text for error, text in zip(ATTEMPTS.values(), texts, strict=True))
    assert [text.count("That was progress") for text in texts] == [0, 0, 0, 0, 0, 1]
    assert [text.count("No improvement") for text in texts] == [0, 1, 1, 1, 1, 0]
    assert len({record.signature for record in records}) == 6


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
