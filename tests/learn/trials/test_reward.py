"""The reward of a trial counts what was verified."""

from __future__ import annotations

from typing import Any

import pytest

from hardwon.learn.trials.roles import reward
from hardwon.learn.trials.tools import ToolReport
from hardwon.learn.trials.values import (
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
