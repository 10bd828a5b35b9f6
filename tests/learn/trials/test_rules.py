"""Reflections that rules write."""

from __future__ import annotations

from hardwon.learn.trials.reflect import problems
from hardwon.learn.trials.rules import reflect
from tests.learn.trials.judged import EMPTY, TYPE, as_record, failure


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
